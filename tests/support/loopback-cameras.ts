import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { CameraServer } from "../../drivers/instruments/genicam/camera-server.ts";
import { type GenicamAvailability, genicamAvailability } from "../../drivers/instruments/genicam/index.ts";
import { loadNativeGenicam, type NativeGenicam } from "../../drivers/instruments/genicam/native.ts";
import { type HostCameraOptions, hostCamera } from "../../main/app/camera-emulation.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";

/*
 * Cameras on this machine's loopback interface. A GigE Vision camera answers on UDP port 3956 and on no other, and libaravis
 * binds emulated ones to addresses that an interface has, so there is room for one at a time: tests take turns.
 */

const state: GenicamAvailability = genicamAvailability();

/** Why tests of cameras are skipped; undefined when they are not. */
export const WHY_NO_CAMERAS = state.available ? undefined : `${state.reason}: ${state.why}`;

/** For the title of a suite, so that a skipped one says why. */
export function cameraTitle(title: string): string {
  return WHY_NO_CAMERAS === undefined ? title : `${title} (skipped: ${WHY_NO_CAMERAS})`;
}

const TURN_ms = 100;
const PATIENCE_ms = 60_000;
/** Long enough for every other test of cameras to end. */
export const TURN_DEADLINE_ms = 600_000;

/** Waits for this process's turn and returns what ends it. The turn ends by itself with the process. */
export async function takeLoopbackTurn(): Promise<() => Promise<void>> {
  for (;;) {
    // An abstract socket: its name can be held once, and vanishes with who holds it.
    const server = createServer();
    const taken = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen({ path: "\0caustic-loopback-cameras" }, () => resolve(true));
    });
    if (taken) {
      return async () => {
        server.close();
        await once(server, "close");
      };
    }
    await sleep(TURN_ms);
  }
}

export function nativeGenicam(): NativeGenicam {
  const native = loadNativeGenicam();
  if (!native.loaded) throw new Error(native.detail);
  return native.addon;
}

/** An emulated camera on loopback that looks at the clean beam; waits for a port that somebody else has. */
export async function emulatedCamera(options: Partial<HostCameraOptions> = {}): Promise<CameraServer> {
  return eventually("an emulated camera on 127.0.0.1", () =>
    hostCamera({
      scenario: SCENARIOS.clean,
      seed: 7,
      clock: new RealClock(),
      position_mm: () => 130,
      serialNumber: "CONTRACT-1",
      ...options,
    }),
  );
}

/** libaravis' own camera program. */
export async function aravisCamera(serialNumber: string): Promise<ChildProcess> {
  return eventually("arv-fake-gv-camera-0.8", async () => {
    const child = spawn("arv-fake-gv-camera-0.8", ["-i", "127.0.0.1", "-s", serialNumber], { stdio: "ignore" });
    const native = nativeGenicam();
    const handle = await eventually("an answer", () => native.openCamera("127.0.0.1")).catch((error: unknown) => {
      child.kill();
      throw error;
    });
    await native.closeCamera(handle);
    if (child.exitCode !== null) throw new Error("it ended at once");
    return child;
  });
}

/** Tries until it works or patience ends. */
export async function eventually<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  const began_ms = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() - began_ms > PATIENCE_ms) throw new Error(`${what} did not come about`, { cause: error });
      await sleep(TURN_ms);
    }
  }
}
