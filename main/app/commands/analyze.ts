import { type Command, InvalidArgumentError, Option } from "commander";
import {
  analyzeFrame,
  type BackgroundMethod,
  type DarkReference,
  type FrameAnalysis,
} from "../../analysis/analyze-frame.ts";
import { toWidthFields } from "../../analysis/to-width-fields.ts";
import type { ChannelChoice } from "../../files/colour-channel.ts";
import { cropImage, type PixelRectangle } from "../../files/crop-image.ts";
import { FileError } from "../../files/file-error.ts";
import { type ImageFile, readDark, readImage } from "../../files/read-image.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { numberOption } from "../option-values.ts";
import { printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface AnalyzeOptions {
  readonly pixelUm: number;
  readonly dark?: string;
  readonly background?: BackgroundMethod;
  readonly bits?: number;
  readonly crop?: PixelRectangle;
  readonly channel?: ChannelChoice;
  readonly json?: true;
  readonly csv?: true;
}

const EXAMPLE = `
Widths are full d4σ diameters with standard uncertainties; x is the principal axis closer to the rows. Pixels of a cropped
image count from the crop's own corner. A refused frame has no widths and says why. With --background threshold the
widths are always given, for comparison with other programs; grade, flags and reasons say what is wrong with the frame.

Exit status: 0 when every image was read, whatever its grade; 2 when an image or the dark could not be read or the
command line is wrong. Scripts look at "grade" in --json or --csv.

Example:
  $ caustic analyze beam.pgm --pixel-um 3.75 --dark dark.pgm
  $ caustic analyze colour.tif --pixel-um 5.2 --channel 0 --crop 500,250,500,500 --json`;

export function registerAnalyze(program: Command): void {
  program
    .command("analyze")
    .description("beam widths of image files: PGM, PNG, TIFF, BMP, or a matrix of numbers as CSV or text")
    .argument("<image...>", "image files, also packed by gzip")
    .requiredOption("--pixel-um <P>", "pixel pitch in µm", numberOption({ above: 0, most: 10_000 }))
    .option("--dark <file>", "dark frame taken at the same exposure")
    .addOption(
      new Option(
        "--background <method>",
        "how the background is removed (default: dark with --dark, else iso)",
      ).choices(["dark", "iso", "threshold"]),
    )
    .option("--bits <N>", "significant bits per sample", numberOption({ least: 8, most: 16, whole: true }))
    .option("--crop <X,Y,W,H>", "analyse this rectangle of pixels", parseCrop)
    .option("--channel <N>", "channel of a colour image, from 0, or luminance", parseChannel)
    .addOption(new Option("--json", "print an array of results as JSON").conflicts("csv"))
    .option("--csv", "print a table as CSV")
    .addHelpText("after", EXAMPLE)
    .action(analyze);
}

async function analyze(paths: readonly string[], options: AnalyzeOptions): Promise<void> {
  if (options.background === "dark" && options.dark === undefined) {
    throw new UsageError("--background dark needs a dark frame; expected --dark FILE");
  }
  if (options.dark !== undefined && options.background !== undefined && options.background !== "dark") {
    throw new UsageError(
      `--background ${options.background} uses no dark frame; expected --background dark or no --dark`,
    );
  }
  const rows: Row[] = [];
  for (const path of paths) {
    try {
      rows.push(await analyzeFile(path, options));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      printNote(`caustic: ${error.message}`);
      process.exitCode = 2;
    }
  }
  if (options.json) printJson(rows);
  else if (options.csv) printResult(csvTable(rows));
  else if (rows.length > 0) printResult(rows.map(asText).join("\n"));
}

async function analyzeFile(path: string, options: AnalyzeOptions): Promise<Row> {
  const { bits, channel, crop } = options;
  const whole = await readImage(path, {
    ...(bits === undefined ? {} : { bits }),
    ...(channel === undefined ? {} : { channel }),
  });
  const wholeDark = options.dark === undefined ? undefined : await readDark(options.dark, whole, channel);
  const { image, dark } =
    crop === undefined ? { image: whole, dark: wholeDark?.samples } : cropImage(whole, wholeDark?.samples, crop);
  if (image.simulated) printNote(`${path}: simulated, no photon was involved`);
  for (const note of image.notes) printNote(`${path}: ${note}`);
  for (const note of wholeDark?.notes ?? []) printNote(`${options.dark ?? ""}: ${note}`);
  const analysis = analyzeFrame(
    {
      samples: image.samples,
      width_px: image.width_px,
      height_px: image.height_px,
      bitDepth: image.bitDepth,
      pixelPitch_um: options.pixelUm,
      ...(dark === undefined ? {} : { dark: darkReference(dark, image.width_px) }),
    },
    {
      extraFindings: true,
      kernel: chooseKernel().kernel,
      ...(options.background === undefined ? {} : { method: options.background }),
    },
  );
  return toRow(path, image, analysis);
}

/** The noise of the dark is taken from the differences of neighbours, which see no slow structure. */
function darkReference(mean: Float32Array, width_px: number): DarkReference {
  let sum = 0;
  let pairs = 0;
  for (let i = 1; i < mean.length; i++) {
    if (i % width_px === 0) continue;
    sum += Math.abs((mean[i] as number) - (mean[i - 1] as number));
    pairs += 1;
  }
  // For normal noise the mean |difference| of two pixels is 2 σ / √π.
  return { mean, frames: 1, noise_counts: pairs === 0 ? 0 : ((sum / pairs) * Math.sqrt(Math.PI)) / 2 };
}

/** One entry of `analyze --json`; a width that the frame does not give is null. */
interface Row {
  readonly file: string;
  readonly width_px: number;
  readonly height_px: number;
  readonly centroid_x_px: number | null;
  readonly centroid_y_px: number | null;
  readonly d4sigma_x_um: number | null;
  readonly d4sigma_y_um: number | null;
  readonly u_x_um: number | null;
  readonly u_y_um: number | null;
  readonly d4sigma_sensor_x_um: number | null;
  readonly d4sigma_sensor_y_um: number | null;
  readonly azimuth_deg: number | null;
  readonly ellipticity: number | null;
  readonly peak_counts: number;
  readonly saturated_fraction: number;
  readonly iterations: number;
  readonly converged: boolean;
  readonly background: string;
  readonly grade: string;
  readonly reasons: readonly string[];
  readonly flags: readonly { readonly code: string; readonly value: number; readonly limit: number }[];
}

function toRow(file: string, image: ImageFile, analysis: FrameAnalysis): Row {
  const fields = toWidthFields(analysis);
  return {
    file,
    width_px: image.width_px,
    height_px: image.height_px,
    centroid_x_px: fields.centroid_x_px ?? null,
    centroid_y_px: fields.centroid_y_px ?? null,
    d4sigma_x_um: fields.d4sigma_x_um ?? null,
    d4sigma_y_um: fields.d4sigma_y_um ?? null,
    u_x_um: fields.u_x_um ?? null,
    u_y_um: fields.u_y_um ?? null,
    d4sigma_sensor_x_um: fields.d4sigma_sensor_x_um ?? null,
    d4sigma_sensor_y_um: fields.d4sigma_sensor_y_um ?? null,
    azimuth_deg: fields.azimuth_deg ?? null,
    ellipticity: fields.ellipticity ?? null,
    peak_counts: fields.peak_counts * image.unitsPerCount,
    saturated_fraction: fields.saturated_fraction,
    iterations: fields.iterations,
    converged: fields.converged,
    background: fields.background,
    grade: fields.grade,
    reasons: fields.reasons,
    flags: fields.flags,
  };
}

function asText(row: Row): string {
  const width = (value: number | null, u: number | null) =>
    value === null ? "–" : `${value.toFixed(1)} ± ${(u ?? 0).toFixed(1)} µm`;
  const lines = [`${row.file}  ${row.width_px} × ${row.height_px}  ${row.grade}, background: ${row.background}`];
  if (row.d4sigma_x_um !== null) {
    lines.push(
      `  d4σ x ${width(row.d4sigma_x_um, row.u_x_um)}   y ${width(row.d4sigma_y_um, row.u_y_um)}   azimuth ${row.azimuth_deg?.toFixed(1) ?? "–"}°   ellipticity ${row.ellipticity?.toFixed(3) ?? "–"}`,
      `  centroid ${row.centroid_x_px?.toFixed(2) ?? "–"}, ${row.centroid_y_px?.toFixed(2) ?? "–"} px   peak ${Number(row.peak_counts.toPrecision(5))} counts   saturated ${(100 * row.saturated_fraction).toFixed(3)} %`,
    );
  }
  for (const reason of row.reasons) lines.push(`  ${reason}`);
  return lines.join("\n");
}

function csvTable(rows: readonly Row[]): string {
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = (value: Row[keyof Row]): string => {
    if (value === null) return "";
    if (typeof value !== "object") return quoted(String(value));
    return quoted(
      value
        .map((item) => (typeof item === "string" ? item : `${item.code} ${item.value} (limit ${item.limit})`))
        .join("; "),
    );
  };
  return [COLUMNS.join(","), ...rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(","))].join("\n");
}

const COLUMNS = [
  "file",
  "width_px",
  "height_px",
  "centroid_x_px",
  "centroid_y_px",
  "d4sigma_x_um",
  "d4sigma_y_um",
  "u_x_um",
  "u_y_um",
  "d4sigma_sensor_x_um",
  "d4sigma_sensor_y_um",
  "azimuth_deg",
  "ellipticity",
  "peak_counts",
  "saturated_fraction",
  "iterations",
  "converged",
  "background",
  "grade",
  "reasons",
  "flags",
] as const satisfies readonly (keyof Row)[];

function parseCrop(text: string): PixelRectangle {
  const numbers = text.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN));
  const [x_px, y_px, width_px, height_px] = numbers;
  if (numbers.length !== 4 || numbers.some(Number.isNaN) || !width_px || !height_px) {
    throw new InvalidArgumentError("Expected four whole numbers X,Y,W,H with W and H of at least 1");
  }
  return { x_px: x_px as number, y_px: y_px as number, width_px, height_px };
}

function parseChannel(text: string): ChannelChoice {
  if (text === "luminance") return text;
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError("Expected a channel number from 0, or luminance");
  return Number(text);
}
