import { z } from "zod";
import { GRBL_SERIAL, openGrblStage } from "../../drivers/instruments/grbl/stage.ts";
import { NEWPORT_SERIAL, openNewportStage } from "../../drivers/instruments/newport-conex-smc/stage.ts";
import { openPiGcs2Stage, PI_GCS2_SERIAL } from "../../drivers/instruments/pi-gcs2/stage.ts";
import { openThorlabsAptStage, THORLABS_APT_SERIAL } from "../../drivers/instruments/thorlabs-apt/stage.ts";
import { openZaberAsciiStage, ZABER_ASCII_SERIAL } from "../../drivers/instruments/zaber-ascii/stage.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { ByteLink } from "../../drivers/transport/byte-link.ts";
import type { ControlledStage } from "../../drivers/transport/controlled-stage.ts";
import { linkForAddress } from "../../drivers/transport/link-for-address.ts";
import { RecordingLink } from "../../drivers/transport/recording-link.ts";
import type { SerialSettings } from "../../drivers/transport/serial-link.ts";

const positive = z.number().positive();

/** What every stage may be given in the bench file; positions are in the bench's coordinates. */
const common = {
  /** Path of a serial port, or "tcp://host:port". */
  address: z.string().min(1),
  /** Where the controller's switches say otherwise than its maker. */
  baud_rate: z.number().int().positive().optional(),
  model: z.string().min(1).optional(),
  calibration: z
    .strictObject({
      scale: positive.optional(),
      direction: z.union([z.literal(1), z.literal(-1)]).optional(),
      zero_mm: z.number().optional(),
    })
    .optional(),
  soft_min_mm: z.number().optional(),
  soft_max_mm: z.number().optional(),
  keep_out: z
    .array(z.strictObject({ from_mm: z.number(), to_mm: z.number(), reason: z.string().min(1).optional() }))
    .optional(),
  velocity_mm_s: positive.optional(),
  acceleration_mm_s2: positive.optional(),
  tolerance_mm: positive.optional(),
  excursion_mm: positive.optional(),
};

const aptScale = z.strictObject({
  counts_per_mm: positive,
  counts_per_mm_s: positive,
  counts_per_mm_s2: positive,
  travel_mm: positive,
  servo: z.boolean(),
});

/** The stage of a bench, as its file describes it. */
export const stageConfigurationSchema = z.discriminatedUnion("driver", [
  z.strictObject({
    driver: z.literal("zaber-ascii"),
    ...common,
    microstep_um: positive,
    device: z.number().int().min(1).max(99).optional(),
    axis: z.number().int().min(1).max(9).optional(),
  }),
  z.strictObject({
    driver: z.literal("thorlabs-apt"),
    ...common,
    stage: z.union([
      z.enum(["LTS150", "LTS300", "KDC101 with MTS25-Z8", "KDC101 with MTS50-Z8", "KDC101 with Z825B"]),
      aptScale,
    ]),
    expect: z
      .strictObject({
        home_direction: z.number().int().optional(),
        home_limit_switch: z.number().int().optional(),
        backlash_mm: z.number().optional(),
        forward_switch: z.number().int().optional(),
        reverse_switch: z.number().int().optional(),
      })
      .optional(),
  }),
  z.strictObject({
    driver: z.literal("newport-conex-smc"),
    ...common,
    controller: z.enum(["CONEX-CC", "SMC100"]),
    controller_address: z.number().int().min(1).max(31).optional(),
  }),
  z.strictObject({ driver: z.literal("pi-gcs2"), ...common, axis: z.string().min(1).optional() }),
  z.strictObject({ driver: z.literal("grbl"), ...common, axis: z.enum(["X", "Y", "Z"]).optional() }),
]);

export type StageConfiguration = z.infer<typeof stageConfigurationSchema>;

type WithoutUndefined<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/** Leaves out what was not given, which is not the same as giving undefined. */
function given<Value extends object>(value: Value): WithoutUndefined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, entry]) => entry !== undefined),
  ) as WithoutUndefined<Value>;
}

function stageOptions(configuration: StageConfiguration) {
  const { calibration, keep_out, soft_min_mm, soft_max_mm } = configuration;
  const { model, velocity_mm_s, acceleration_mm_s2, tolerance_mm, excursion_mm } = configuration;
  return given({
    model,
    calibration: calibration === undefined ? undefined : given(calibration),
    softMin_mm: soft_min_mm,
    softMax_mm: soft_max_mm,
    keepOut: keep_out?.map(given),
    velocity_mm_s,
    acceleration_mm_s2,
    tolerance_mm,
    excursion_mm,
  });
}

function serialSettings(configuration: StageConfiguration): Omit<SerialSettings, "path"> {
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
  /** Takes every exchange as a line of JSON, for a recording. */
  readonly record?: (line: string) => void;
}

/** Connects to the stage that the configuration describes. Moves nothing. Errors are `InstrumentError`. */
export async function openConfiguredStage(
  configuration: StageConfiguration,
  clock: Clock,
  { record }: OpenStageOptions = {},
): Promise<ControlledStage> {
  const serial = serialSettings(configuration);
  const { baud_rate } = configuration;
  const plain = linkForAddress(
    configuration.address,
    baud_rate === undefined ? serial : { ...serial, baudRate: baud_rate },
  );
  return openStage(configuration, record === undefined ? plain : new RecordingLink(plain, clock, record), clock);
}

async function openStage(configuration: StageConfiguration, link: ByteLink, clock: Clock): Promise<ControlledStage> {
  const options = stageOptions(configuration);
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
