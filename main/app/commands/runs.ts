import type { Command } from "commander";
import { frameWorkHere } from "../../bench/frame-work.ts";
import { BenchError } from "../../contract/error-codes.ts";
import { counted } from "../../evaluation/report/figures-text.ts";
import { writeImage } from "../../files/write-image.ts";
import type { StoredRun } from "../../store/run-folder.ts";
import { type RunFilter, RunIndex } from "../../store/run-index.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { type FrameOfRun, KeptFrames } from "../kept-frames/kept-frames.ts";
import { keptRun } from "../kept-run.ts";
import { numberOption } from "../option-values.ts";
import { runTranscript } from "../run-transcript.ts";
import { printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface ListOptions {
  readonly root: string;
  readonly search?: string;
  readonly limit: number;
  readonly rebuild?: true;
  readonly json?: true;
}

const HELP = `
Example:
  $ caustic runs
  $ caustic runs list --search "clean scripted" --json
  $ caustic runs show clean-7-scripted-e9d8c1
  $ caustic runs export clean-7-scripted-e9d8c1 > measurements.csv
  $ caustic runs frames clean-7-scripted-e9d8c1 m003 --out m003.tiff`;

const FRAMES_HELP = `
Frames of a simulated run that were not kept are made again from the run's folder. They are written only when all frames of the
measurement together have the SHA-256 that the journal holds.

Exit status 1 when the frames were not kept and cannot be made again, with the reason.

Example:
  $ caustic runs frames clean-7-scripted-e9d8c1 m003 --out m003.tiff
  $ caustic analyze m003.tiff --pixel-um 5.5`;

/** Columns of an exported run, by their names on the wire. */
const COLUMNS = [
  "measurement",
  "use",
  "z_requested_mm",
  "z_actual_mm",
  "exposure_ms",
  "frames",
  "d4sigma_sensor_x_um",
  "d4sigma_sensor_y_um",
  "azimuth_deg",
  "ellipticity",
  "centroid_x_px",
  "centroid_y_px",
  "peak_counts",
  "saturated_fraction",
  "grade",
] as const;

/** Adds `caustic runs`. */
export function registerRuns(program: Command): void {
  const runs = program.command("runs").description("the kept runs").addHelpText("after", HELP);
  runs
    .command("list", { isDefault: true })
    .description("the runs, newest first")
    .option("--root <folder>", "where runs are kept", RUNS_FOLDER)
    .option("--search <words>", "only runs in which all these words occur")
    .option("--limit <N>", "at most so many", numberOption({ least: 1, most: 100_000, whole: true }), 50)
    .option("--rebuild", "make the index anew from the folders")
    .option("--json", "print as JSON")
    .action(list);
  runs
    .command("show")
    .description("one run in words")
    .argument("<run>", "folder or id of a run")
    .option("--root <folder>", "where runs are kept", RUNS_FOLDER)
    .option("--json", "print run.json and all events as JSON")
    .action((name: string, options: { readonly root: string; readonly json?: true }) => {
      const run = keptRun(name, options.root);
      if (options.json === true) printJson({ record: run.record, state: run.state, events: run.events });
      else for (const line of runTranscript(run.events)) printResult(line);
    });
  runs
    .command("export")
    .description("the measurements of a run as a CSV table that `caustic fit` reads")
    .argument("<run>", "folder or id of a run")
    .option("--root <folder>", "where runs are kept", RUNS_FOLDER)
    .option("--all", "also rejected measurements and those without widths")
    .action((name: string, options: { readonly root: string; readonly all?: true }) => {
      for (const line of measurementTable(name, options.root, options.all === true)) printResult(line);
    });
  runs
    .command("frames")
    .description("the raw frames of a measurement or dark as 16-bit TIFF, one page per frame; of one frame also as PNG")
    .argument("<run>", "folder or id of a run")
    .argument("<id>", "measurement or dark, as in m003 or d001")
    .requiredOption("--out <file>", "file to write: .tiff, .tif or .png")
    .option("--frame <N>", "that one alone, counted from 1", numberOption({ least: 1, most: 1000, whole: true }))
    .option("--root <folder>", "where runs are kept", RUNS_FOLDER)
    .addHelpText("after", FRAMES_HELP)
    .action(frames);
}

interface FramesOptions {
  readonly out: string;
  readonly frame?: number;
  readonly root: string;
}

/** Writes frames that were kept, or are made again. */
async function frames(name: string, id: string, { out, frame, root }: FramesOptions): Promise<void> {
  const run = keptRun(name, root);
  const { kernel } = chooseKernel();
  const kept = new KeptFrames({ work: frameWorkHere(kernel) });
  try {
    const found = await framesOf(kept, run, id, frame);
    const [{ frame: first, pixelPitch_um, count }] = found;
    await writeImage(
      out,
      found.map((one) => one.frame),
      pixelPitch_um,
      { program: "caustic", simulated: first.simulated, run: run.record.id, id, exposure_ms: first.exposure_ms },
    );
    const which = found.length === count ? counted(count, "frame") : `frame ${frame ?? count} of ${count}`;
    printResult(`${out}: ${which} of ${id}, ${first.width_px} × ${first.height_px} pixels, ${first.exposure_ms} ms`);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    // What was asked for wrongly ends with status 2; frames that cannot be had are an answer.
    if (error.code === "unknown_id" || error.code === "bad_argument") throw new UsageError(`${name}: ${error.message}`);
    printNote(`${name}: ${error.message}`);
    process.exitCode = 1;
  } finally {
    kept.close();
  }
}

/** The frame of that number, counted from 1, or all of them in order. */
async function framesOf(
  kept: KeptFrames,
  run: StoredRun,
  id: string,
  number: number | undefined,
): Promise<[FrameOfRun, ...FrameOfRun[]]> {
  const first = await kept.frame(run, id, (number ?? 1) - 1);
  const found: [FrameOfRun, ...FrameOfRun[]] = [first];
  if (number !== undefined) return found;
  for (let index = 1; index < first.count; index++) found.push(await kept.frame(run, id, index));
  return found;
}

function list(options: ListOptions): void {
  const index = new RunIndex(options.root);
  try {
    if (options.rebuild === true) index.rebuild();
    else index.refresh();
    const filter: RunFilter = {
      limit: options.limit,
      ...(options.search === undefined ? {} : { search: options.search }),
    };
    const found = index.list(filter);
    if (options.json === true) {
      printJson(found);
      return;
    }
    if (found.length === 0) printResult(`No runs in ${options.root}. "caustic measure" makes one.`);
    for (const run of found) {
      const m2 =
        run.m2_x === undefined || run.m2_y === undefined
          ? "M² –"
          : `M² ${run.m2_x.toFixed(3)} / ${run.m2_y.toFixed(3)}`;
      printResult(
        `${run.id.padEnd(44)} ${run.state.padEnd(12)} ${(run.verdict ?? "–").padEnd(24)} ${m2.padEnd(20)} ${counted(run.measurements, "measurement")}`,
      );
    }
  } finally {
    index.close();
  }
}

function measurementTable(name: string, root: string, all: boolean): string[] {
  const { events } = keptRun(name, root);
  const use = new Map<string, string>();
  for (const event of events) if (event.type === "measurement_use_changed") use.set(event.measurement, event.use);
  const rows = events
    .flatMap((event) => (event.type === "measurement_taken" ? [event.measurement] : []))
    .map((row) => ({ ...row, use: use.get(row.measurement) ?? row.use }))
    .filter((row) => all || (row.use === "used" && row.d4sigma_x_um !== undefined && row.d4sigma_y_um !== undefined));
  return [
    ["z_mm,dx_um,u_dx_um,dy_um,u_dy_um", ...COLUMNS].join(","),
    ...rows.map((row) => {
      const fit = [row.z_actual_mm, row.d4sigma_x_um ?? "", row.u_x_um ?? "", row.d4sigma_y_um ?? "", row.u_y_um ?? ""];
      return [...fit, ...COLUMNS.map((key) => row[key] ?? "")].join(",");
    }),
  ];
}
