import type { Command } from "commander";
import { EMULATED_CONTROLLERS, type HostedController, hostOnPty, hostOnTcp } from "../emulation.ts";
import { RealClock } from "../real-clock.ts";
import { printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

const NAMES = Object.keys(EMULATED_CONTROLLERS).join(", ");

/** Adds `caustic emulate`. */
export function registerEmulate(program: Command): void {
  program
    .command("emulate")
    .description("an emulated stage controller that speaks its maker's protocol")
    .argument("<controller>", `one of ${NAMES}`)
    .option("--tcp <port>", "serve on a TCP port of this machine (0: any that is free)")
    .option("--pty <link>", "serve on a pseudo-terminal with this path (needs socat)")
    .addHelpText("after", "\nExample:\n  $ caustic emulate zaber-ascii --tcp 4001")
    .action(async (name: string, options: { tcp?: string; pty?: string }) => {
      const hosted = await host(name, options);
      printResult(hosted.address);
      printNote(`${name} is emulated at ${hosted.address}; end it with Ctrl+C`);
      await new Promise<void>((resolve) => {
        process.once("SIGINT", () => resolve());
        process.once("SIGTERM", () => resolve());
      });
      await hosted.close();
    });
}

async function host(name: string, options: { tcp?: string; pty?: string }): Promise<HostedController> {
  const make = Object.hasOwn(EMULATED_CONTROLLERS, name) ? EMULATED_CONTROLLERS[name] : undefined;
  if (make === undefined) {
    throw new UsageError(`"${name}" cannot be emulated, expected one of ${NAMES}`);
  }
  if (options.tcp !== undefined && options.pty !== undefined) {
    throw new UsageError("--tcp and --pty exclude each other");
  }
  const controller = make(new RealClock());
  if (options.pty !== undefined) {
    return hostOnPty(controller, options.pty).catch((error: unknown) => {
      throw new UsageError(`--pty ${options.pty ?? ""}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  const port = Number(options.tcp ?? "0");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--tcp ${options.tcp ?? ""} is not a port, expected 0 to 65535`);
  }
  return hostOnTcp(controller, port).catch((error: unknown) => {
    throw new UsageError(`--tcp ${port}: ${error instanceof Error ? error.message : String(error)}`);
  });
}
