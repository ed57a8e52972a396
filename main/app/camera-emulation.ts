import { CameraServer } from "../../drivers/instruments/genicam/camera-server.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import { SensorView } from "../../simulators/instruments/sensor-view.ts";
import type { Scenario } from "../../simulators/world/scenario.ts";
import { fastestReadout } from "./frame-loops.ts";

export interface HostCameraOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly clock: Clock;
  /** Where the camera stands in the simulated beam at this instant. */
  readonly position_mm: () => number;
  readonly beamBlocked?: () => boolean;
  /** IPv4 address of a network interface of this machine, or its name. Default 127.0.0.1. */
  readonly interface?: string;
  readonly serialNumber?: string;
  /** Another GenICam description than the usual one. */
  readonly description?: string;
}

const SERIAL_NUMBER = "EMULATED-1";

/**
 * Puts a GigE Vision camera that looks at a simulated beam on the network. Rejects with the reason when the port is taken
 * or there is no such interface, and with `unsupported` where libaravis is missing.
 */
export async function hostCamera(options: HostCameraOptions): Promise<CameraServer> {
  const view = new SensorView({ ...options, ...fastestReadout() });
  return CameraServer.start(
    {
      serialNumber: options.serialNumber ?? SERIAL_NUMBER,
      sensorWidth_px: view.width_px,
      sensorHeight_px: view.height_px,
      ...(options.interface === undefined ? {} : { interface: options.interface }),
      ...(options.description === undefined ? {} : { description: options.description }),
    },
    (request) => view.look(request),
  );
}
