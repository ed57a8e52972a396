import type { BeamCamera } from "../../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";

/** What the driver is asked for. Absent fields leave the camera's own choice. */
export interface GenicamRequest {
  readonly address?: string;
  readonly pixelPitch_um: number;
  readonly pixelFormat?: string;
  readonly region?: {
    readonly x_px: number;
    readonly y_px: number;
    readonly width_px: number;
    readonly height_px: number;
  };
  readonly gain_db?: number;
  readonly blackLevel?: number;
  readonly packetSize_bytes?: number;
  readonly clock: Clock;
}

/** A camera on the network or a USB plug. */
export interface GenicamListing {
  readonly id: string;
  readonly address?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly serialNumber?: string;
  readonly protocol?: string;
}

interface GenicamDriver {
  genicamAvailability(): { readonly available: boolean; readonly reason?: string };
  discoverGenicamCameras(): Promise<readonly GenicamListing[]>;
  openGenicamCamera(request: GenicamRequest): Promise<BeamCamera>;
}

/** The driver needs a native addon: it is loaded when a camera is asked for, and the rest works without it. */
async function loadDriver(): Promise<GenicamDriver | string> {
  const path = "../../../drivers/instruments/genicam/index.ts";
  let driver: GenicamDriver;
  try {
    driver = (await import(path)) as GenicamDriver;
  } catch (error) {
    return `the GenICam driver does not load: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`;
  }
  const { available, reason } = driver.genicamAvailability();
  return available ? driver : (reason ?? "the GenICam driver is not built");
}

/** The cameras that answer, or why none can be looked for. */
export async function findGenicamCameras(): Promise<{
  readonly cameras: readonly GenicamListing[];
  readonly missing?: string;
}> {
  const driver = await loadDriver();
  if (typeof driver === "string") return { cameras: [], missing: driver };
  return { cameras: await driver.discoverGenicamCameras() };
}

/** Opens a camera. Errors are `InstrumentError`. */
export async function openGenicam(request: GenicamRequest): Promise<BeamCamera> {
  const driver = await loadDriver();
  if (typeof driver === "string") {
    throw new InstrumentError("unsupported", "GenICam camera", driver, {}, "caustic doctor says what to install");
  }
  return driver.openGenicamCamera(request);
}
