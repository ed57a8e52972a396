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
  const text = decodeText(bytes);
  const layout = layoutOf(text);
  const { parse } = await import("csv-parse/sync");
  let records: { record: string[]; info: { lines: number } }[];
  try {
    records = parse(layout.delimiter === " " ? text.replace(/[^\S\r\n]+/g, " ") : text, {
      bom: true,
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
  const rows = records
    .filter(({ record }) => !/^[#%]/.test(record[0] ?? ""))
    .map(({ record, info }) => ({ fields: withoutOuterBlanks(record, layout), line: info.lines }))
    .filter(({ fields }) => fields.some((field) => field !== ""));
  const notes: string[] = [];
  const number = layout.decimalComma ? NUMBER_WITH_COMMA : NUMBER;
  const first = rows[0];
  if (first !== undefined && !first.fields.some((field) => number.test(field) || NOT_FINITE.test(field))) {
    if (rows.length === 1) {
      throw new FileError(
        path,
        `line ${first.line}, column 1: "${shortened(first.fields[0])}" is not a number; expected a matrix of numbers`,
      );
    }
    rows.shift();
    notes.push(`line ${first.line} taken for a header`);
  }
  const width = rows[0]?.fields.length ?? 0;
  const problem = sizeProblem(width, rows.length, 0, 0);
  if (problem !== undefined || rows.length * width === 0) {
    throw new FileError(path, "no numbers in the file; expected a matrix of at least 1 × 1");
  }

  const values = new Float64Array(width * rows.length);
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 65535;
  rows.forEach(({ fields, line }, row) => {
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
      values[row * width + column] = value;
    });
  });
  return {
    format: "text matrix",
    width_px: width,
    height_px: rows.length,
    channels: 1,
    samples: values.every(isCount) ? Uint16Array.from(values) : values,
    notes,
  };
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
