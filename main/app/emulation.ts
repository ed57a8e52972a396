import { spawn } from "node:child_process";
import { existsSync, lstatSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { EmulatedController } from "../../simulators/controllers/emulated-controller.ts";
import { GrblController } from "../../simulators/controllers/grbl/grbl-controller.ts";
import { NewportController } from "../../simulators/controllers/newport-conex-smc/newport-controller.ts";
import { PiGcs2Controller } from "../../simulators/controllers/pi-gcs2/pi-gcs2-controller.ts";
import { ThorlabsAptController } from "../../simulators/controllers/thorlabs-apt/thorlabs-apt-controller.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";

/** Mechanics behind an emulated controller that are not the maker's own. */
export interface EmulatedMechanics {
  readonly travel_mm?: number;
  readonly velocity_mm_s?: number;
  readonly acceleration_mm_s2?: number;
  /** True position at power-up, from the reference mark. */
  readonly position_mm?: number;
}

/** The controllers that can be emulated, by the name that a person types. */
export const EMULATED_CONTROLLERS: Readonly<
  Record<string, (clock: Clock, mechanics?: EmulatedMechanics) => EmulatedController>
> = {
  "zaber-ascii": (clock, mechanics) => new ZaberAsciiController(clock, mechanics),
  "thorlabs-lts150": (clock, mechanics) => new ThorlabsAptController(clock, aptSettings("LTS150", mechanics)),
  "thorlabs-lts300": (clock, mechanics) => new ThorlabsAptController(clock, aptSettings("LTS300", mechanics)),
  "thorlabs-kdc101": (clock, mechanics) => new ThorlabsAptController(clock, aptSettings("KDC101", mechanics)),
  "newport-conex-cc": (clock, mechanics) => new NewportController(clock, mechanics),
  "newport-smc100": (clock, mechanics) => new NewportController(clock, { ...mechanics, controller: "SMC100" }),
  "pi-gcs2": (clock, mechanics = {}) => {
    const { velocity_mm_s } = mechanics;
    return new PiGcs2Controller(clock, {
      ...mechanics,
      ...(velocity_mm_s === undefined ? {} : { velocityMax_mm_s: 2 * velocity_mm_s }),
    });
  },
  grbl: (clock, mechanics = {}) => {
    const { velocity_mm_s } = mechanics;
    return new GrblController(clock, {
      ...mechanics,
      ...(velocity_mm_s === undefined ? {} : { homingVelocity_mm_s: velocity_mm_s }),
    });
  },
};

function aptSettings(model: "LTS150" | "LTS300" | "KDC101", mechanics: EmulatedMechanics = {}) {
  const { velocity_mm_s } = mechanics;
  return { ...mechanics, model, ...(velocity_mm_s === undefined ? {} : { homeVelocity_mm_s: velocity_mm_s }) };
}

/**
 * Where the controller's own coordinate has its zero, in mm from the reference mark of the carriage: GRBL counts the
 * places of its travel from −travel to 0.
 */
export function controllerZero_mm(controller: EmulatedController): number {
  return controller instanceof GrblController ? controller.settings.travel_mm : 0;
}

/** An emulated controller that programs outside can reach. */
export interface HostedController {
  /** What a driver is given: "tcp://127.0.0.1:4001", or the path of a pseudo-terminal. */
  readonly address: string;
  /** Resolves to the reason where the line ends by itself; pending as long as it is there. */
  readonly lost?: Promise<string>;
  close(): Promise<void>;
}

const HANDOVER_ms = 100;

/**
 * Serves the controller on a TCP port of this machine (0: any that is free), to one client at a time as a serial device
 * server does. Fails with the system's error when the port is taken.
 */
export async function hostOnTcp(controller: EmulatedController, port = 0): Promise<HostedController> {
  let client: Socket | undefined;
  const retired = new AbortController();
  controller.retireWith(retired.signal);
  controller.onTransmit((bytes) => client?.write(bytes));
  const adopt = (socket: Socket): void => {
    client = socket;
    socket.on("data", (bytes) => controller.receive(new Uint8Array(bytes)));
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      client = undefined;
    });
    controller.opened();
  };
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    if (client === undefined) {
      adopt(socket);
      return;
    }
    // A client that has just gone may still be on its way out.
    setTimeout(() => {
      if (client === undefined && !socket.destroyed) {
        adopt(socket);
      } else {
        socket.destroy();
      }
    }, HANDOVER_ms);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = server.address();
  return {
    address: `tcp://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : port}`,
    close: async () => {
      retired.abort();
      client?.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

const PTY_DEADLINE_ms = 5000;
const PTY_POLL_ms = 20;

/**
 * Serves the controller on a pseudo-terminal whose path is `link`, made by socat. It has no modem lines: a client that
 * insists on them needs TCP. Fails when socat is not installed.
 */
export async function hostOnPty(controller: EmulatedController, link: string): Promise<HostedController> {
  if (existsSync(link)) {
    throw new Error(`${link} exists already`);
  }
  const tcp = await hostOnTcp(controller);
  const { port } = new URL(tcp.address);
  const socat = spawn("socat", [`PTY,link=${link},rawer`, `TCP:127.0.0.1:${port},nodelay`], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => {
    socat.once("exit", () => {
      // Where socat was killed its link is left, and leads nowhere.
      if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(link)) rmSync(link);
      resolve();
    });
    socat.once("error", () => resolve());
  });
  const failed = new Promise<never>((_resolve, reject) => {
    socat.once("error", () => reject(new Error("a pseudo-terminal needs socat, which is not installed")));
    socat.once("exit", (code) => reject(new Error(`socat could not make ${link} (status ${String(code)})`)));
  });
  const appeared = async (): Promise<void> => {
    for (let waited_ms = 0; !existsSync(link); waited_ms += PTY_POLL_ms) {
      if (waited_ms > PTY_DEADLINE_ms) {
        throw new Error(`socat did not make ${link} within ${PTY_DEADLINE_ms} ms`);
      }
      await new Promise((resolve) => setTimeout(resolve, PTY_POLL_ms));
    }
  };
  let closing = false;
  const close = async (): Promise<void> => {
    closing = true;
    socat.kill();
    await ended;
    await tcp.close();
  };
  try {
    await Promise.race([appeared(), failed]);
  } catch (error) {
    await close();
    throw error;
  }
  failed.catch(() => undefined);
  const lost = new Promise<string>((resolve) => {
    void ended.then(() => {
      if (!closing) resolve(`socat has ended, so ${link} is gone`);
    });
  });
  return { address: link, lost, close };
}
