import { expect, test } from "vitest";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { EMPTY_RUN, type RunState } from "../../store/run-state.ts";
import { causticCsv, plotCaption } from "./exports.ts";

const state = {
  ...EMPTY_RUN,
  simulated: true,
  description: { bench: "bench-1", wavelength_nm: 632.8 },
  finished: { verdict: "iso_compliant", explanation: "" },
} as unknown as RunState;
const caustic = {
  x: {
    result: {
      determined: true,
      m2: 1.2,
      u_m2: 0.012,
      z0_mm: 130,
      u_z0_mm: 0.5,
      d0_um: 130.04,
      u_d0_um: 0.65,
      rayleigh_mm: 17.5,
      u_rayleigh_mm: 0.25,
    },
  },
  y: { result: { determined: false, why: "too few positions" } },
} as unknown as CausticDrawing;

test("a picture of the plot names the run, says that it is simulated, and gives the result of each axis", () => {
  const { title, status, x, y } = plotCaption({ state, caustic }, "run-7");
  expect(title).toBe("Caustic: run-7, 632.8 nm");
  expect(status).toBe("Measured to ISO 11146; simulated, no real beam");
  expect(x.replaceAll("\u202f", " ")).toBe(
    "M² 1.200 ± 0.012, waist 130.04 ± 0.65 µm at 130.00 ± 0.50 mm, zR 17.50 ± 0.25 mm",
  );
  expect(y).toBe("not determined (too few positions)");
});

test("a picture of a run without a fit claims no result", () => {
  expect(plotCaption({ state: EMPTY_RUN, caustic: undefined }, "run-8")).toMatchObject({ x: "not measured" });
});

test("the table has every value once, under the names that caustic fit reads, and no more digits than mean something", () => {
  const measured = {
    measurement: "m001",
    z_actual_mm: 12.5,
    d4sigma_x_um: 161.768142680348,
    u_x_um: 0.294580797437808,
  };
  const csv = causticCsv({ state: { ...state, measurements: [measured] } as unknown as RunState });
  const [header = "", row = ""] = csv.split("\n");
  const names = header.split(",");
  expect(new Set(names).size).toBe(names.length);
  const value = (name: string): string | undefined => row.split(",")[names.indexOf(name)];
  expect(["z_mm", "dx_um", "u_dx_um", "dy_um", "u_dy_um"].map(value)).toEqual([
    "12.5",
    "161.76814",
    "0.2945808",
    "",
    "",
  ]);
});
