/**
 * Thorlabs stages with the APT protocol: LTS150 and LTS300, and stages on a KDC101.
 *
 * Sources: "APT Communications Protocol", issue 25
 * https://fdocuments.in/document/apt-communications-protocol-rev-25-thorlabs-controlapt-2019-12-11-thorlabs.html
 * (messages, status bits, scales), https://github.com/AlexShkarin/pyLabLib Thorlabs/kinesis.py (RTS at opening, what is
 * polled), https://github.com/yaq-project/thorlabs-apt-protocol (layout of the data).
 *
 * The controller is polled: its own updates stop unless they are acknowledged, and the messages at the end of a move
 * are sent by some firmware only. Status bits and position decide. An absolute move without a reference goes to a wrong
 * place without a complaint, so it is never sent.
 */
import type { Clock } from "../../protocol/clock.ts";
import { requestedMotion } from "../../transport/bench-coordinates.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { ControlledStage } from "../../transport/controlled-stage.ts";
import type { SerialSettings } from "../../transport/serial-link.ts";
import type { StageOptions } from "../../transport/stage-options.ts";
import { AptAxis, type AptExpectation, type AptScale } from "./apt-axis.ts";

/** 8N1 with hardware handshake; RTS is pulsed after opening. */
export const THORLABS_APT_SERIAL: Omit<SerialSettings, "path"> = {
  baudRate: 115_200,
  flowControl: "hardware",
  pulseRts: true,
};

const LTS: Omit<AptScale, "travel_mm"> = {
  countsPerMm: 409_600,
  countsPerMmPerSecond: 21_987_328,
  countsPerMmPerSecond2: 4506.08,
  servo: false,
};
const Z8: Omit<AptScale, "travel_mm"> = {
  countsPerMm: 34_304,
  countsPerMmPerSecond: 767_367.5,
  countsPerMmPerSecond2: 261.93,
  servo: true,
};

/**
 * Scales by controller and stage together: the same stage on another controller counts differently (an LTS150 on a
 * BSC00x has 25 600 counts per mm).
 */
const SCALES = {
  LTS150: { ...LTS, travel_mm: 150 },
  LTS300: { ...LTS, travel_mm: 300 },
  "KDC101 with MTS25-Z8": { ...Z8, travel_mm: 25 },
  "KDC101 with MTS50-Z8": { ...Z8, travel_mm: 50 },
  "KDC101 with Z825B": { ...Z8, travel_mm: 25 },
} as const satisfies Record<string, AptScale>;

export interface ThorlabsAptOptions extends StageOptions {
  /** A known pair of controller and stage, or its scale. */
  readonly stage: keyof typeof SCALES | AptScale;
  /** Parameters that must be found in the controller before anything moves. */
  readonly expect?: AptExpectation;
  /** 0x50 for single units on USB (when absent), 0x21 and up for the bays of a rack. */
  readonly address?: number;
}

/** Connects to the stage behind the link. Moves nothing. Errors are `InstrumentError`. */
export async function openThorlabsAptStage(
  link: ByteLink,
  clock: Clock,
  options: ThorlabsAptOptions,
): Promise<ControlledStage> {
  const axis = new AptAxis(link, clock, {
    scale: typeof options.stage === "string" ? SCALES[options.stage] : options.stage,
    expect: options.expect ?? {},
    address: options.address ?? 0x50,
    ...requestedMotion(options),
  });
  return ControlledStage.connect(axis, clock, options);
}
