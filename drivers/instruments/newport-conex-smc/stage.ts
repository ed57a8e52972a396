/**
 * Newport CONEX-CC and SMC100 with one stage each.
 *
 * Sources: "CONEX-CC Controller Documentation"
 * https://www.newport.com/mam/celum/celum_assets/resources/CONEX-CC_-_Controller_Documentation.pdf (known here through the
 * public drivers that cite it), https://github.com/freespace/pySMC100 (57600 baud with XON/XOFF, pause of 60 ms, states,
 * memory that wears), https://github.com/epics-motor/motorNewport, https://github.com/MBI-Div-B/pytango-NewportSMC100
 * (error texts), https://github.com/yaq-project.
 *
 * Commands that set something are silent; each is followed by the question for its error. The controller's memory is
 * never written.
 */
import type { Clock } from "../../protocol/clock.ts";
import { requestedMotion } from "../../transport/bench-coordinates.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { ControlledStage } from "../../transport/controlled-stage.ts";
import type { SerialSettings } from "../../transport/serial-link.ts";
import type { StageOptions } from "../../transport/stage-options.ts";
import { NewportAxis } from "./newport-axis.ts";

/** 8N1 by controller. */
export const NEWPORT_SERIAL: Readonly<Record<NewportOptions["controller"], Omit<SerialSettings, "path">>> = {
  "CONEX-CC": { baudRate: 921_600 },
  SMC100: { baudRate: 57_600, flowControl: "software" },
};

const GAP_ms: Readonly<Record<NewportOptions["controller"], number>> = { "CONEX-CC": 10, SMC100: 60 };

export interface NewportOptions extends StageOptions {
  readonly controller: "CONEX-CC" | "SMC100";
  /** 1–31; 1 when absent. */
  readonly address?: number;
}

/** Connects to the stage behind the link. Moves nothing. Errors are `InstrumentError`. */
export async function openNewportStage(
  link: ByteLink,
  clock: Clock,
  options: NewportOptions,
): Promise<ControlledStage> {
  const axis = new NewportAxis(link, clock, {
    address: options.address ?? 1,
    gap_ms: GAP_ms[options.controller],
    ...requestedMotion(options),
  });
  return ControlledStage.connect(axis, clock, options);
}
