import type { BenchSession } from "../../bench/bench-session.ts";
import type { CallContext } from "../../contract/bench-verbs.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { PageOutput } from "../../contract/window-verbs.ts";
import type { FrameTasks } from "../live-chain/frame-tasks.ts";

/** The peak is right between these shares of full scale; the aim leaves room for shot noise and a moving beam. */
const LEAST_SHARE = 0.37;
const MOST_SHARE = 0.8;
const AIM_SHARE = 0.75;
/** Largest change in one step: a saturated or dark frame says little about how far off the exposure is. */
const LARGEST_FACTOR = 8;
const MOST_STEPS = 12;
/** Frames in which nothing came because the camera works. */
const MOST_WAITS = 200;
const WAIT_MS = 15;

/**
 * Looks at live frames and sets the exposure in powers of two until the peak is bright and nothing saturates, so that a handful
 * of darks serves a whole caustic. Bounded steps, inside the limits of the bench; every setting is logged as the operator's.
 */
export async function setExposureByItself(
  session: BenchSession,
  reason: string,
  context: CallContext,
  tasks: Pick<FrameTasks, "brightest">,
): Promise<PageOutput<"auto_exposure">> {
  const { exposure_range_ms: range, full_scale_counts: fullScale } = session.description;
  let steps = 0;
  for (;;) {
    const peak_counts = await nextPeak_counts(session, context, tasks);
    const exposure_ms = session.snapshot().exposure_ms;
    const peak_share = peak_counts / fullScale;
    const answer = { exposure_ms, peak_counts, peak_share, steps };
    if (peak_share >= LEAST_SHARE && peak_share <= MOST_SHARE) return { ...answer, reached: true };
    const wanted_ms = betterExposure(exposure_ms, peak_share, range);
    if (wanted_ms === exposure_ms || steps === MOST_STEPS) return { ...answer, reached: false };
    await session.verbs.set_exposure({ run: session.handle, exposure_ms: wanted_ms, reason }, context);
    steps++;
  }
}

/** The next exposure of the ladder of powers of two, within the range of the bench. */
export function betterExposure(
  exposure_ms: number,
  peak_share: number,
  range: { readonly min: number; readonly max: number },
): number {
  const factor =
    peak_share >= 0.999 ? 1 / LARGEST_FACTOR : Math.min(LARGEST_FACTOR, AIM_SHARE / Math.max(peak_share, 1e-6));
  const step_ms = 2 ** Math.floor(Math.log2(exposure_ms * factor));
  return Math.min(Math.max(step_ms, range.min), range.max);
}

async function nextPeak_counts(
  session: BenchSession,
  context: CallContext,
  tasks: Pick<FrameTasks, "brightest">,
): Promise<number> {
  for (let waits = 0; waits < MOST_WAITS; waits++) {
    if (context.cancellation?.aborted === true) {
      throw new BenchError("stopped", "the automatic exposure was stopped", "Start it again when you want it.");
    }
    const frame = await session.liveFrame(context.cancellation);
    if (frame !== undefined) {
      try {
        return await tasks.brightest(frame, context.cancellation);
      } finally {
        frame.memory?.release();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new BenchError("busy", "the camera is busy with other work", "Wait for it to end, or stop it.");
}
