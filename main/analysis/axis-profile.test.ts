import { expect, test } from "vitest";
import { lineProfile } from "./axis-profile.ts";

const width_px = 200;
const height_px = 160;
const pixelPitch_um = 5;

/** A Gaussian of 1/e² diameters `dx`, `dy` in µm, turned counter-clockwise on the screen. */
function frameOf(dx_um: number, dy_um: number, angle_deg: number, centreX_px: number, centreY_px: number): Uint16Array {
  const samples = new Uint16Array(width_px * height_px);
  const angle = (angle_deg * Math.PI) / 180;
  for (let row = 0; row < height_px; row++)
    for (let column = 0; column < width_px; column++) {
      const x = (column - centreX_px) * pixelPitch_um;
      const y = -(row - centreY_px) * pixelPitch_um;
      const along = x * Math.cos(angle) + y * Math.sin(angle);
      const across = -x * Math.sin(angle) + y * Math.cos(angle);
      samples[row * width_px + column] = Math.round(
        100 + 3000 * Math.exp(-8 * ((along / dx_um) ** 2 + (across / dy_um) ** 2)),
      );
    }
  return samples;
}

test.each([0, 20, -30, 45])("a Gaussian turned by %d° gives its own widths along its axes", (angle_deg) => {
  const samples = frameOf(300, 180, angle_deg, 95.3, 82.7);
  const line = { centreX_px: 95.3, centreY_px: 82.7, halfLength_px: 60 };
  const frame = { samples, width_px, height_px, pixelPitch_um };
  const along = lineProfile(frame, { ...line, angle_deg }).gaussian;
  const across = lineProfile(frame, { ...line, angle_deg: angle_deg + 90 }).gaussian;
  // The mean over three lines flattens the top by less than half a per cent.
  expect(along?.d_um).toBeCloseTo(300, -1);
  expect(Math.abs((along?.d_um ?? 0) / 300 - 1)).toBeLessThan(0.01);
  expect(Math.abs((across?.d_um ?? 0) / 180 - 1)).toBeLessThan(0.01);
  expect(along?.centre_um).toBeCloseTo(0, 0);
  expect(along?.offset_counts).toBeCloseTo(100, -1);
  expect(along?.misfit).toBeLessThan(0.005);
});

test("a line that leaves the sensor keeps the places that are on it", () => {
  const frame = { samples: frameOf(300, 300, 0, 20, 80), width_px, height_px, pixelPitch_um };
  const profile = lineProfile(frame, { centreX_px: 20, centreY_px: 80, halfLength_px: 60, angle_deg: 0 });
  expect(profile.from_um).toBeGreaterThanOrEqual(-20 * pixelPitch_um);
  const peak = profile.counts.indexOf(Math.max(...profile.counts));
  expect(profile.from_um + peak * profile.step_um).toBeCloseTo(0, -1);
});

test("a flat frame has a profile and no Gaussian", () => {
  const frame = { samples: new Uint16Array(width_px * height_px).fill(64), width_px, height_px, pixelPitch_um };
  const profile = lineProfile(frame, { centreX_px: 100, centreY_px: 80, halfLength_px: 40, angle_deg: 0 });
  expect(profile.counts.every((value) => value === 64)).toBe(true);
  expect(profile.gaussian).toBeUndefined();
});

test("a top-hat is told from a Gaussian by its misfit", () => {
  const samples = new Uint16Array(width_px * height_px).fill(64);
  for (let row = 40; row < 120; row++) samples.fill(2000, row * width_px + 60, row * width_px + 140);
  const line = { centreX_px: 99.5, centreY_px: 79.5, halfLength_px: 70, angle_deg: 0 };
  const profile = lineProfile({ samples, width_px, height_px, pixelPitch_um }, line);
  expect(profile.gaussian?.misfit).toBeGreaterThan(0.05);
});
