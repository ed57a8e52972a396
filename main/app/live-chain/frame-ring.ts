import { countedMemory } from "../../../drivers/protocol/counted-memory.ts";
import type { FrameMemory } from "../../../drivers/protocol/frame-memory.ts";

/** Memory for one frame: shared between threads, held by whoever took it. */
export interface FrameSlot {
  readonly samples: Uint16Array<SharedArrayBuffer>;
  readonly memory: FrameMemory;
}

/**
 * A fixed number of pieces of shared memory that frames take in turn. A slot serves the next frame only when nobody holds the one before;
 * a frame that is kept for good takes its memory along, and its slot gets new memory.
 */
export class FrameRing {
  readonly #pixels: number;
  /** Memory of each slot that is free; it is made when it is first needed. */
  readonly #free: (SharedArrayBuffer | undefined)[];

  constructor(pixels: number, slots: number) {
    this.#pixels = pixels;
    this.#free = Array.from({ length: slots }, () => undefined);
  }

  /** Slots that nobody holds. */
  get free(): number {
    return this.#free.length;
  }

  /** A free slot, held once; undefined where all are held. */
  take(): FrameSlot | undefined {
    if (this.#free.length === 0) return undefined;
    // The one that was let go last is still in the caches of the processor.
    const buffer = this.#free.pop() ?? this.#newBuffer();
    return slot(buffer, (usedAgain) => this.#free.push(usedAgain));
  }

  /** Memory beside the ring, for a frame that must not be dropped. */
  beside(): FrameSlot {
    return slot(this.#newBuffer(), () => undefined);
  }

  #newBuffer(): SharedArrayBuffer {
    return new SharedArrayBuffer(this.#pixels * Uint16Array.BYTES_PER_ELEMENT);
  }
}

/** `free` is told once: with the memory when the last holder lets go, without it when the frame takes it along. */
function slot(buffer: SharedArrayBuffer, free: (buffer: SharedArrayBuffer | undefined) => void): FrameSlot {
  return { samples: new Uint16Array(buffer), memory: countedMemory((usable) => free(usable ? buffer : undefined)) };
}
