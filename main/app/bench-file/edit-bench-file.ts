import { parseDocument } from "yaml";

/** One field of a bench file: where it is, and its value from now on; undefined takes it away. */
export interface BenchFileEdit {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

/**
 * The text of a bench file with some of its fields changed. Comments, order and everything that is not named stay as they
 * are. The text must be YAML; whether the result is a bench is the reader's question.
 */
export function editBenchFile(text: string, edits: readonly BenchFileEdit[]): string {
  const document = parseDocument(text);
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else if (typeof value === "object") document.setIn(path, document.createNode(value, { flow: isFlat(value) }));
    else document.setIn(path, value);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** A map of single values is written on one line, a list of such maps below each other. */
function isFlat(value: object | null): boolean {
  return value !== null && !Array.isArray(value) && Object.values(value).every((entry) => typeof entry !== "object");
}
