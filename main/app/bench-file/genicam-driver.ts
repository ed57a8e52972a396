import type { BeamCamera } from "../../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";

/** What the driver is asked for. Absent fields leave the camera's own choice. */
interface GenicamRequest {
  readonly address: string;
  readonly pixelPitch_um: number;
  readonly pixelFormat?: string;
  readonly region?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly gain_db?: number;
  readonly blackLevel_counts?: number;
  readonly frameRate_Hz?: number;
  readonly packetSize_bytes?: number;
  readonly clock: Clock;
}

/** A camera that answers on a network or USB. */
export interface CameraListing {
  readonly id: string;
  readonly vendor: string;
  readonly model: string;
  readonly serialNumber: string;
  readonly address: string;
  readonly protocol: string;
}

interface GenicamDriver {
  genicamAvailability():
    | { readonly available: true }
    | { readonly available: false; readonly why: string; readonly mend: string };
  discoverGenicamCameras(): Promise<readonly CameraListing[]>;
  openGenicamCamera(request: GenicamRequest): Promise<BeamCamera>;
}

/** Why cameras cannot be used here, and what mends it. */
export interface CamerasMissing {
  readonly why: string;
  readonly mend: string;
}

/** The driver needs a native addon: it is loaded when a camera is asked for, and the rest works without it. */
async function loadDriver(): Promise<GenicamDriver | CamerasMissing> {
  const path = "../../../drivers/instruments/genicam/index.ts";
  let driver: GenicamDriver;
  try {
    driver = (await import(path)) as GenicamDriver;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { why: `the camera driver does not load: ${why}`, mend: "npm ci" };
  }
  const state = driver.genicamAvailability();
  return state.available ? driver : state;
}

/** The cameras that answer, or why none can be looked for. */
export async function findCameras(): Promise<{
  readonly cameras: readonly CameraListing[];
  readonly missing?: CamerasMissing;
}> {
  const driver = await loadDriver();
  if ("why" in driver) return { cameras: [], missing: driver };
  return { cameras: await driver.discoverGenicamCameras() };
}

/**
 * Opens a camera; without an address the only one that answers.
 *
 * @throws InstrumentError of the driver; `not_connected` where none or several answer.
 */
export async function openGenicam({
  address,
  ...request
}: Omit<GenicamRequest, "address"> & { readonly address?: string }): Promise<BeamCamera> {
  const driver = await loadDriver();
  if ("why" in driver) throw new InstrumentError("unsupported", NAME, driver.why, {}, driver.mend);
  return driver.openGenicamCamera({ ...request, address: address ?? (await onlyCamera(driver)) });
}

const NAME = "GenICam camera";

async function onlyCamera(driver: GenicamDriver): Promise<string> {
  const cameras = await driver.discoverGenicamCameras();
  const [first] = cameras;
  if (first !== undefined && cameras.length === 1) return first.id;
  throw new InstrumentError(
    "not_connected",
    NAME,
    first === undefined
      ? "no camera answers"
      : `several cameras answer: ${cameras.map(({ id, serialNumber }) => `${id} (serial ${serialNumber})`).join("; ")}`,
    {},
    "name the camera by address in the bench file; caustic devices lists what answers",
  );
}
