import type { FrameHeader } from "../../contract/window-frame.ts";

/** Numbers are read by a person and drawn by the page no more often than this. */
const READ_EVERY_MS = 100;
/** Looking for the beam takes at most one part in so many of the process: large frames are shown at the full rate and read less often. */
const SHARE = 3;

/** What makes numbers of an earlier frame worthless for the next one. */
interface Circumstances {
  readonly purpose: FrameHeader["purpose"];
  readonly exposure_ms: number;
}

/** When widths are looked for in a live frame. Times in ms on any steady clock. */
export class ReadingPace {
  #last: (Circumstances & { readonly ended_ms: number; readonly took_ms: number }) | undefined;

  isDue(now_ms: number, { purpose, exposure_ms }: Circumstances): boolean {
    const last = this.#last;
    if (last === undefined || last.purpose !== purpose || last.exposure_ms !== exposure_ms) return true;
    return now_ms - last.ended_ms >= Math.max(READ_EVERY_MS - last.took_ms, (SHARE - 1) * last.took_ms);
  }

  wasRead(ended_ms: number, took_ms: number, circumstances: Circumstances): void {
    this.#last = { ...circumstances, ended_ms, took_ms };
  }
}
