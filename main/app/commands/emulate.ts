import { createInterface } from "node:readline";
import type { Command } from "commander";
import type { CameraServer } from "../../../drivers/instruments/genicam/camera-server.ts";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import type { EmulatedController } from "../../../simulators/controllers/emulated-controller.ts";
import { hostCamera } from "../camera-emulation.ts";
import { EMULATED_CONTROLLERS, type HostedController, hostOnPty, hostOnTcp } from "../emulation.ts";
import { numberOption } from "../option-values.ts";
import { RealClock } from "../real-clock.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

const NAMES = Object.keys(EMULATED_CONTROLLERS).join(", ");
const LOOPBACK = "127.0.0.1";

interface LineOptions {
  readonly tcp?: string;
  readonly pty?: string;
}

interface CameraOptions {
  readonly scenario?: string;
  readonly seed?: number;
  readonly z: number;
  readonly interface: string;
  readonly serial?: string;
}

interface EmulateOptions extends LineOptions, CameraOptions {
  readonly stage?: string;
}

/** Something that is served until the command ends. */
interface Served {
  readonly lost?: Promise<string>;
  readonly close: () => Promise<void>;
}

/** Adds `caustic emulate`. */
export function registerEmulate(program: Command): void {
  program
    .command("emulate")
    .description(
      "an emulated stage controller or GigE Vision camera that speaks its maker's protocol, or a bench of both",
    )
    .argument("<what>", `camera, bench, or one of ${NAMES}`)
    .option("--tcp <port>", "serve the controller on a TCP port of this machine (0: any that is free)")
    .option("--pty <link>", "serve the controller on a pseudo-terminal with this path (needs socat)")
    .option("--scenario <name>", "camera, bench: which beam, or random_scenario")
    .option(
      "--seed <N>",
      "camera, bench: decides all noise",
      numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }),
    )
    .option("--stage <controller>", "bench: which controller carries the camera")
    .option("--z <mm>", "camera: where it stands in the beam; bench: where the stage's zero is", numberOption(), 0)
    .option("--interface <address>", "camera, bench: network interface, by address or name", LOOPBACK)
    .option("--serial <text>", "camera, bench: serial number of the camera")
    .addHelpText(
      "after",
      `
The camera answers on UDP port 3956 of its interface; one camera per address. While it runs, the lines "block" and "open"
on standard input put a shutter into the beam and take it out.

Example:
  $ caustic emulate zaber-ascii --tcp 4001
  $ caustic emulate camera --scenario clean --seed 7 --z 130
  $ caustic emulate bench --scenario clean --seed 7 --stage pi-gcs2 --tcp 4001`,
    )
    .action(async (name: string, options: EmulateOptions) => {
      const served = await serve(name, options);
      const ended = Promise.withResolvers<string | undefined>();
      process.once("SIGINT", () => ended.resolve(undefined));
      process.once("SIGTERM", () => ended.resolve(undefined));
      for (const { lost } of served) void lost?.then(ended.resolve);
      const trouble = await ended.promise;
      // A standard input that is still open would keep the process alive.
      process.stdin.destroy();
      for (const one of served) await one.close();
      if (trouble !== undefined) {
        throw new InstrumentError("connection_lost", `Emulated ${name}`, trouble, {}, "start it again");
      }
    });
}

/** An option that has no effect would leave somebody waiting for it. */
function refuseForeignOptions(name: string, options: EmulateOptions): void {
  const foreign: readonly (keyof EmulateOptions)[] =
    name === "camera" ? ["tcp", "pty", "stage"] : name === "bench" ? [] : ["scenario", "seed", "serial", "stage"];
  const given = foreign.find((option) => options[option] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} does not belong to emulate ${name}`);
}

async function serve(name: string, options: EmulateOptions): Promise<readonly Served[]> {
  refuseForeignOptions(name, options);
  if (name === "camera") {
    const camera = await serveCamera(options, () => options.z);
    announceCamera(camera, options);
    return [camera];
  }
  if (name === "bench") return serveBench(options);
  const hosted = await hostController(makeController(name), options);
  printResult(hosted.address);
  printNote(`${name} is emulated at ${hosted.address}; end it with Ctrl+C`);
  return [hosted];
}

/** A stage and the camera on it, in one world. */
async function serveBench(options: EmulateOptions): Promise<readonly Served[]> {
  if (options.stage === undefined) throw new UsageError(`emulate bench needs --stage, one of ${NAMES}`);
  const controller = makeController(options.stage);
  const camera = await serveCamera(options, () => options.z + controller.position_mm());
  let stage: HostedController;
  try {
    stage = await hostController(controller, options);
  } catch (error) {
    await camera.close();
    throw error;
  }
  printResult(`stage ${stage.address}`);
  printNote(`${options.stage} is emulated at ${stage.address}`);
  announceCamera(camera, options);
  return [stage, camera];
}

function makeController(name: string): EmulatedController {
  const make = Object.hasOwn(EMULATED_CONTROLLERS, name) ? EMULATED_CONTROLLERS[name] : undefined;
  if (make === undefined) {
    throw new UsageError(`"${name}" cannot be emulated, expected camera, bench, or one of ${NAMES}`);
  }
  return make(new RealClock());
}

async function hostController(controller: EmulatedController, options: LineOptions): Promise<HostedController> {
  if (options.tcp !== undefined && options.pty !== undefined) {
    throw new UsageError("--tcp and --pty exclude each other");
  }
  if (options.pty !== undefined) {
    if (options.pty === "") throw new UsageError("--pty is empty, expected the path of the pseudo-terminal");
    return hostOnPty(controller, options.pty).catch((error: unknown) => {
      throw new UsageError(`--pty ${options.pty ?? ""}: ${reasonOf(error)}`);
    });
  }
  const port = Number(options.tcp ?? "0");
  if (options.tcp === "" || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--tcp ${options.tcp ?? ""} is not a port, expected 0 to 65535`);
  }
  return hostOnTcp(controller, port).catch((error: unknown) => {
    throw new UsageError(`--tcp ${port}: ${reasonOf(error)}`);
  });
}

async function serveCamera(options: CameraOptions, position_mm: () => number): Promise<CameraServer> {
  const { scenario, seed, serial } = options;
  if (scenario === undefined || seed === undefined) {
    throw new UsageError("an emulated camera needs --scenario and --seed");
  }
  if (serial !== undefined && !/^[\w-]{1,15}$/.test(serial)) {
    throw new UsageError(`--serial ${serial}: expected 1 to 15 letters, digits, - or _`);
  }
  let blocked = false;
  const camera = await hostCamera({
    scenario: simulatedScenario(scenario, seed),
    seed,
    clock: new RealClock(),
    position_mm,
    beamBlocked: () => blocked,
    interface: options.interface,
    ...(serial === undefined ? {} : { serialNumber: serial }),
  }).catch((error: unknown) => {
    if (error instanceof InstrumentError) throw error;
    throw new UsageError(`--interface ${options.interface}: ${reasonOf(error)}`);
  });
  createInterface({ input: process.stdin }).on("line", (line) => {
    const word = line.trim();
    if (word !== "block" && word !== "open") {
      printNote(`"${word}" is not known, expected block or open`);
      return;
    }
    blocked = word === "block";
    printNote(blocked ? "the beam is blocked" : "the beam is open");
  });
  return camera;
}

function announceCamera(camera: CameraServer, options: CameraOptions): void {
  printResult(`camera ${camera.serialNumber}`);
  printNote(
    `a GigE Vision camera is emulated on ${options.interface}, serial number ${camera.serialNumber}; end it with Ctrl+C`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
