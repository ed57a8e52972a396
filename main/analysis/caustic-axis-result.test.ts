import { describe, expect, test } from "vitest";
import { axisResultSchema } from "../contract/axis-result.ts";
import { FIT_WEIGHTS } from "../contract/vocabulary.ts";
import { toAxisResult } from "./caustic-axis-result.ts";
import { fitCaustic } from "./caustic-fit.ts";
import type { CausticPoint } from "./caustic-types.ts";

const SCAN = [90, 100, 110, 120, 125, 130, 135, 140, 150, 170, 180, 190];
const points = SCAN.map((z_mm, i): CausticPoint => {
  const d_um = Math.hypot(130, 7.437 * (z_mm - 130)) * (1 + 0.003 * Math.sin(3 * i));
  return { z_mm, d_um, u_um: 0.003 * d_um };
});
const options = { wavelength_nm: 632.8 };

describe("an axis on the wire", () => {
  test("a fit keeps its numbers, calibration is listed where it is known", () => {
    const fit = fitCaustic(points, { ...options, calibration: { pixelPitch: 0.002 } });
    const wire = axisResultSchema.parse(toAxisResult(fit));
    if (!fit.determined || !wire.determined) throw new Error("not determined");
    expect(wire).toMatchObject({
      m2: fit.m2.value,
      u_m2: fit.m2.u,
      z0_mm: fit.z0_mm.value,
      d0_um: fit.d0_um.value,
      divergence_mrad: fit.divergence_mrad.value,
      rayleigh_mm: fit.rayleigh_mm.value,
      weights: "given",
      positions: SCAN.length,
    });
    expect(wire.u_m2_parts).toEqual({
      fit: fit.m2.parts.fit,
      pixel_pitch: 0.004 * fit.m2.value,
      stage_scale: 0,
      wavelength: 0,
    });
    expect(toAxisResult(fitCaustic(points, options))).not.toHaveProperty("u_m2_parts");
  });

  test("flags of both axes join those of the axis, determined or not", () => {
    const turning = { code: "general_astigmatism", value: 20, limit: 10 } as const;
    expect(toAxisResult(fitCaustic(points, options), [turning]).flags).toEqual([turning]);
    expect(toAxisResult(fitCaustic([], options), [turning])).toMatchObject({ determined: false, flags: [turning] });
  });

  test("whatever is measured, the wire carries a valid result or a reason", () => {
    let state = 1;
    const uniform = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const odd = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-320, 1e308, 1e-12, 1e12];
    const number = () => (uniform() < 0.03 ? (odd[Math.floor(uniform() * odd.length)] as number) : uniform() * 200);
    const seen = new Set<string>();
    for (let trial = 0; trial < 3000; trial++) {
      const count = Math.floor(uniform() * 14);
      const usual = uniform() < 0.5;
      const random = Array.from({ length: count }, (): CausticPoint => {
        const z_mm = uniform() < 0.2 ? Math.round(number()) : number();
        const d_um = usual ? Math.hypot(20, z_mm - 100) * (1 + uniform() * 0.3) : number();
        return { z_mm, d_um, ...(uniform() < 0.9 ? { u_um: number() } : {}) };
      });
      for (const weights of FIT_WEIGHTS) {
        const fit = fitCaustic(random, { wavelength_nm: 632.8, weights, uZ_mm: uniform() < 0.5 ? 0 : uniform() });
        seen.add(fit.determined ? "determined" : fit.reason);
        expect(axisResultSchema.safeParse(toAxisResult(fit)).error).toBeUndefined();
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(["determined", "bad_width", "too_few_positions", "no_divergence", "no_waist"]),
    );
  });
});
