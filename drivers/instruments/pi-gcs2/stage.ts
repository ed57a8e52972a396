/**
 * PI stages on controllers that speak GCS 2 (C-863 Mercury and its relatives).
 *
 * Sources: C-863 manual https://www.easymanua.ls/pi/ms249e/manual?p=121 and
 * https://manualshive.com/en/manual/pi/ms249e/1554329?page=142 (syntax, answers of several lines, errors),
 * https://www.easymanua.ls/pi/ms249e/manual?p=132 (status register with the limit signals, whose logic may be inverted), E-727 manual
 * https://www.easymanua.ls/pi/e-727/manual?p=178, https://github.com/PI-PhysikInstrumente/PIPython (an error question
 * after every command), https://github.com/epics-motor/motorPIGCS2 (parameters 14 and 15).
 *
 * The reference is never reset at connection. A servo that drops out fails the move by name, and is switched on again
 * only by the next order to move.
 */
import type { Clock } from "../../protocol/clock.ts";
import { requestedMotion } from "../../transport/bench-coordinates.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { ControlledStage } from "../../transport/controlled-stage.ts";
import type { SerialSettings } from "../../transport/serial-link.ts";
import type { StageOptions } from "../../transport/stage-options.ts";
import { GcsAxis } from "./gcs-axis.ts";

/** 8N1; the baud rate is set by switches on the controller, 115200 is usual. */
export const PI_GCS2_SERIAL: Omit<SerialSettings, "path"> = { baudRate: 115_200 };

export interface PiGcs2Options extends StageOptions {
  /** Name of the axis; "1" when absent. */
  readonly axis?: string;
}

/** Connects to the stage behind the link. Moves nothing. Errors are `InstrumentError`. */
export async function openPiGcs2Stage(
  link: ByteLink,
  clock: Clock,
  options: PiGcs2Options = {},
): Promise<ControlledStage> {
  const axis = new GcsAxis(link, clock, { axis: options.axis ?? "1", ...requestedMotion(options) });
  return ControlledStage.connect(axis, clock, options);
}
