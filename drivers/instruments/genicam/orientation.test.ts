import { expect, test } from "vitest";
import { orient, orientedSize } from "./orientation.ts";

// 3 columns, 2 rows.
const PICTURE = Uint16Array.from([1, 2, 3, 4, 5, 6]);

test.each([
  [{}, [1, 2, 3, 4, 5, 6]],
  [{ mirrorColumns: true }, [3, 2, 1, 6, 5, 4]],
  [{ mirrorRows: true }, [4, 5, 6, 1, 2, 3]],
  [{ transpose: true }, [1, 4, 2, 5, 3, 6]],
  [{ mirrorColumns: true, transpose: true }, [3, 6, 2, 5, 1, 4]],
  [{ mirrorRows: true, transpose: true }, [4, 1, 5, 2, 6, 3]],
])("%j", (orientation, turned) => {
  expect([...orient(PICTURE, 3, orientation)]).toEqual(turned);
  expect([...PICTURE]).toEqual([1, 2, 3, 4, 5, 6]);
  const transposed = "transpose" in orientation;
  expect(orientedSize({ width: 3, height: 2 }, orientation)).toEqual(
    transposed ? { width: 2, height: 3 } : { width: 3, height: 2 },
  );
});
