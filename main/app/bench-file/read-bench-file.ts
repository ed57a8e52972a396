import { readFileSync } from "node:fs";
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { z } from "zod";
import { type BenchFile, benchFileSchema, contradictions } from "../../contract/bench-file.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { UsageError } from "../usage-error.ts";
import { isEmulated, readEmulatedAddress } from "./emulated-address.ts";
import { isEmulatedCamera, readEmulatedCameraAddress } from "./open-camera.ts";

/** One mistake in a bench file. Line and column count from 1. */
export interface BenchFileProblem {
  readonly line: number;
  readonly column: number;
  /** As in `instruments.stage.microstep_um`; empty where the text is no YAML. */
  readonly field: string;
  /** What was expected, and what stands there. */
  readonly message: string;
}

/** A bench file that cannot be used; the message names every mistake with its place. */
export class BenchFileError extends UsageError {
  readonly problems: readonly BenchFileProblem[];

  constructor(file: string, problems: readonly BenchFileProblem[]) {
    const places = problems.map(
      ({ line, column, field, message }) =>
        `line ${line}, column ${column}${field === "" ? "" : `, ${field}`}: ${message}`,
    );
    super(
      problems.length === 1 ? `${file}, ${places[0]}` : `${file} has ${problems.length} mistakes: ${places.join("; ")}`,
    );
    this.problems = problems;
  }
}

/**
 * Reads a bench file.
 *
 * @throws BenchFileError naming line, column, field and what was expected; UsageError where there is no such file.
 */
export function readBenchFile(path: string): BenchFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseBenchFile(text, path);
}

/** The bench in a text; `file` is named in the error. Throws BenchFileError. */
export function parseBenchFile(text: string, file: string): BenchFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0) {
    throw new BenchFileError(
      file,
      document.errors.map(({ pos, message }) => ({ ...place(pos[0]), field: "", message: `not YAML: ${message}` })),
    );
  }
  const value = valueOf(document, (problem) => new BenchFileError(file, [{ ...place(0), ...problem }]));
  const checked = benchFileSchema.safeParse(value);
  const unknown = unknownNames(value);
  if (checked.success && unknown.length === 0) return checked.data;
  const issues = checked.error?.issues ?? [];
  // What contradicts itself is looked for by the schema only where every field by itself is right.
  const further =
    issues.some((issue) => issue.code === "custom") || typeof value !== "object" || value === null
      ? []
      : contradictions(value);
  const mistakes = [...issues.flatMap((issue) => eachField(issue)), ...further, ...unknown];
  const problems = mistakes
    // One mistake of a field may break several of its rules; the first says enough.
    .filter(({ path }, index) => mistakes.findIndex((other) => fieldName(other.path) === fieldName(path)) === index)
    .map(({ path, message }) => ({
      ...place(offsetOf(document, path)),
      field: path.length === 0 ? "the file" : fieldName(path),
      message: `${message}, found ${foundText(valueAt(value, path))}`,
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
  throw new BenchFileError(file, problems);
}

type Path = readonly PropertyKey[];

/** The value that the text describes, unless its aliases have no end. */
function valueOf(document: Document.Parsed, refuse: (problem: Pick<BenchFileProblem, "field" | "message">) => Error) {
  try {
    const value: unknown = document.toJS();
    JSON.stringify(value);
    return value;
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw refuse({ field: "", message: `the aliases (*name) of this YAML multiply or contain themselves (${why})` });
  }
}

/** What can be emulated or simulated is not known to the schema; the rest of a file may have mistakes of its own. */
function unknownNames(value: unknown): { path: Path; message: string }[] {
  const found: { path: Path; message: string }[] = [];
  const check = (path: Path, read: (text: string) => unknown): void => {
    const text = valueAt(value, path);
    if (typeof text !== "string") return;
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      found.push({ path, message: error.message });
    }
  };
  const stage = (address: string): unknown => isEmulated({ address }) && readEmulatedAddress(address);
  check(["instruments", "stage", "address"], stage);
  check(["instruments", "shutter", "stage", "address"], stage);
  check(
    ["instruments", "camera", "address"],
    (address) => isEmulatedCamera({ address }) && readEmulatedCameraAddress(address),
  );
  check(["instruments", "camera", "scenario"], (name) => simulatedScenario(name, 0));
  return found;
}

/** One entry per field: unknown keys come in a bundle. */
function eachField(issue: z.core.$ZodIssue): { path: Path; message: string }[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: "there is no such field" }));
  }
  return [{ path: issue.path, message: expectation(issue) }];
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union" && "options" in issue && Array.isArray(issue.options)) {
    return `expected one of ${issue.options.map(String).join(", ")}`;
  }
  return issue.message
    .replace(/^(?:Invalid (?:input|option|string)|Too (?:small|big)): /, "")
    .replace(/, received .*$/, "");
}

function fieldName(path: Path): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
    .join("");
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function foundText(value: unknown): string {
  if (value === undefined) return "nothing";
  // JSON has no word for .nan and .inf.
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

/** Where a field stands in the text: its key; for a field that is missing, the nearest thing above it. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = startOf(document.contents) ?? 0;
  for (const key of path) {
    const next = childOf(node, key);
    if (next === undefined) break;
    offset = startOf(next.at) ?? offset;
    node = next.node;
  }
  return offset;
}

function childOf(node: unknown, key: PropertyKey): { node: unknown; at: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key);
    return pair === undefined ? undefined : { node: pair.value, at: pair.key };
  }
  if (isSeq(node) && typeof key === "number" && node.items[key] !== undefined) {
    return { node: node.items[key], at: node.items[key] };
  }
  return undefined;
}

function startOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null | undefined)?.range?.[0];
}
