import { randomBytes } from "node:crypto";

/*
 * The handle that `bench_open` gives carries, behind the handle of the run, a mark of whoever opened it. So two agents on one bench
 * stay two callers, also where the protocol has no connections, and an agent that connects anew with its handle stays the same one.
 */
const SEPARATOR = "~";

/** Opaque, 192 bits, in characters that need no escaping in a URI. */
export function newRunHandle(): string {
  return `run-${randomBytes(24).toString("base64url")}`;
}

export function newCallerMark(): string {
  return randomBytes(16).toString("base64url");
}

export interface HeldHandle {
  /** The handle of the run, as the bench knows it. */
  readonly run: string;
  /** Who got the handle. */
  readonly mark?: string;
}

export function readHandle(handle: string): HeldHandle {
  const at = handle.lastIndexOf(SEPARATOR);
  if (at < 0) return { run: handle };
  return { run: handle.slice(0, at), mark: handle.slice(at + 1) };
}

export function markedHandle(run: string, mark: string): string {
  return `${run}${SEPARATOR}${mark}`;
}

/** Puts the handle that the caller holds where a bench's answer has its own. */
export function withHandle<Output extends object>(output: Output, own: string, held: string): Output {
  if (own === held) return output;
  const replaced = { ...output } as Record<string, unknown>;
  if (replaced["run"] === own) replaced["run"] = held;
  const uri = replaced["frame_uri"];
  if (typeof uri === "string") replaced["frame_uri"] = uri.replace(runUri(own), runUri(held));
  const result = replaced["result"];
  if (typeof result === "object" && result !== null) replaced["result"] = withHandle(result, own, held);
  return replaced as Output;
}

/** Where the resources of a run begin. */
export function runUri(handle: string): string {
  return `bench://run/${handle}/`;
}
