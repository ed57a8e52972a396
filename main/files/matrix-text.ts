import { FileError } from "./file-error.ts";
import { type Raster, sizeProblem } from "./raster.ts";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const NUMBER_WITH_COMMA = /^[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?$/;
const NOT_FINITE = /^[+-]?(nan|inf|infinity|#n\/a|1\.#\w+)$/i;

interface Layout {
  readonly delimiter: "," | ";" | "\t" | " ";
  readonly decimalComma: boolean;
}

/** Whether the bytes read as text: no control characters but white space in the first 4 kB. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (isUtf16(bytes)) return true;
  return bytes.subarray(0, 4096).every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/**
 * Reads a matrix of numbers as text, one row of the image per line: separated by commas, semicolons, tabs or spaces,
 * with decimal point or comma, at most one header line, lines that begin with # or % left out. Whole numbers from 0 to
 * 65535 are counts; anything else comes back as floating point.
 */
export async function readMatrixText(path: string, bytes: Uint8Array): Promise<Raster> {
  const text = decodeText(bytes).replace(/^\uFEFF/, "");
  const layout = layoutOf(text);
  const number = layout.decimalComma ? NUMBER_WITH_COMMA : NUMBER;
  const notes: string[] = [];
  const values: number[] = [];
  let width = 0;
  let height = 0;
  for (const { fields, line } of await rowsOf(path, text, layout)) {
    if (height === 0 && notes.length === 0 && !fields.some((field) => number.test(field) || NOT_FINITE.test(field))) {
      notes.push(`line ${line} taken for a header`);
      continue;
    }
    if (height === 0) width = fields.length;
    if (fields.length !== width) {
      throw new FileError(
        path,
        `line ${line}, column ${Math.min(fields.length, width) + 1}: ${fields.length} values; expected ${width} as in the rows above`,
      );
    }
    fields.forEach((field, column) => {
      const value = number.test(field) ? Number(layout.decimalComma ? field.replace(",", ".") : field) : Number.NaN;
      if (!Number.isFinite(value)) {
        const what = field === "" ? "an empty field" : `"${shortened(field)}"`;
        throw new FileError(path, `line ${line}, column ${column + 1}: ${what} where a finite number was expected`);
      }
      values.push(value);
    });
    height += 1;
  }
  if (height === 0) {
    const header = notes.length > 0 ? " but a header" : "";
    throw new FileError(path, `no numbers in the file${header}; expected a matrix of at least 1 × 1`);
  }
  const problem = sizeProblem(width, height, 0, 0);
  if (problem !== undefined) throw new FileError(path, problem);
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 65535;
  return {
    format: "text matrix",
    width_px: width,
    height_px: height,
    channels: 1,
    samples: values.every(isCount) ? Uint16Array.from(values) : Float64Array.from(values),
    notes,
  };
}

interface TextRow {
  readonly fields: readonly string[];
  readonly line: number;
}

/**
 * The rows that are neither blank nor comments. Without quotes a line is a row and its fields lie between separators; only
 * text with quotes needs the grammar of CSV, which takes ten times as long on a megapixel.
 */
async function rowsOf(path: string, text: string, layout: Layout): Promise<Iterable<TextRow>> {
  if (!text.includes('"')) return plainRows(text, layout);
  const { parse } = await import("csv-parse/sync");
  let records: { readonly record: string[]; readonly info: { readonly lines: number } }[];
  try {
    records = parse(layout.delimiter === " " ? text.replace(/[^\S\r\n]+/g, " ") : text, {
      delimiter: layout.delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as typeof records;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError(path, `not a table of numbers (${reason.split("\n")[0] ?? ""})`);
  }
  return records
    .map(({ record, info }) => ({ fields: withoutOuterBlanks(record, layout), line: info.lines }))
    .filter(isContent);
}

function* plainRows(text: string, layout: Layout): Generator<TextRow> {
  let line = 0;
  for (const content of text.split(/\r\n|\r|\n/)) {
    line += 1;
    const fields = content.trim().split(layout.delimiter === " " ? /\s+/ : layout.delimiter);
    const row = {
      fields: withoutOuterBlanks(
        fields.map((field) => field.trim()),
        layout,
      ),
      line,
    };
    if (isContent(row)) yield row;
  }
}

function isContent({ fields }: TextRow): boolean {
  return !/^[#%]/.test(fields[0] ?? "") && fields.some((field) => field !== "");
}

function decodeText(bytes: Uint8Array): string {
  const encoding = !isUtf16(bytes) ? "utf-8" : bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  return new TextDecoder(encoding).decode(bytes);
}

/** Judges the separator from the last of the first lines, so that a header in words does not decide. */
function layoutOf(text: string): Layout {
  const lines = text
    .slice(0, 200_000)
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "" && !/^\s*[#%]/.test(line))
    .slice(0, 5);
  const sample = lines.at(-1)?.trim() ?? "";
  if (sample.includes(";")) return { delimiter: ";", decimalComma: sample.includes(",") };
  if (sample.includes("\t")) return { delimiter: "\t", decimalComma: sample.includes(",") };
  const words = sample.split(/\s+/);
  const withComma = words.filter((word) => word.includes(","));
  if (
    words.length > 1 &&
    withComma.length > 0 &&
    words.every((word) => NUMBER_WITH_COMMA.test(word) && !word.endsWith(","))
  ) {
    return { delimiter: " ", decimalComma: true };
  }
  return { delimiter: sample.includes(",") ? "," : " ", decimalComma: false };
}

/** A separator at the end of a line closes it and opens no further column; blanks around a line are none either. */
function withoutOuterBlanks(fields: string[], layout: Layout): string[] {
  if (layout.delimiter === " ") return fields.filter((field) => field !== "");
  return fields.length > 1 && fields.at(-1) === "" ? fields.slice(0, -1) : fields;
}

function shortened(field: string | undefined): string {
  const text = field ?? "";
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
