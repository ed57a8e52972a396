import { discoverGenicamCameras, openGenicamCamera } from "../../../drivers/instruments/genicam/index.ts";
import type { BeamCamera } from "../../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import type { FrameRoom } from "../../../drivers/protocol/frame-memory.ts";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import type { FrameOrientation, GenicamCameraEntry } from "../../contract/bench-file.ts";
import type { Scenario } from "../../../simulators/world/scenario.ts";
import { hostCamera } from "../camera-emulation.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { UsageError } from "../usage-error.ts";
import { given } from "./given.ts";

/** What the rest of the bench tells of it, beside the camera's own entry. */
export interface CameraPlace {
  readonly pixelPitch_um: number;
  readonly orientation?: FrameOrientation;
  /** Memory for the frames; of their own when absent. */
  readonly room?: (pixels: number) => FrameRoom;
  readonly clock: Clock;
}

/** What falls on a camera that is emulated in this process. */
export interface Surroundings {
  /** Where the stage is at this instant. */
  position_mm(): number;
  beamBlocked(): boolean;
}

const SCHEME = "emulated://camera?";

export const isEmulatedCamera = ({ address = "" }: Pick<GenicamCameraEntry, "address">): boolean =>
  address.startsWith("emulated://");

/** Reads "emulated://camera?scenario=NAME&seed=N". Throws UsageError with what was expected. */
export function readEmulatedCameraAddress(address: string): { readonly scenario: Scenario; readonly seed: number } {
  const query = new URLSearchParams(address.startsWith(SCHEME) ? address.slice(SCHEME.length) : "");
  const scenario = query.get("scenario") ?? "";
  const seed = query.get("seed") ?? "";
  if (scenario === "" || !/^\d{1,15}$/.test(seed) || query.size !== 2) {
    throw new UsageError("expected emulated://camera?scenario=<name>&seed=<whole number>");
  }
  return { scenario: simulatedScenario(scenario, Number(seed)), seed: Number(seed) };
}

/**
 * Starts the GigE Vision camera that "emulated://camera?scenario=NAME&seed=N" names, on the loopback interface, in the light
 * of the bench.
 *
 * @throws UsageError naming the part that does not fit; InstrumentError `unsupported` without libaravis.
 */
export async function startEmulatedCamera(
  address: string,
  clock: Clock,
  surroundings: Surroundings,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { scenario, seed } = readEmulatedCameraAddress(address);
  const server = await hostCamera({
    scenario,
    seed,
    clock,
    position_mm: () => surroundings.position_mm(),
    beamBlocked: () => surroundings.beamBlocked(),
  }).catch((error: unknown) => {
    if (error instanceof InstrumentError) throw error;
    throw new UsageError(`${address}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return { address: "127.0.0.1", close: () => server.close() };
}

/**
 * Opens the camera of a bench file; one without an address when it is the only one that answers.
 *
 * @throws InstrumentError of the driver; `not_connected` where none or several answer.
 */
export async function openConfiguredCamera(entry: GenicamCameraEntry, place: CameraPlace): Promise<BeamCamera> {
  const { pixel_format, region, gain_db, black_level_counts, frame_rate_hz, packet_size_bytes } = entry;
  const { transpose, flip_x, flip_y } = place.orientation ?? {};
  return openGenicamCamera({
    ...given({
      pixelFormat: pixel_format,
      region:
        region === undefined
          ? undefined
          : { x: region.x_px, y: region.y_px, width: region.width_px, height: region.height_px },
      gain_db,
      blackLevel_counts: black_level_counts,
      frameRate_Hz: frame_rate_hz,
      packetSize_bytes: packet_size_bytes,
      room: place.room,
    }),
    orientation: given({ transpose, mirrorColumns: flip_x, mirrorRows: flip_y }),
    address: entry.address ?? (await onlyCamera()),
    pixelPitch_um: place.pixelPitch_um,
    clock: place.clock,
  });
}

async function onlyCamera(): Promise<string> {
  const cameras = await discoverGenicamCameras();
  const [first] = cameras;
  if (first !== undefined && cameras.length === 1) return first.id;
  throw new InstrumentError(
    "not_connected",
    "GenICam camera",
    first === undefined
      ? "no camera answers"
      : `several cameras answer: ${cameras.map(({ id, serialNumber }) => `${id} (serial ${serialNumber})`).join("; ")}`,
    {},
    "name the camera by its address in the bench file; caustic devices lists what answers",
  );
}
