import type { BeamCamera } from "../../protocol/beam-camera.ts";
import { requireGenicam } from "./availability.ts";
import { GenicamCamera, type GenicamCameraOptions } from "./camera.ts";

export { genicamAvailability, type GenicamAvailability } from "./availability.ts";
export type { GenicamCameraOptions } from "./camera.ts";
export { discoverGenicamCameras, type GenicamDeviceDescription } from "./discovery.ts";

/**
 * Connects to a camera, with every automatic function off and verified. Errors are `InstrumentError`: `unsupported` where
 * the addon is missing, and those of `GenicamCamera.open`.
 */
export async function openGenicamCamera(options: GenicamCameraOptions): Promise<BeamCamera> {
  return GenicamCamera.open(requireGenicam(), options);
}
