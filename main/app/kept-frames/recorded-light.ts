import { z } from "zod";
import type { InstrumentFault } from "../../../simulators/faults/instrument-fault.ts";
import type { Scenario } from "../../../simulators/world/scenario.ts";
import { createSensor, type PixelFormat, type SensorChoice } from "../../../simulators/world/sensor.ts";
import { type BenchFile, benchFileSchema, type FrameOrientation } from "../../contract/bench-file.ts";
import type { BenchEvent } from "../../contract/events.ts";
import { instrumentFaultSchema, lightFaultSchema } from "../../contract/plan.ts";
import type { BenchDescription } from "../../contract/tools.ts";
import { SENSOR_SIZES } from "../../contract/window-verbs.ts";
import type { StoredRun } from "../../store/run-folder.ts";
import { given } from "../bench-file/given.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { UsageError } from "../usage-error.ts";

/** The simulated light of a kept run, and the camera in it: with an exposure, everything that makes a frame. */
export interface RecordedLight {
  readonly kind: "light";
  readonly scenario: Scenario;
  readonly seed: number;
  readonly sensor: SensorChoice;
  /** How the camera is screwed to its carriage. */
  readonly orientation: FrameOrientation;
  /** Whether the camera stood exactly where the journal says: other stages than the simulator's own may stand beside what they read. */
  readonly isPlaceExact: boolean;
  /** Of stage and camera. They spoil calls and no counts. */
  readonly instrumentFaults: readonly InstrumentFault[];
}

/** Why the light of a run cannot be had again, in words that go on after the name of the run. */
export interface NoLight {
  readonly kind: "none";
  readonly why: string;
}

/** What run.json keeps beside the scenario's name, so that the same instruments can be built again. */
const builtFromSchema = z.object({
  faults: z.array(lightFaultSchema).default([]),
  instrument_faults: z.array(instrumentFaultSchema).default([]),
});

/** Whether stage and camera of a bench are the simulator's own, so that its journal tells all that makes a frame. */
export function isSimulatorsOwn({ instruments: { stage, camera } }: BenchFile): boolean {
  return stage.driver === "simulated" && camera.driver === "simulated";
}

/** The light of a run as its run.json and the bench's description at the head of its journal tell it. */
export function recordedLight({ record, events }: Pick<StoredRun, "record" | "events">): RecordedLight | NoLight {
  const description = descriptionOf(events);
  if (!record.simulated) return none("real light cannot be had twice");
  if (description === undefined) return none("its journal does not begin with the opening of a bench");
  const { scenario, seed, instruments = {} } = record;
  try {
    if (scenario !== undefined && seed !== undefined) {
      const built = builtFromSchema.parse(instruments);
      const sensor = sensorOf(description);
      return sensor === undefined
        ? none(
            `its sensor of ${sizeOf(description)} pixels and ${description.bit_depth} bits is none that is simulated`,
          )
        : {
            ...light(scenario, seed, built.faults),
            sensor,
            orientation: {},
            isPlaceExact: true,
            instrumentFaults: built.instrument_faults,
          };
    }
    const file = benchFileSchema.safeParse(instruments["bench_file"]);
    return file.success ? lightOfFile(file.data) : none("it names no scenario and seed");
  } catch (error) {
    if (error instanceof UsageError) return none(error.message);
    if (error instanceof z.ZodError) return none("its run.json describes instruments that this version does not know");
    throw error;
  }
}

const none = (why: string): NoLight => ({ kind: "none", why });

function descriptionOf([opened]: readonly BenchEvent[]): BenchDescription | undefined {
  return opened?.type === "run_opened" ? opened.description : undefined;
}

/** Throws UsageError where there is no such scenario. */
function light(name: string, seed: number, faults: z.infer<typeof builtFromSchema>["faults"] = []) {
  const base = simulatedScenario(name, seed);
  const added = faults.map(({ ...fault }) => fault) as typeof base.faults;
  return { kind: "light", scenario: { ...base, faults: [...base.faults, ...added] }, seed } as const;
}

function lightOfFile(file: BenchFile): RecordedLight | NoLight {
  const { orientation = {} } = file;
  const { camera } = file.instruments;
  if (camera.driver !== "simulated") return none("its camera looked at light that is not the simulator's own");
  const { scenario, seed, sensor: size, pixel_format: pixelFormat } = camera;
  return {
    ...light(scenario, seed),
    sensor: given({ size, pixelFormat }),
    orientation,
    isPlaceExact: isSimulatorsOwn(file),
    instrumentFaults: [],
  };
}

const sizeOf = ({ sensor_width_px, sensor_height_px }: BenchDescription): string =>
  `${sensor_width_px}x${sensor_height_px}`;

const FORMATS: readonly PixelFormat[] = ["Mono8", "Mono10", "Mono12", "Mono16"];

/** The simulated sensor that is described; packing concerns the wire alone. */
function sensorOf(description: BenchDescription): SensorChoice | undefined {
  const size = SENSOR_SIZES.find((name) => name === sizeOf(description));
  const pixelFormat = FORMATS.find(
    (format) => createSensor({ pixelFormat: format }).bitDepth === description.bit_depth,
  );
  return size === undefined || pixelFormat === undefined ? undefined : { size, pixelFormat };
}
