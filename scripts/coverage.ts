/*
 * Are the stated uncertainties true, over whole frames? Measures simulated beams at ideal positions with the real
 * analysis and prints how often the truth of M², z0, d0, Θ and zR, and of the single widths, lies within one and two
 * standard uncertainties.
 *
 *     node scripts/coverage.ts [--beams 1000] [--first 5000] [--scenario random_scenario] [--jobs 2]
 *
 * One row per quantity: share within ±1 u and ±2 u (a calibrated one has 68 and 95 %), mean and deviation of
 * (value − truth) / u (0 and 1), median and largest relative error.
 */
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { analyzeFrames, type DarkReference } from "../main/analysis/analyze-frame.ts";
import { fitBothAxes, type WidthRecord } from "../main/analysis/caustic-both-axes.ts";
import { fastestFrameLoops } from "../main/app/frame-loops.ts";
import { randomScenario } from "../simulators/world/random-scenario.ts";
import type { Scenario } from "../simulators/world/scenario.ts";
import { scenarioNamed } from "../simulators/world/scenarios.ts";
import { createSensor, type Sensor } from "../simulators/world/sensor.ts";
import { type AxisTruth, type BeamTruth, beamTruth, trueD4sigma_um } from "../simulators/world/truth.ts";
import { World } from "../simulators/world/world.ts";

const { kernel, readOut } = fastestFrameLoops();

const FRAMES = 5;
const DARK_FRAMES = 20;
const PEAK_SHARE = 0.75;
const SHORTEST_ms = 0.02;
const LONGEST_ms = 1000;
/** The stage's repeatability: it reads one place and stands at another. */
const U_Z_mm = 0.002;

const QUANTITIES = ["m2", "z0_mm", "d0_um", "divergence_mrad", "rayleigh_mm"] as const;
type Quantity = (typeof QUANTITIES)[number];

/** A measured number beside what is true. */
interface Comparison {
  readonly of: Quantity | "width near" | "width far";
  readonly axis: "x" | "y";
  readonly value: number;
  readonly u: number;
  readonly truth: number;
}

interface BeamOutcome {
  readonly seed: number;
  readonly comparisons: readonly Comparison[];
  readonly chi2_ndf: readonly number[];
  /** What went wrong, in words; empty when both axes are complete and unflagged. */
  readonly complaints: readonly string[];
}

/** Eight or more positions near each waist and eight beyond both axes' two Rayleigh lengths. */
function idealPositions_mm({ x, y }: BeamTruth): number[] {
  const around = (axis: AxisTruth, multiples: readonly number[]) =>
    multiples.map((k) => axis.z0_mm + k * axis.rayleigh_mm);
  const near = [-0.9, -0.45, 0, 0.45, 0.9];
  const outermost = (k: number) => {
    const ends = [x, y].map((axis) => axis.z0_mm + k * axis.rayleigh_mm);
    return k < 0 ? Math.min(...ends) : Math.max(...ends);
  };
  const far = [-3.5, -3, -2.3, 2.3, 3, 3.5].map(outermost);
  return [...around(x, near), ...around(y, near), ...far].map((z) => Math.round(z * 1000) / 1000);
}

/** Exposures in powers of two, so that a few darks serve all positions. */
function exposureFor_ms(scenario: Scenario, sensor: Sensor, truth: BeamTruth, z_mm: number): number {
  const area_px = (trueD4sigma_um(truth.x, z_mm) * trueD4sigma_um(truth.y, z_mm)) / 4 / sensor.pixelPitch_um ** 2;
  const peak_counts_per_ms = ((2 / Math.PI) * scenario.power_counts_per_ms * sensor.countScale) / area_px;
  const wanted_ms = (PEAK_SHARE * sensor.fullScale_counts) / peak_counts_per_ms;
  return Math.min(LONGEST_ms, Math.max(SHORTEST_ms, 2 ** Math.floor(Math.log2(wanted_ms))));
}

