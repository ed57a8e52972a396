import type { Command } from "commander";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import { createSimulatedBench, type SimulatedBench } from "../../../simulators/instruments/simulated-bench.ts";
import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { writeImage } from "../../files/write-image.ts";
import { numberOption } from "../option-values.ts";
import { fastestReadout } from "../frame-loops.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { ProgressBar, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface SimulateOptions {
  readonly scenario: string;
  readonly seed: number;
  readonly z: number;
  readonly exposure: number;
  readonly frames: number;
  readonly dark?: true;
  readonly out: string;
}

export function registerSimulate(program: Command): void {
  program
    .command("simulate")
    .description("frames of the simulated camera, as 16-bit TIFF (one page per frame) or PNG (one frame)")
    .requiredOption("--scenario <name>", "which beam, or random_scenario")
    .requiredOption(
      "--seed <N>",
      "decides all noise",
      numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }),
    )
    .requiredOption("--z <mm>", "position of the camera in mm", numberOption())
    .requiredOption("--exposure <ms>", "exposure in ms", numberOption({ above: 0 }))
    .option("--frames <N>", "number of frames", numberOption({ least: 1, most: 1000, whole: true }), 1)
    .option("--dark", "block the beam")
    .requiredOption("--out <file>", "file to write: .tiff, .tif or .png")
    .addHelpText(
      "after",
      `
The file says in its description that it is simulated, and from which scenario, seed and position it comes.

Example:
  $ caustic simulate --scenario clean --seed 1 --z 90 --exposure 4 --out beam.tiff
  $ caustic simulate --scenario clean --seed 1 --z 90 --exposure 4 --dark --out dark.tiff
  $ caustic analyze beam.tiff --dark dark.tiff --pixel-um 5.5`,
    )
    .action(simulate);
}

async function simulate(options: SimulateOptions): Promise<void> {
  const { seed, out } = options;
  const scenario = simulatedScenario(options.scenario, seed);
  const bench = createSimulatedBench({ scenario, seed, clock: new SimulatedClock(), ...fastestReadout() });
  const { frames, position_mm, exposure_ms } = await takeFrames(bench, options);
  const { pixelPitch_um, width_px, height_px, bitDepth } = bench.camera.info;
  await writeImage(out, frames, pixelPitch_um, {
    program: "caustic",
    simulated: true,
    scenario: options.scenario,
    seed,
    z_mm: position_mm,
    exposure_ms,
    beam: options.dark ? "blocked" : "open",
  });
  printResult(
    `${out}: ${frames.length} simulated ${frames.length === 1 ? "frame" : "frames"} of ${width_px} × ${height_px} pixels of ${pixelPitch_um} µm, ${bitDepth} bits, at z ${position_mm} mm, ${exposure_ms} ms${options.dark ? ", beam blocked" : ""}`,
  );
}

async function takeFrames(
  { stage, camera, shutter }: SimulatedBench,
  { z, exposure, frames: count, dark }: SimulateOptions,
): Promise<{ frames: Frame[]; position_mm: number; exposure_ms: number }> {
  checkBounds("--z", z, stage.info.travelMin_mm, stage.info.travelMax_mm, "mm");
  checkBounds("--exposure", exposure, camera.info.exposureMin_ms, camera.info.exposureMax_ms, "ms");
  await stage.home();
  const { position_mm = z } = await stage.moveTo(z);
  const exposure_ms = await camera.setExposure(exposure);
  await shutter.setOpen(dark !== true);
  const bar = new ProgressBar("simulating");
  const frames: Frame[] = [];
  for (let frame = 0; frame < count; frame++) {
    bar.show(frame / count, `frame ${frame + 1} of ${count}`);
    const purpose = dark ? "dark" : "measurement";
    frames.push(await camera.acquire({ label: { purpose, acquisition: 0, frame } }));
  }
  bar.end();
  return { frames, position_mm, exposure_ms };
}

function checkBounds(option: string, value: number, least: number, most: number, unit: string): void {
  if (value >= least && value <= most) return;
  throw new UsageError(`${option} ${value} is outside the bench; expected ${least} to ${most} ${unit}`);
}
