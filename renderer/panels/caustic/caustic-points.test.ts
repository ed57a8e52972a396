import { expect, test } from "vitest";
import type { Measurement } from "../../../main/contract/tools.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { pointsOf } from "./caustic-points.ts";

const measured = (measurement: string, more: Partial<Measurement> = {}): Measurement =>
  ({ measurement, z_actual_mm: 10, d4sigma_x_um: 200, use: "used", grade: "good", ...more }) as Measurement;

const fit = (used: readonly string[], leftOut: readonly string[]): CausticDrawing =>
  ({
    x: { points: [] },
    used,
    left_out: leftOut.map((measurement) => ({ measurement, why: "refused" })),
  }) as unknown as CausticDrawing;

const usedIn = (measurements: readonly Measurement[], caustic: CausticDrawing | undefined): string[] =>
  pointsOf("x", measurements, caustic)
    .filter((point) => point.used)
    .map((point) => point.measurement);

test("while the fit is on its way, a measurement counts unless the log says that it does not", () => {
  const list = [measured("m001"), measured("m002", { use: "rejected" }), measured("m003", { grade: "refused" })];
  expect(usedIn(list, undefined)).toEqual(["m001"]);
});

test("what the fit left out is left out, and what it has not seen yet counts", () => {
  const list = [measured("m001"), measured("m002"), measured("m003")];
  expect(usedIn(list, fit(["m001"], ["m002"]))).toEqual(["m001", "m003"]);
});
