import { fromHex, toHex } from "./byte-text.ts";

/** One event of a recorded line. */
export type TraceEntry =
  | { readonly t_ms: number; readonly kind: "open" }
  | { readonly t_ms: number; readonly kind: "close"; readonly reason: string }
  | { readonly t_ms: number; readonly kind: "sent" | "received"; readonly bytes: Uint8Array };

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
}

/** One JSON line: `{"t_ms":12.5,"sent":"2f 31 0a","text":"/1·"}`. The text is for the reader alone. */
export function formatTraceEntry(entry: TraceEntry): string {
  const t_ms = Math.round(entry.t_ms * 1000) / 1000;
  switch (entry.kind) {
    case "open":
      return JSON.stringify({ t_ms, open: true });
    case "close":
      return JSON.stringify({ t_ms, close: entry.reason });
    default:
      return JSON.stringify({ t_ms, [entry.kind]: toHex(entry.bytes), text: printable(entry.bytes) });
  }
}

/** Reads a recording. Throws a SyntaxError that names the line. */
export function parseTrace(text: string): TraceEntry[] {
  const entries: TraceEntry[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") {
      continue;
    }
    try {
      entries.push(parseEntry(JSON.parse(line)));
    } catch (error) {
      throw new SyntaxError(`line ${index + 1} of the recording: ${error instanceof Error ? error.message : ""}`, {
        cause: error,
      });
    }
  }
  return entries;
}

function parseEntry(value: unknown): TraceEntry {
  if (typeof value !== "object" || value === null || !("t_ms" in value) || typeof value.t_ms !== "number") {
    throw new SyntaxError("expected an object with t_ms");
  }
  const { t_ms } = value;
  if ("open" in value) {
    return { t_ms, kind: "open" };
  }
  if ("close" in value && typeof value.close === "string") {
    return { t_ms, kind: "close", reason: value.close };
  }
  if ("sent" in value && typeof value.sent === "string") {
    return { t_ms, kind: "sent", bytes: fromHex(value.sent) };
  }
  if ("received" in value && typeof value.received === "string") {
    return { t_ms, kind: "received", bytes: fromHex(value.received) };
  }
  throw new SyntaxError("expected open, close, sent or received");
}