function measureBeam(scenario: Scenario, seed: number): BeamOutcome {
  const sensor = createSensor();
  const world = new World(scenario, sensor, seed, readOut);
  const truth = beamTruth(scenario);
  const darks = new Map<number, { readonly id: string; readonly reference: DarkReference }>();
  const complaints: string[] = [];
  let acquisition = 0;
  let measurements = 0;
  const expose = (purpose: "dark" | "measurement", z_mm: number, exposure_ms: number, count: number) => {
    const number = acquisition++;
    return Array.from({ length: count }, (_, frame) =>
      world.expose({
        purpose,
        acquisition: number,
        frame,
        measurements,
        position_mm: z_mm,
        exposure_ms,
        beamBlocked: purpose === "dark",
      }),
    );
  };
  const measure = (z_mm: number, exposure_ms: number) => {
    const dark = darks.get(exposure_ms) ?? {
      id: `d${acquisition}`,
      reference: meanOfDarks(expose("dark", z_mm, exposure_ms, DARK_FRAMES)),
    };
    darks.set(exposure_ms, dark);
    const frames = {
      frames: expose("measurement", z_mm, exposure_ms, FRAMES),
      width_px: sensor.width_px,
      height_px: sensor.height_px,
      bitDepth: sensor.bitDepth,
      pixelPitch_um: sensor.pixelPitch_um,
      dark: dark.reference,
    };
    const analysis = analyzeFrames(frames, { kernel });
    measurements++;
    return { dark: dark.id, analysis };
  };
  const records = idealPositions_mm(truth).map((z_mm): WidthRecord => {
    const exposure_ms = exposureFor_ms(scenario, sensor, truth, z_mm);
    let { dark, analysis } = measure(z_mm, exposure_ms);
    if (analysis.flags.some((flag) => flag.code === "background_stale")) {
      darks.delete(exposure_ms);
      ({ dark, analysis } = measure(z_mm, exposure_ms));
    }
    if (analysis.kind !== "measured") {
      complaints.push(`${z_mm} mm: ${analysis.reasons.join("; ")}`);
      return { id: String(z_mm), z_mm, refused: analysis.reasons.join("; ") };
    }
    return { id: String(z_mm), z_mm, dark, ...analysis.widths };
  });
  const both = fitBothAxes(records, { wavelength_nm: truth.wavelength_nm, uZ_mm: U_Z_mm });
  const comparisons: Comparison[] = [];
  const chi2_ndf: number[] = [];
  for (const flag of both.flags) complaints.push(flag.code);
  for (const axis of ["x", "y"] as const) {
    const fit = both[axis];
    const true_ = truth[axis];
    if (!fit.determined) {
      complaints.push(`${axis}: ${fit.why}`);
      continue;
    }
    for (const flag of fit.flags) complaints.push(`${axis}: ${flag.code} ${flag.value.toPrecision(3)}`);
    for (const words of fit.iso.missing) complaints.push(`${axis}: ${words}`);
    if (fit.chi2_ndf !== undefined) chi2_ndf.push(fit.chi2_ndf);
    for (const of of QUANTITIES) {
      comparisons.push({ of, axis, value: fit[of].value, u: fit[of].u, truth: true_[of] });
    }
    for (const record of records) {
      const value = axis === "x" ? record.d4sigmaX_um : record.d4sigmaY_um;
      const u = axis === "x" ? record.uX_um : record.uY_um;
      if (value === undefined || u === undefined) continue;
      const near = Math.abs(record.z_mm - true_.z0_mm) < 1.5 * true_.rayleigh_mm;
      const of = near ? "width near" : "width far";
      comparisons.push({ of, axis, value, u, truth: trueD4sigma_um(true_, record.z_mm) });
    }
  }
  return { seed, comparisons, chi2_ndf, complaints };
}

function meanOfDarks(frames: readonly Uint16Array[]): DarkReference {
  const pixels = frames[0]?.length ?? 0;
  const mean = new Float32Array(pixels);
  let squares = 0;
  for (let i = 0; i < pixels; i++) {
    let sum = 0;
    let square = 0;
    for (const frame of frames) {
      const counts = frame[i] as number;
      sum += counts;
      square += counts * counts;
    }
    mean[i] = sum / frames.length;
    squares += (square - (sum * sum) / frames.length) / (frames.length - 1);
  }
  return { mean, frames: frames.length, noise_counts: Math.sqrt(squares / pixels) };
}

