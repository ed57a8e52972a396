/**
 * Home-built stages on boards with GRBL 1.1.
 *
 * Source: https://github.com/gnea/grbl, doc/markdown/interface.md (reports, real-time commands, answers), jogging.md (jogs,
 * cancelling), settings.md, doc/csv (alarms and errors).
 *
 * One line is in flight at a time and every ok is counted. Moves are jogs, so that a stop keeps the position. Machine
 * coordinates run from −$130 to 0 in the default build: the bench's calibration turns them round. Opening the port
 * resets most boards, so the stage must be homed in every session; it is never unlocked without homing.
 */
import type { Clock } from "../../protocol/clock.ts";
import { requestedMotion } from "../../transport/bench-coordinates.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { ControlledStage } from "../../transport/controlled-stage.ts";
import type { SerialSettings } from "../../transport/serial-link.ts";
import type { StageOptions } from "../../transport/stage-options.ts";
import { GrblAxis } from "./grbl-axis.ts";

/** 8N1. */
export const GRBL_SERIAL: Omit<SerialSettings, "path"> = { baudRate: 115_200 };

export interface GrblOptions extends StageOptions {
  /** The axis that carries the camera; "X" when absent. */
  readonly axis?: "X" | "Y" | "Z";
}

/** Connects to the stage behind the link. Moves nothing. Errors are `InstrumentError`. */
export async function openGrblStage(link: ByteLink, clock: Clock, options: GrblOptions = {}): Promise<ControlledStage> {
  const { velocity_mm_s } = requestedMotion(options);
  return ControlledStage.connect(
    new GrblAxis(link, clock, { axis: options.axis ?? "X", velocity_mm_s }),
    clock,
    options,
  );
}
