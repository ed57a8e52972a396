import { join } from "node:path";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { BenchEvent } from "../../contract/events.ts";
import { readTiff } from "../../files/tiff-image.ts";
import { keptFrameIndices, readFrame, type StoredRun } from "../../store/run-folder.ts";
import { FramesMadeAgain, type MakingAgainOptions } from "./frames-made-again.ts";
import { type RecordedExposures, recordedExposures } from "./recorded-exposures.ts";

/** One raw frame of a kept run, and where it stands among those of its measurement or dark. */
export interface FrameOfRun {
  readonly frame: Frame;
  readonly pixelPitch_um: number;
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** The raw frames of kept runs: from their folders, or made again where they are simulated and were not kept. */
export class KeptFrames {
  readonly #again: FramesMadeAgain;

  constructor(options: MakingAgainOptions) {
    this.#again = new FramesMadeAgain(options);
  }

  /**
   * One frame of a measurement or dark, or of the measurement that a view showed.
   *
   * @param index from 0. Default: the last one, which is the one that the live run showed; where only others can be had, the last of those.
   * @throws BenchError `unknown_id` and `bad_argument` where there is no such frame; `not_offered` where it was not kept and cannot be made
   * again; `not_reproduced` where it comes out otherwise than recorded.
   */
  async frame(run: StoredRun, id: string, index?: number, cancellation?: Cancellation): Promise<FrameOfRun> {
    const exposures = exposuresOf(run.events, id);
    const { count } = exposures;
    if (index !== undefined && index >= count) {
      throw new BenchError(
        "bad_argument",
        `frame ${index + 1} of ${exposures.id}: it has ${count}`,
        `Ask for one of the frames from 1 to ${count}.`,
      );
    }
    const asked = index ?? count - 1;
    const of = (frame: Frame, at: number): FrameOfRun => ({
      frame,
      pixelPitch_um: pixelPitchOf(run.events),
      index: at,
      count,
    });
    const kept = keptFrameIndices(run.directory, exposures.id);
    if (kept.includes(asked)) return of(await this.#read(run, exposures, asked), asked);
    try {
      return of(await this.#again.frame(run, exposures, asked, cancellation), asked);
    } catch (error) {
      const last = kept.at(-1);
      if (index !== undefined || last === undefined || !(error instanceof BenchError)) throw error;
      return of(await this.#read(run, exposures, last), last);
    }
  }

  close(): void {
    this.#again.close();
  }

  async #read({ directory, events }: StoredRun, exposures: RecordedExposures, index: number): Promise<Frame> {
    const { id, exposure_ms, t_ms } = exposures;
    const bytes = readFrame(directory, id, index);
    if (bytes === undefined) throw new BenchError("unknown_id", `the file of frame ${index} of ${id} is gone`, "");
    const raster = await readTiff(join(directory, `frame ${index} of ${id}`), bytes);
    const [opened] = events;
    const bench = opened?.type === "run_opened" ? opened : undefined;
    return {
      width_px: raster.width_px,
      height_px: raster.height_px,
      samples: Uint16Array.from(raster.samples),
      bitDepth: bench?.description.bit_depth ?? Math.ceil(Math.log2((raster.maximum ?? 65_535) + 1)),
      exposure_ms,
      startedAt_ms: t_ms,
      sequence: index,
      simulated: bench?.simulated ?? raster.simulated ?? false,
    };
  }
}

function exposuresOf(events: readonly BenchEvent[], id: string): RecordedExposures {
  const view = events.find((event) => event.type === "view_made" && event.view === id);
  const isOfLive = view?.type === "view_made" && view.measurement === undefined;
  if (isOfLive) {
    throw new BenchError(
      "not_offered",
      `${id} shows a live frame, of which a run keeps the picture and no raw frame`,
      "Look at its picture.",
    );
  }
  const exposures = recordedExposures(events, view?.type === "view_made" ? (view.measurement ?? id) : id);
  if (exposures !== undefined) return exposures;
  throw new BenchError("unknown_id", `the run has no measurement or dark ${id}`, "Look at its table.");
}

function pixelPitchOf([opened]: readonly BenchEvent[]): number {
  return opened?.type === "run_opened" ? opened.description.pixel_pitch_um : 1;
}