function scenarioOf(name: string, seed: number): Scenario {
  const scenario = name === "random_scenario" ? randomScenario(seed) : scenarioNamed(name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return scenario;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`.padStart(8);
}

function report(outcomes: readonly BeamOutcome[]): void {
  process.stdout.write(`${outcomes.length} beams\n`);
  process.stdout.write("quantity          n     ±1 u     ±2 u   mean  sigma   median   largest\n");
  const all = outcomes.flatMap((outcome) => outcome.comparisons);
  for (const of of [...QUANTITIES, "width near", "width far"] as const) {
    const own = all.filter((comparison) => comparison.of === of);
    if (own.length === 0) continue;
    const pulls = own.map(({ value, truth, u }) => (value - truth) / u);
    const mean = pulls.reduce((sum, pull) => sum + pull, 0) / pulls.length;
    const sigma = Math.sqrt(pulls.reduce((sum, pull) => sum + (pull - mean) ** 2, 0) / pulls.length);
    const within = (k: number) => pulls.filter((pull) => Math.abs(pull) <= k).length / pulls.length;
    // A place has no relative error: z0 against its own Rayleigh length would need the other truth, so it stays out.
    const errors = own.map(({ value, truth }) => Math.abs(value / truth - 1)).sort((a, b) => a - b);
    const sizes =
      of === "z0_mm"
        ? ""
        : `${(100 * (errors[errors.length >> 1] ?? 0)).toFixed(3)} %  ${(100 * (errors.at(-1) ?? 0)).toFixed(3)} %`;
    process.stdout.write(
      `${of.padEnd(15)}${String(own.length).padStart(5)} ${percent(within(1))} ${percent(within(2))} ${mean.toFixed(2).padStart(6)} ${sigma.toFixed(2).padStart(6)}  ${sizes}\n`,
    );
  }
  const chi2 = outcomes.flatMap((outcome) => outcome.chi2_ndf).sort((a, b) => a - b);
  const mean = chi2.reduce((sum, value) => sum + value, 0) / chi2.length;
  process.stdout.write(`χ²/ν: mean ${mean.toFixed(2)}, largest ${chi2.at(-1)?.toFixed(2) ?? "–"}\n`);
  for (const { seed, complaints } of outcomes) {
    for (const complaint of complaints) process.stdout.write(`seed ${seed}: ${complaint}\n`);
  }
}

interface Share {
  readonly scenario: string;
  readonly seeds: readonly number[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      beams: { type: "string", default: "1000" },
      first: { type: "string", default: "5000" },
      scenario: { type: "string", default: "random_scenario" },
      jobs: { type: "string", default: "2" },
    },
  });
  const jobs = Number(values.jobs);
  const seeds = Array.from({ length: Number(values.beams) }, (_, i) => Number(values.first) + i);
  scenarioOf(values.scenario, 0);
  const outcomes: BeamOutcome[] = [];
  const finish = () => report(outcomes.sort((a, b) => a.seed - b.seed));
  // What was measured until an interruption is worth a table too.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      finish();
      process.exit(1);
    });
  }
  await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const share: Share = { scenario: values.scenario, seeds: seeds.filter((_, i) => i % jobs === job) };
      const worker = new Worker(new URL(import.meta.url), { workerData: share });
      await new Promise<void>((resolve, reject) => {
        worker.on("message", (outcome: BeamOutcome) => {
          outcomes.push(outcome);
          if (process.stderr.isTTY) process.stderr.write(`\r${outcomes.length} of ${seeds.length}`);
        });
        worker.on("error", reject);
        worker.on("exit", () => resolve());
      });
    }),
  );
  if (process.stderr.isTTY) process.stderr.write("\n");
  finish();
}

if (isMainThread) await main();
else {
  const { scenario, seeds } = workerData as Share;
  for (const seed of seeds) parentPort?.postMessage(measureBeam(scenarioOf(scenario, seed), seed));
}
