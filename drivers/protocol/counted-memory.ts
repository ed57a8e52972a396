import type { FrameMemory } from "./frame-memory.ts";

/**
 * Memory that counts its holders and begins with one. `free` is called once: with `true` when the last holder lets go and the memory may
 * serve another frame, with `false` when the frame takes it along for good.
 */
export function countedMemory(free: (usable: boolean) => void): FrameMemory {
  let holders = 1;
  let kept = false;
  const check = (): void => {
    if (holders === 0) throw new RangeError("the memory of a frame was used after its last holder had let go");
  };
  return {
    hold() {
      if (kept) return;
      check();
      holders += 1;
    },
    release() {
      if (kept) return;
      check();
      holders -= 1;
      if (holders === 0) free(true);
    },
    keep() {
      if (kept) return;
      check();
      kept = true;
      free(false);
    },
  };
}
