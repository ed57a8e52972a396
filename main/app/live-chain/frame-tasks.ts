import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { MomentKernel } from "../../analysis/kernel.ts";
import type { FrameDetail } from "../../contract/window-frame.ts";
import { type Eventually, type FrameWork, frameWorkHere } from "../../bench/frame-work.ts";
import { encodeTiff, type Provenance } from "../../files/write-image.ts";
import { brightest_counts } from "./brightest.ts";
import { type FrameReading, readFrame } from "../window/read-frame.ts";
import { type ReducedFrame, reduceFrame } from "../window/reduce-frame.ts";

/** Present where the memory of the samples is used again: then whoever asked for them holds it once. */
export type HeldReducedFrame = ReducedFrame & Pick<Frame, "memory">;

/** Everything that the host does to whole frames, beside the work of a session. Cancelled and failing as that is. */
export interface FrameTasks extends FrameWork {
  /** What is found in one frame for the eye. */
  read(frame: Frame, pixelPitch_um: number, cancellation?: Cancellation): Eventually<FrameReading>;
  /** Counts that all but the very brightest pixels stay below. */
  brightest(frame: Frame, cancellation?: Cancellation): Eventually<number>;
  /** As much of the frame as a page can show. */
  reduce(frame: Frame, detail: FrameDetail, cancellation?: Cancellation): Eventually<HeldReducedFrame>;
  /** A 16-bit TIFF of one frame. */
  tiff(
    frame: Frame,
    pixelPitch_um: number,
    provenance: Provenance,
    cancellation?: Cancellation,
  ): Eventually<Uint8Array<ArrayBuffer>>;
}

/** The tasks in this very thread. */
export function frameTasksHere(kernel?: MomentKernel): FrameTasks {
  return {
    ...frameWorkHere(kernel),
    read: (frame, pixelPitch_um) => readFrame(frame, pixelPitch_um, kernel, () => performance.now()),
    brightest: brightest_counts,
    reduce: (frame, detail) => reduceFrame(frame, detail),
    tiff: (frame, pixelPitch_um, provenance) => encodeTiff([frame], pixelPitch_um, provenance),
  };
}
