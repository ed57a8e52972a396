import { createSensor, type SensorSize } from "../../../simulators/world/sensor.ts";
import { analyzeFrame, type FrameInput } from "../../analysis/analyze-frame.ts";
import { fitCaustic } from "../../analysis/caustic-fit.ts";
import type { MomentKernel } from "../../analysis/kernel.ts";
import { typescriptKernel } from "../../analysis/typescript-kernel.ts";
import { chooseKernel } from "../choose-kernel.ts";
import type { Entry } from "./entry.ts";
import { timeInTurn } from "./timing.ts";

export const SIZES: readonly SensorSize[] = ["640x480", "1280x1024", "2448x2048"];

/** Frame → widths with a dark, the whole iteration, by either kernel, beside a copy of the frame. */
export async function widthTimes(size: SensorSize, rounds: number): Promise<Entry[]> {
  const input = beamFrame(size);
  const copy = new Uint16Array(input.samples.length);
  const fast = chooseKernel().kernel;
  const kernels: readonly MomentKernel[] = fast === typescriptKernel ? [fast] : [fast, typescriptKernel];
  const { dark: _dark, ...withoutDark } = input;
  const works = [
    { name: `copy of a frame ${size}`, work: () => copy.set(input.samples) },
    ...kernels.flatMap((kernel) => [
      { name: `widths ${size}, ${kernel.name}`, work: () => analyzeFrame(input, { kernel }) },
      { name: `widths ${size} without a dark, ${kernel.name}`, work: () => analyzeFrame(withoutDark, { kernel }) },
    ]),
  ];
  const timings = await timeInTurn(
    works.map(({ work }) => work),
    rounds,
  );
  return works.flatMap(({ name }, index) => {
    const timing = timings[index];
    const floor = timings[0];
    if (timing === undefined || floor === undefined) return [];
    const ratio = { to: "copy", value: timing.least_ms / floor.least_ms };
    return [{ name, timing, ...(index === 0 ? {} : { ratio }) }];
  });
}

/** An elliptic Gaussian across a quarter of the sensor, turned, with noise; the dark is a mean of ten. */
function beamFrame(size: SensorSize): FrameInput {
  const { width_px, height_px, bitDepth, fullScale_counts, pixelPitch_um } = createSensor({ size });
  const samples = new Uint16Array(width_px * height_px);
  const mean = new Float32Array(samples.length);
  let state = 1;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let index = 0; index < samples.length; index++) {
    const x = (index % width_px) - 0.53 * width_px;
    const y = Math.floor(index / width_px) - 0.48 * height_px;
    const u = (0.95 * x + 0.31 * y) / (0.11 * width_px);
    const v = (0.95 * y - 0.31 * x) / (0.1 * height_px);
    const light = 0.7 * fullScale_counts * Math.exp(-2 * (u * u + v * v));
    samples[index] = Math.round(light + 64 + 6 * (uniform() + uniform() + uniform() - 1.5));
    mean[index] = 63 + 2 * uniform();
  }
  return { samples, width_px, height_px, bitDepth, pixelPitch_um, dark: { mean, frames: 10, noise_counts: 3 } };
}

/** One axis over twenty positions with uncertainties. */
export async function fitTime(rounds: number): Promise<Entry> {
  const points = Array.from({ length: 20 }, (_, index) => {
    const z_mm = -100 + 10 * index;
    const d_um = Math.hypot(200, 4 * z_mm) * (1 + 0.002 * Math.sin(7 * index));
    return { z_mm, d_um, u_um: 0.002 * d_um };
  });
  const [timing] = await timeInTurn([() => fitCaustic(points, { wavelength_nm: 632.8, weights: "given" })], rounds, 20);
  if (timing === undefined) throw new Error("no fit was timed");
  return { name: "fit of one axis, 20 positions", timing };
}
