import { expect, test } from "vitest";
import { Places } from "./places.ts";

test("no more than so many are at work, and all come to their turn in order", async () => {
  const places = new Places(2);
  const begun: number[] = [];
  let atWork = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 7 }, async (_, index) => {
      await places.take();
      begun.push(index);
      most = Math.max(most, ++atWork);
      await new Promise((resolve) => setImmediate(resolve));
      atWork--;
      places.giveBack();
    }),
  );
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
});
