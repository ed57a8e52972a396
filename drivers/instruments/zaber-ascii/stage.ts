/**
 * Zaber stages with the ASCII protocol, firmware 6.06 and later and 7.
 *
 * Sources: https://www.zaber.com/wiki/Manuals/ASCII_Protocol_Manual (firmware 6), and
 * https://www.zaber.com/protocol-manual?protocol=ASCII (firmware 7): message format, settings, warning flags,
 * rejections. Speed data are microsteps/s × 1.6384, acceleration data microsteps/s² × 1.6384 / 10 000.
 *
 * Every command carries a number and a checksum: a garbled command is ignored by the device, and a late reply is never
 * taken for that of another command. The device's own alerts are passed over. Where a device answers a move without a
 * reference, the rejection is recognised by its WR flag, whatever reason it gives.
 */
import type { Clock } from "../../protocol/clock.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { requestedMotion } from "../../transport/bench-coordinates.ts";
import { ControlledStage } from "../../transport/controlled-stage.ts";
import type { SerialSettings } from "../../transport/serial-link.ts";
import type { StageOptions } from "../../transport/stage-options.ts";
import { ZaberAxis } from "./zaber-axis.ts";

/** No flow control, 8N1. */
export const ZABER_ASCII_SERIAL: Omit<SerialSettings, "path"> = { baudRate: 115_200 };

export interface ZaberAsciiOptions extends StageOptions {
  /**
   * Length of a microstep, from the stage's data sheet: 0.047625 for the X-LSM at 64 microsteps. There is no default:
   * it belongs to stage and resolution together, and a wrong one is a wrong M².
   */
  readonly microstepSize_um: number;
  /** Address on the chain; 1 when absent. */
  readonly device?: number;
  /** Axis of the device; 1 when absent. */
  readonly axis?: number;
}

/** Connects to the stage behind the link. Moves nothing. Errors are `InstrumentError`. */
export async function openZaberAsciiStage(
  link: ByteLink,
  clock: Clock,
  options: ZaberAsciiOptions,
): Promise<ControlledStage> {
  const axis = new ZaberAxis(link, clock, {
    device: options.device ?? 1,
    axis: options.axis ?? 1,
    microstepSize_mm: options.microstepSize_um / 1000,
    ...requestedMotion(options),
  });
  return ControlledStage.connect(axis, clock, options);
}
