import { createHash } from "node:crypto";
import { endianness } from "node:os";
import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { analyzeFrames, type DarkReference, type FrameAnalysis } from "../analysis/analyze-frame.ts";
import type { MomentKernel } from "../analysis/kernel.ts";
import { typescriptKernel } from "../analysis/typescript-kernel.ts";
import { averageDark, type DarkAverage } from "./average-dark.ts";
import { drawPicture, type Picture, type PictureOptions } from "./picture.ts";

/** At once, or in time. */
export type Eventually<Result> = Result | Promise<Result>;

/** What is analysed beside the counts: size and depth as the camera says them. */
export interface AnalysisTerms {
  readonly width_px: number;
  readonly height_px: number;
  readonly bitDepth: number;
  readonly pixelPitch_um: number;
  readonly dark?: DarkReference;
  readonly extraFindings: boolean;
}

/**
 * Everything that a session does to whole frames. Wherever it is done, the results are the same to the last bit. Work elsewhere rejects
 * with the reason of a cancellation as soon as that comes, and with BenchError `internal` when what computes has ended; it holds the
 * frames until they have been read.
 */
export interface FrameWork {
  /** Widths of the mean over the frames. */
  analyze(frames: readonly Frame[], terms: AnalysisTerms, cancellation?: Cancellation): Eventually<FrameAnalysis>;
  averageDark(frames: readonly Frame[], cancellation?: Cancellation): Eventually<DarkAverage>;
  /** SHA-256 over the samples of all frames, little-endian. */
  hash(frames: readonly Frame[], cancellation?: Cancellation): Eventually<string>;
  picture(frame: Frame, options: PictureOptions, cancellation?: Cancellation): Eventually<Picture>;
}

/** The work in this very thread. */
export function frameWorkHere(kernel: MomentKernel = typescriptKernel): FrameWork {
  return {
    analyze: (frames, { extraFindings, ...terms }) =>
      analyzeFrames({ ...terms, frames: frames.map(({ samples }) => samples) }, { extraFindings, kernel }),
    averageDark: (frames) => averageDark(frames, kernel),
    hash: framesHash,
    picture: drawPicture,
  };
}

function framesHash(frames: readonly Pick<Frame, "samples">[]): string {
  const hash = createHash("sha256");
  for (const { samples } of frames) {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    hash.update(endianness() === "LE" ? bytes : Buffer.from(bytes).swap16());
  }
  return hash.digest("hex");
}
