import { readFile } from "node:fs/promises";
import { FileError } from "./file-error.ts";

/** Width of one axis at one position. */
export interface TableWidth {
  readonly d_um: number;
  /** Present in every row or in none. */
  readonly u_um?: number;
}

export interface CausticTableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly z_mm: number;
  readonly x: TableWidth;
  /** Present in every row or in none. */
  readonly y?: TableWidth;
}

/** Widths along the beam as a person wrote them down. */
export interface CausticTable {
  readonly rows: readonly CausticTableRow[];
  /** What the reader did that the writer may not expect, in words. */
  readonly notes: readonly string[];
}

/** Columns by meaning; the first name is the one that messages use. Names are compared without case. */
const COLUMNS = {
  z: ["z_mm"],
  d: ["d_um"],
  dx: ["dx_um", "d_x_um", "dmajor_um", "d4sigma_x_um"],
  dy: ["dy_um", "d_y_um", "dminor_um", "d4sigma_y_um"],
  u: ["u_um", "u_d_um"],
  ux: ["u_dx_um", "u_x_um", "ux_um", "u_dmajor_um"],
  uy: ["u_dy_um", "u_y_um", "uy_um", "u_dminor_um"],
} as const;
type Meaning = keyof typeof COLUMNS;

/** Columns by which the window's table says that a measurement takes no part in the fit, with the word for it. */
const LEFT_OUT: Readonly<Record<string, string>> = { use: "rejected", grade: "refused" };

const EXPECTED = "a header with z_mm and d_um, or z_mm, dx_um and dy_um (and u_um, u_dx_um, u_dy_um where known)";

/**
 * Reads a table of widths along the beam: text with a header line, one position per line, separated by comma, semicolon,
 * tab or blanks, decimal point or (unless the comma separates) decimal comma; empty lines and lines that begin with # or %
 * are left out, and so are lines whose column `use` says rejected or whose column `grade` says refused. Positions in mm, full d4σ
 * widths and their standard uncertainties in µm.
 *
 * Throws `FileError` with line and column for a file that cannot be read, a missing or doubled column, a short line, and a
 * number that is not finite or, for widths and uncertainties, not positive.
 */
export async function readCausticTable(path: string): Promise<CausticTable> {
  const records = await readRecords(path, decodeText(await readBytes(path)));
  const [header, ...body] = records;
  if (header === undefined) throw new FileError(path, `an empty file where ${EXPECTED} was expected`);
  const { places, notes } = findColumns(path, header);
  if (body.length === 0) {
    throw new FileError(path, `line ${header.line}: no row of widths after the header; expected at least one`);
  }
  const leftOut = header.fields.map((field) => LEFT_OUT[field.toLowerCase()]);
  const kept = body.filter(({ fields }) => !fields.some((field, place) => field !== "" && field === leftOut[place]));
  if (kept.length === 0)
    throw new FileError(path, "every row is rejected or refused; expected at least one to be used");
  if (kept.length < body.length) {
    notes.push(`${body.length - kept.length} of ${body.length} rows are rejected or refused and left out`);
  }
  const rows = kept.map(({ fields, line }): CausticTableRow => {
    if (fields.length !== header.fields.length) {
      throw new FileError(
        path,
        `line ${line}: ${fields.length} ${fields.length === 1 ? "field" : "fields"}; expected ${header.fields.length} as in the header`,
      );
    }
    const number = (meaning: Meaning, positive: boolean): number => {
      const place = places.get(meaning) as number;
      const text = fields[place] as string;
      const value = toNumber(text);
      if (value === undefined || (positive && value <= 0)) {
        const found = text === "" ? "an empty field" : `"${text.slice(0, 40)}"`;
        const column = header.fields[place] as string;
        throw new FileError(
          path,
          `line ${line}, column ${column}: ${found} where a ${positive ? "positive" : "finite"} number was expected`,
        );
      }
      return value;
    };
    const width = (d: Meaning, u: Meaning): TableWidth => ({
      d_um: number(d, true),
      ...(places.has(u) ? { u_um: number(u, true) } : {}),
    });
    const z_mm = number("z", false);
    return places.has("d")
      ? { line, z_mm, x: width("d", "u") }
      : { line, z_mm, x: width("dx", "ux"), y: width("dy", "uy") };
  });
  return { rows, notes };
}

