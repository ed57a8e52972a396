import { describe, expect, test } from "vitest";
import { differenceCurve } from "./difference-curve.ts";

describe("the difference of two caustics", () => {
  const first = { z_mm: [0, 10, 20, 30], d_um: [100, 90, 90, 100], u_um: [3, 3, 3, 3] };

  test("is second less first, with the uncertainties of both", () => {
    const second = { z_mm: [0, 10, 20, 30], d_um: [101, 92, 93, 104], u_um: [4, 4, 4, 4] };
    expect(differenceCurve(first, second)).toEqual({
      z_mm: [0, 10, 20, 30],
      d_um: [1, 2, 3, 4],
      u_um: [5, 5, 5, 5],
    });
  });

  test("covers only places that both have, and reads the second between its places", () => {
    const second = { z_mm: [5, 15, 25], d_um: [100, 110, 120], u_um: [4, 4, 4] };
    const { z_mm, d_um, u_um } = differenceCurve(first, second);
    expect(z_mm).toEqual([10, 20]);
    expect(d_um).toEqual([15, 25]);
    expect(u_um).toEqual([5, 5]);
  });

  test("is empty where the two have no place in common, or one has none", () => {
    const empty = { z_mm: [], d_um: [], u_um: [] };
    const apart = { z_mm: [40, 50], d_um: [1, 1], u_um: [1, 1] };
    expect(differenceCurve(first, apart)).toEqual(empty);
    expect(differenceCurve(apart, first)).toEqual(empty);
    expect(differenceCurve(first, empty)).toEqual(empty);
  });
});
