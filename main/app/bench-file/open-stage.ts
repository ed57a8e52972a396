import { GRBL_SERIAL, openGrblStage } from "../../../drivers/instruments/grbl/stage.ts";
import { NEWPORT_SERIAL, openNewportStage } from "../../../drivers/instruments/newport-conex-smc/stage.ts";
import { openPiGcs2Stage, PI_GCS2_SERIAL } from "../../../drivers/instruments/pi-gcs2/stage.ts";
import { openThorlabsAptStage, THORLABS_APT_SERIAL } from "../../../drivers/instruments/thorlabs-apt/stage.ts";
import { openZaberAsciiStage, ZABER_ASCII_SERIAL } from "../../../drivers/instruments/zaber-ascii/stage.ts";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import type { ByteLink } from "../../../drivers/transport/byte-link.ts";
import type { ControlledStage } from "../../../drivers/transport/controlled-stage.ts";
import { linkForAddress } from "../../../drivers/transport/link-for-address.ts";
import { RecordingLink } from "../../../drivers/transport/recording-link.ts";
import type { StageOptions } from "../../../drivers/transport/stage-options.ts";
import type { SerialSettings } from "../../../drivers/transport/serial-link.ts";
import type { BenchFile, ControlledStageEntry } from "../../contract/bench-file.ts";
import type { KeepOutZone } from "../../contract/tools.ts";
import { given } from "./given.ts";

function stageOptions(configuration: ControlledStageEntry, { role, limits, keepOutZones = [] }: OpenStageOptions) {
  const { calibration, model, velocity_mm_s, acceleration_mm_s2, tolerance_mm, excursion_mm } = configuration;
  return given({
    role,
    model,
    calibration: calibration === undefined ? undefined : given(calibration),
    softMin_mm: limits?.z_min_mm,
    softMax_mm: limits?.z_max_mm,
    // Zones that may be passed are the session's affair: it knows where the stage is to stop.
    keepOut: keepOutZones
      .filter(({ passing }) => passing !== "allowed")
      .map(({ from_mm, to_mm, why }) => given({ from_mm, to_mm, reason: why })),
    velocity_mm_s,
    acceleration_mm_s2,
    tolerance_mm,
    excursion_mm,
  });
}

function serialSettings(configuration: ControlledStageEntry): Omit<SerialSettings, "path"> {
  switch (configuration.driver) {
    case "zaber-ascii":
      return ZABER_ASCII_SERIAL;
    case "thorlabs-apt":
      return THORLABS_APT_SERIAL;
    case "newport-conex-smc":
      return NEWPORT_SERIAL[configuration.controller];
    case "pi-gcs2":
      return PI_GCS2_SERIAL;
    case "grbl":
      return GRBL_SERIAL;
  }
}

export interface OpenStageOptions {
  /** For error messages; "stage" when absent. */
  readonly role?: string;
  /** Where another address than the one of the file leads to the controller. */
  readonly address?: string;
  readonly limits?: BenchFile["limits"];
  readonly keepOutZones?: readonly KeepOutZone[];
  /** Takes every exchange as a line of JSON, for a recording. */
  readonly record?: (line: string) => void;
}

/** Connects to the stage that the configuration describes. Moves nothing. Errors are `InstrumentError`. */
export async function openConfiguredStage(
  configuration: ControlledStageEntry,
  clock: Clock,
  options: OpenStageOptions = {},
): Promise<ControlledStage> {
  const { record, address = configuration.address } = options;
  const serial = serialSettings(configuration);
  const { baud_rate } = configuration;
  const plain = linkForAddress(address, baud_rate === undefined ? serial : { ...serial, baudRate: baud_rate });
  const link = record === undefined ? plain : new RecordingLink(plain, clock, record);
  return openStage(configuration, link, clock, stageOptions(configuration, options));
}

async function openStage(
  configuration: ControlledStageEntry,
  link: ByteLink,
  clock: Clock,
  options: StageOptions,
): Promise<ControlledStage> {
  switch (configuration.driver) {
    case "zaber-ascii": {
      const { microstep_um, device, axis } = configuration;
      return openZaberAsciiStage(link, clock, {
        ...options,
        microstepSize_um: microstep_um,
        ...given({ device, axis }),
      });
    }
    case "thorlabs-apt": {
      const { stage, expect = {} } = configuration;
      return openThorlabsAptStage(link, clock, {
        ...options,
        stage:
          typeof stage === "string"
            ? stage
            : {
                countsPerMm: stage.counts_per_mm,
                countsPerMmPerSecond: stage.counts_per_mm_s,
                countsPerMmPerSecond2: stage.counts_per_mm_s2,
                travel_mm: stage.travel_mm,
                servo: stage.servo,
              },
        expect: given({
          homeDirection: expect.home_direction,
          homeLimitSwitch: expect.home_limit_switch,
          backlash_mm: expect.backlash_mm,
          forwardSwitch: expect.forward_switch,
          reverseSwitch: expect.reverse_switch,
        }),
      });
    }
    case "newport-conex-smc": {
      const { controller, controller_address } = configuration;
      return openNewportStage(link, clock, { ...options, controller, ...given({ address: controller_address }) });
    }
    case "pi-gcs2":
      return openPiGcs2Stage(link, clock, { ...options, ...given({ axis: configuration.axis }) });
    case "grbl":
      return openGrblStage(link, clock, { ...options, ...given({ axis: configuration.axis }) });
  }
}
