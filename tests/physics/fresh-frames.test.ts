import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { analyzeFrame, type FrameInput } from "../../main/analysis/analyze-frame.ts";

/*
 * Frames from a numpy script that shares no line with this project's simulator: tilted ellipses, donuts, flat tops and mixtures of
 * Hermite-Gauss modes with noise and offset. d4σ must come out within 0.5 % of the closed form.
 */

const TOLERANCE = 0.005;
/** Coverage factor that no correctly stated uncertainty should need in some forty widths. */
const COVERAGE = 4;

interface Described {
  name: string;
  width_px: number;
  height_px: number;
  bits: number;
  shift: number;
  centreX_px: number;
  centreY_px: number;
  angle_deg: number;
  dU_px: number;
  dV_px: number;
  darkFrames: number;
  darkNoise_counts: number;
}

const python = process.env["PYTHON"] ?? "python3";
const hasNumpy = spawnSync(python, ["-c", "import numpy"]).status === 0;
const directory = hasNumpy ? mkdtempSync(join(tmpdir(), "caustic-frames-")) : "";
if (hasNumpy) execFileSync(python, [join(import.meta.dirname, "make-frames.py"), directory]);
afterAll(() => {
  if (hasNumpy) rmSync(directory, { recursive: true });
});

const described: Described[] = hasNumpy
  ? (JSON.parse(readFileSync(join(directory, "frames.json"), "utf8")) as Described[])
  : [];

function read(frame: Described, withDark: boolean): FrameInput {
  const bytes = readFileSync(join(directory, `${frame.name}.u16`));
  const stored = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const scale = 2 ** frame.shift;
  const input = {
    samples: stored.map((value) => value >> frame.shift),
    width_px: frame.width_px,
    height_px: frame.height_px,
    bitDepth: frame.bits,
    pixelPitch_um: 1,
  };
  if (!withDark) return input;
  const darkBytes = readFileSync(join(directory, `${frame.name}.dark.f64`));
  const dark = new Float64Array(
    darkBytes.buffer.slice(darkBytes.byteOffset, darkBytes.byteOffset + darkBytes.byteLength),
  );
  return {
    ...input,
    dark: {
      mean: dark.map((value) => value / scale),
      frames: frame.darkFrames,
      noise_counts: frame.darkNoise_counts,
    },
  };
}

/** Closed-form widths along the axes that the analysis reports: x is the one closer to the rows. */
function expected(frame: Described): { x: number; y: number; azimuth_deg: number } {
  if (Math.abs(frame.angle_deg) <= 45) return { x: frame.dU_px, y: frame.dV_px, azimuth_deg: frame.angle_deg };
  return { x: frame.dV_px, y: frame.dU_px, azimuth_deg: frame.angle_deg - 90 * Math.sign(frame.angle_deg) };
}

describe.skipIf(!hasNumpy)("frames made by numpy (skipped where python3 has no numpy)", () => {
  test("the script wrote its frames", () => expect(described).toHaveLength(10));

  for (const frame of described)
    for (const withDark of [true, false])
      test(`${frame.name} ${withDark ? "with" : "without"} a dark`, () => {
        const analysis = analyzeFrame(read(frame, withDark), { extraFindings: true });
        expect(analysis.reasons, "reasons").toEqual([]);
        if (analysis.kind !== "measured") throw new Error(analysis.grade);
        const { widths } = analysis;
        const truth = expected(frame);
        const nearlyRound = Math.abs(truth.x / truth.y - 1) < 0.1;
        const byX = widths.d4sigmaX_um - truth.x;
        const byY = widths.d4sigmaY_um - truth.y;
        expect(Math.abs(byX) / truth.x).toBeLessThan(TOLERANCE);
        expect(Math.abs(byY) / truth.y).toBeLessThan(TOLERANCE);
        expect(Math.abs(byX)).toBeLessThan(COVERAGE * widths.uX_um);
        expect(Math.abs(byY)).toBeLessThan(COVERAGE * widths.uY_um);
        expect(widths.centroidX_px).toBeCloseTo(frame.centreX_px, 0);
        expect(widths.centroidY_px).toBeCloseTo(frame.centreY_px, 0);
        if (!nearlyRound) expect(Math.abs(widths.azimuth_deg - truth.azimuth_deg)).toBeLessThan(0.5);
      });
});