interface TextRecord {
  readonly fields: readonly string[];
  readonly line: number;
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reasons: Record<string, string> = {
      ENOENT: "no such file",
      EISDIR: "a folder where a table file was expected",
      EACCES: "no permission to read",
    };
    throw new FileError(path, reasons[String(code)] ?? `cannot be read (${String(code ?? error)})`);
  }
}

function decodeText(bytes: Uint8Array): string {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = !utf16 ? "utf-8" : bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  return new TextDecoder(encoding).decode(bytes);
}

/** Lines as fields. The separator is the one that the header uses. */
async function readRecords(path: string, text: string): Promise<TextRecord[]> {
  if (text.includes("\0")) throw new FileError(path, `a binary file where ${EXPECTED} was expected`);
  const header = text.split(/\r\n|\r|\n/).find((line) => line.trim() !== "" && !isComment(line)) ?? "";
  const delimiter = [";", "\t", ","].find((candidate) => header.includes(candidate)) ?? " ";
  const { parse } = await import("csv-parse/sync");
  let records: { record: string[]; info: { lines: number } }[];
  try {
    records = parse(delimiter === " " ? text.replace(/[^\S\r\n]+/g, " ") : text, {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as typeof records;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new FileError(path, `not a table of text (${reason}); expected ${EXPECTED}`);
  }
  return records
    .map(({ record, info }) => ({
      fields: delimiter === " " ? record.filter((field) => field !== "") : record,
      line: info.lines,
    }))
    .filter(({ fields }) => fields.some((field) => field !== "") && !isComment(fields[0] ?? ""));
}

function isComment(text: string): boolean {
  return /^\s*[#%]/.test(text);
}

function findColumns(path: string, header: TextRecord): { places: Map<Meaning, number>; notes: string[] } {
  const places = new Map<Meaning, number>();
  const notes: string[] = [];
  const refuse = (what: string): never => {
    throw new FileError(path, `line ${header.line}: ${what}; expected ${EXPECTED}`);
  };
  header.fields.forEach((field, place) => {
    const name = field.toLowerCase();
    const meaning = (Object.keys(COLUMNS) as Meaning[]).find((key) =>
      (COLUMNS[key] as readonly string[]).includes(name),
    );
    if (meaning === undefined) {
      if (field !== "" && LEFT_OUT[name] === undefined) notes.push(`column ${field} is not used`);
    } else if (places.has(meaning)) refuse(`two columns for ${COLUMNS[meaning][0]}`);
    else places.set(meaning, place);
  });
  if (places.size === 0 && header.fields.some((field) => toNumber(field) !== undefined)) {
    refuse("numbers where the names of the columns should be");
  }
  if (!places.has("z")) refuse("no column z_mm");
  const pair = places.has("dx") || places.has("dy");
  if (places.has("d") && pair) refuse("both d_um and a width per axis");
  if (!places.has("d") && !pair) refuse("no column d_um");
  for (const [meaning, wanted] of [
    ["dx", pair],
    ["dy", pair],
    ["ux", places.has("uy")],
    ["uy", places.has("ux")],
  ] as const) {
    if (wanted && !places.has(meaning)) refuse(`no column ${COLUMNS[meaning][0]}`);
  }
  if (pair && places.has("u")) refuse("one column of uncertainties for two of widths");
  if (!pair && places.has("ux")) refuse("uncertainties of two axes for one column of widths");
  return { places, notes };
}

/** A finite number with decimal point or comma; undefined for anything else. */
function toNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}
