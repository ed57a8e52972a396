import { type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Benches } from "../bench/benches.ts";
import type { BenchSession } from "../bench/bench-session.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { BenchEvent } from "../contract/events.ts";
import { readHandle, runUri } from "./run-handle.ts";

/** Writes a raw frame as a 16-bit TIFF. */
export type FrameFile = (frame: ReturnType<BenchSession["frame"]>, session: BenchSession) => Uint8Array;

const FRAME = {
  name: "frame",
  title: "Raw frame",
  uriTemplate: "bench://run/{run}/frame/{id}",
  description: "The last raw frame of a measurement, dark or view as a 16-bit TIFF; the id latest is the newest one",
  mimeType: "image/tiff",
};
const CAUSTIC = {
  name: "caustic",
  title: "Caustic",
  uriTemplate: "bench://run/{run}/caustic",
  description: "The present fit of the measurements in use",
  mimeType: "application/json",
};
const LOG = {
  name: "log",
  title: "Log",
  uriTemplate: "bench://run/{run}/log",
  description: "Every event of the run so far, one JSON document a line",
  mimeType: "application/x-ndjson",
};

const URI = /^bench:\/\/run\/([^/]{1,300})\/(caustic|log|frame\/([A-Za-z0-9_-]{1,60}))$/;

/** What can be read and subscribed to beside the tools. Without pictures there are no frames either. */
export function resourceTemplates(pictures: boolean) {
  return pictures ? [FRAME, CAUSTIC, LOG] : [CAUSTIC, LOG];
}

/**
 * Reads one resource of a run.
 *
 * @throws ResourceNotFoundError where the run, the frame or the resource does not exist.
 */
export function readRunResource(uri: string, benches: Benches, frameFile: FrameFile | undefined): ReadResourceResult {
  const parts = URI.exec(uri);
  const [, handle = "", kind = "", frameId] = parts ?? [];
  if (parts === null) throw new ResourceNotFoundError(uri);
  try {
    const session = benches.session(readHandle(handle).run);
    if (kind === "caustic") {
      return { contents: [{ uri, mimeType: CAUSTIC.mimeType, text: JSON.stringify(session.caustic()) }] };
    }
    if (kind === "log") {
      const lines = session.events().map((event) => `${JSON.stringify(event)}\n`);
      return { contents: [{ uri, mimeType: LOG.mimeType, text: lines.join("") }] };
    }
    const id = frameId === "latest" ? latestFrame(session.events()) : frameId;
    if (frameFile === undefined || id === undefined) throw new ResourceNotFoundError(uri);
    const bytes = frameFile(session.frame(id), session);
    return { contents: [{ uri, mimeType: FRAME.mimeType, blob: Buffer.from(bytes).toString("base64") }] };
  } catch (error) {
    if (error instanceof BenchError && (error.code === "unknown_run" || error.code === "unknown_id")) {
      throw new ResourceNotFoundError(uri);
    }
    throw error;
  }
}

function latestFrame(events: readonly BenchEvent[]): string | undefined {
  for (const event of events.toReversed()) {
    const id = frameOf(event);
    if (id !== undefined) return id;
  }
  return undefined;
}

function frameOf(event: BenchEvent): string | undefined {
  if (event.type === "measurement_taken") return event.measurement.measurement;
  if (event.type === "dark_taken") return event.dark.dark;
  if (event.type === "view_made") return event.measurement ?? event.view;
  return undefined;
}

/** The resources that an event changes, for the holder of a handle. */
export function changedResources(event: BenchEvent, handle: string): string[] {
  const base = runUri(handle);
  const changed = [`${base}log`];
  if (event.type === "caustic_fitted") changed.push(`${base}caustic`);
  if (frameOf(event) !== undefined) changed.push(`${base}frame/latest`);
  return changed;
}
