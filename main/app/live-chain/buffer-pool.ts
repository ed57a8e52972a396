import type { FrameMemory } from "../../../drivers/protocol/frame-memory.ts";

/** Counts in shared memory that is used again when the last holder lets go. */
export interface PooledSamples {
  readonly samples: Uint16Array<SharedArrayBuffer>;
  readonly memory: FrameMemory;
}

/** Free pieces that are kept for later. */
const MOST_FREE = 8;
/** A piece this many times larger than what is asked for is let go. */
const MOST_WASTE = 4;

/**
 * Shared memory for pieces of any size that are made and sent many times a second: memory that is new every time costs page faults
 * and, in the thread that owns it, collections.
 */
export class BufferPool {
  #free: SharedArrayBuffer[] = [];

  /** Memory for so many counts, held once; what it contains is of no meaning. */
  take(counts: number): PooledSamples {
    const bytes = counts * Uint16Array.BYTES_PER_ELEMENT;
    const at = this.#free.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= MOST_WASTE * bytes);
    const buffer = this.#free.splice(at, at === -1 ? 0 : 1)[0] ?? new SharedArrayBuffer(bytes);
    let holders = 1;
    let kept = false;
    return {
      samples: new Uint16Array(buffer, 0, counts),
      memory: {
        hold: () => {
          holders += 1;
        },
        release: () => {
          holders -= 1;
          if (holders === 0 && !kept) this.#takeBack(buffer);
        },
        keep: () => {
          kept = true;
        },
      },
    };
  }

  #takeBack(buffer: SharedArrayBuffer): void {
    this.#free.push(buffer);
    if (this.#free.length > MOST_FREE) this.#free.shift();
  }
}
