import type { Frame } from "../../drivers/protocol/frame.ts";
import { BenchError } from "../contract/error-codes.ts";

/** Raw frames by id, in memory that is theirs for good, up to a number of bytes; the oldest go first. */
export class FrameKeep {
  readonly #frames = new Map<string, Frame>();
  readonly #dropped = new Set<string>();
  readonly #limit_bytes: number;
  #bytes = 0;

  constructor(limit_bytes: number) {
    this.#limit_bytes = limit_bytes;
  }

  put(id: string, frame: Frame): void {
    frame.memory?.keep();
    this.#frames.set(id, frame);
    this.#bytes += frame.samples.byteLength;
    for (const [oldest, { samples }] of this.#frames) {
      if (this.#bytes <= this.#limit_bytes || oldest === id) break;
      this.#frames.delete(oldest);
      this.#dropped.add(oldest);
      this.#bytes -= samples.byteLength;
    }
  }

  /** Throws `unknown_id`. */
  get(id: string): Frame {
    const frame = this.#frames.get(id);
    if (frame !== undefined) return frame;
    throw this.#dropped.has(id)
      ? new BenchError(
          "unknown_id",
          `The frame of ${id} is no longer in memory`,
          "Look at a newer one or measure again.",
        )
      : new BenchError(
          "unknown_id",
          `There is no frame ${JSON.stringify(id)}`,
          "Use the id of a measurement, dark or view.",
        );
  }
}
