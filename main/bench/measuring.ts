import type { Frame } from "../../drivers/protocol/frame.ts";
import { predictDiameter } from "../analysis/caustic-predict.ts";
import type { CausticFit } from "../analysis/caustic-types.ts";
import { toWidthFields } from "../analysis/to-width-fields.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { Dark, Measurement } from "../contract/tools.ts";
import { FRAME_FLAGS } from "../contract/vocabulary.ts";
import type { WidthFields } from "../contract/width-fields.ts";
import type { Action } from "./action-lock.ts";
import type { DarkLibrary } from "./dark-library.ts";
import type { Call, Workplace } from "./workplace.ts";

/** Flags that reach every caller; the rest are findings. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(FRAME_FLAGS.slice(0, 7));
/** Standard uncertainties from the caustic of the others beyond which a width is flagged as an outlier. */
const OUTLIER = 4;
/** Share of a measurement's progress that the move takes. */
const MOVE_SHARE = 0.6;

/** Darks at one exposure, with the beam blocked by the shutter or by the operator. Throws `beam_not_blocked`. */
export async function takeDarks(
  place: Workplace,
  exposure_ms: number,
  frames: number,
  action: Action,
  call: Call,
): Promise<Dark> {
  const { operations, darks, measurements, budgets, log } = place;
  const { shutter } = place.options.instruments;
  operations.checkExposure(exposure_ms, frames);
  operations.checkBudget("darks");
  if (shutter === undefined && !place.beamBlocked) {
    throw new BenchError(
      "beam_not_blocked",
      "Darks need the beam blocked, and this bench has no shutter",
      "Ask the operator to block the beam and to say so.",
    );
  }
  const applied_ms = await operations.expose(exposure_ms, action);
  let taken: Frame[];
  place.shutterMayBeClosed = shutter !== undefined;
  try {
    await shutter?.setOpen(false);
    taken = await operations.acquire("dark", darks.beginAcquisition(), frames, action, call.seq, call.report);
  } finally {
    await openShutter(place);
  }
  try {
    const average = await place.frameWork.averageDark(taken, action.signal);
    const dark = darks.add(average, applied_ms, measurements.count);
    budgets.spend("darks", 1);
    await keepFrames(place, dark.dark, taken);
    log.emit("dark_taken", { call: call.seq, dark });
    return dark;
  } finally {
    letGo(taken);
  }
}

/** Moves, exposes, analyses and fits again. Everything is checked before anything moves. */
export async function measure(
  place: Workplace,
  z_mm: number,
  exposure_ms: number | undefined,
  frames: number,
  action: Action,
  call: Call,
): Promise<Measurement> {
  const { operations, darks, measurements, budgets, log } = place;
  const asked_ms = exposure_ms ?? operations.exposure_ms;
  operations.checkMove(z_mm, await operations.locate());
  operations.checkExposure(asked_ms, frames);
  operations.checkBudget("positions");
  if (place.beamBlocked) {
    throw new BenchError(
      "paused",
      "The operator has blocked the beam for darks",
      "Take darks, or wait until the operator frees the beam.",
    );
  }
  await openShutter(place);
  const applied_ms = await operations.expose(asked_ms, action);
  const { z_actual_mm } = await operations.move(z_mm, action, (done, message) =>
    call.report(MOVE_SHARE * done, message),
  );
  const taken = await operations.acquire("measurement", measurements.count, frames, action, call.seq, (done, message) =>
    call.report(MOVE_SHARE + (1 - MOVE_SHARE) * done, message),
  );
  try {
    const frames_sha256 = await place.frameWork.hash(taken, action.signal);
    const dark = darks.at(applied_ms);
    const widths = await widthsOf(place, taken, dark, action);
    const measurement = measurements.add({
      z_requested_mm: z_mm,
      z_actual_mm,
      exposure_ms: applied_ms,
      frames,
      ...(dark === undefined ? {} : { dark: dark.dark.dark }),
      ...withOutlierFlag(place, z_actual_mm, widths),
    });
    budgets.spend("positions", 1);
    await keepFrames(place, measurement.measurement, taken);
    log.emit("measurement_taken", { call: call.seq, measurement, frames_sha256 });
    log.emit("caustic_fitted", { call: call.seq, occasion: "measured", ...measurements.fit().wire });
    return measurement;
  } finally {
    letGo(taken);
  }
}

/** Opens the shutter unless it is known to be open. */
async function openShutter(place: Workplace): Promise<void> {
  if (!place.shutterMayBeClosed) return;
  await place.options.instruments.shutter?.setOpen(true);
  place.shutterMayBeClosed = false;
}

async function widthsOf(
  place: Workplace,
  frames: readonly Frame[],
  dark: ReturnType<DarkLibrary["at"]>,
  action: Action,
): Promise<WidthFields> {
  const { findings, instruments } = place.options;
  const { width_px, height_px, bitDepth } = instruments.camera.info;
  const all = findings === "all";
  const analysis = await place.frameWork.analyze(
    frames,
    {
      width_px,
      height_px,
      bitDepth,
      pixelPitch_um: place.pixelPitch_um,
      extraFindings: all,
      ...(dark === undefined ? {} : { dark: dark.reference }),
    },
    action.signal,
  );
  const fields = toWidthFields(analysis);
  return {
    ...fields,
    ...(dark === undefined ? { background: `${fields.background} (no dark at this exposure)` } : {}),
    flags: all ? fields.flags : fields.flags.filter((flag) => ALWAYS_SHOWN.has(flag.code)),
  };
}

/** Marks widths that do not lie on the caustic of the measurements before: a finding, so only where a run shows all of them. */
function withOutlierFlag(place: Workplace, z_mm: number, fields: WidthFields): WidthFields {
  if (place.options.findings !== "all") return fields;
  const { x, y } = place.measurements.fit();
  const value = Math.max(
    deviation(x, z_mm, fields.d4sigma_x_um, fields.u_x_um),
    deviation(y, z_mm, fields.d4sigma_y_um, fields.u_y_um),
  );
  if (value <= OUTLIER) return fields;
  return { ...fields, flags: [...fields.flags, { code: "caustic_outlier", value, limit: OUTLIER }] };
}

/** Distance of a width from a fitted caustic in standard uncertainties of both; 0 where the fit can say nothing. */
function deviation(fit: CausticFit, z_mm: number, d_um: number | undefined, u_um: number | undefined): number {
  if (!fit.determined || fit.degreesOfFreedom < 2 || d_um === undefined || u_um === undefined) return 0;
  const predicted = predictDiameter(fit, z_mm);
  return Math.abs(d_um - predicted.d_um) / Math.hypot(u_um, predicted.u_um);
}

/** Keeps the last frame in memory and offers all to whoever keeps raw frames. */
async function keepFrames(
  { frames: kept, options, log }: Workplace,
  id: string,
  frames: readonly Frame[],
): Promise<void> {
  const last = frames.at(-1);
  if (last !== undefined) kept.put(id, last);
  if (options.frameSink === undefined) return;
  for (const [index, frame] of frames.entries()) {
    try {
      await options.frameSink(id, frame, index);
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown reason";
      log.emit("frame_not_kept", { id, index, why });
    }
  }
}

function letGo(frames: readonly Frame[]): void {
  for (const { memory } of frames) memory?.release();
}
