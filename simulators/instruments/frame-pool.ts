import { countedMemory } from "../../drivers/protocol/counted-memory.ts";
import type { FrameMemory } from "../../drivers/protocol/frame-memory.ts";

/** Room for the counts of one frame, and who holds it. */
interface PooledSamples {
  readonly samples: Uint16Array;
  readonly memory: FrameMemory;
}

/**
 * Memory of frames that serves the next ones once nobody holds it: a frame in memory that is new to the process costs about as much in
 * page faults and garbage collection as its readout. Any number may be held at a time; what is free beyond `mostFree_bytes` is dropped.
 */
export class FramePool {
  readonly #mostFree_bytes: number;
  /** By pixels; the one that was let go last is taken first, as it may still be in the processor's caches. */
  readonly #free = new Map<number, Uint16Array[]>();
  #free_bytes = 0;

  constructor(mostFree_bytes: number) {
    this.#mostFree_bytes = mostFree_bytes;
  }

  /** Memory for one frame, held once. Its samples are those of some earlier frame. */
  take(pixels: number): PooledSamples {
    const samples = this.#free.get(pixels)?.pop();
    if (samples === undefined) return this.#held(new Uint16Array(pixels));
    this.#free_bytes -= samples.byteLength;
    return this.#held(samples);
  }

  #held(samples: Uint16Array): PooledSamples {
    const memory = countedMemory((usable) => {
      if (usable) this.#putBack(samples);
    });
    return { samples, memory };
  }

  #putBack(samples: Uint16Array): void {
    if (this.#free_bytes + samples.byteLength > this.#mostFree_bytes) return;
    const free = this.#free.get(samples.length);
    if (free === undefined) this.#free.set(samples.length, [samples]);
    else free.push(samples);
    this.#free_bytes += samples.byteLength;
  }
}
