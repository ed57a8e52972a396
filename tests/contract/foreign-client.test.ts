import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { hostOnPty, hostOnTcp } from "../../main/app/emulation.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { EMULATED_STAGES } from "../support/emulated-stages.ts";

const PYTHON = "/usr/bin/python3";
const CLIENT = join(import.meta.dirname, "foreign-client.py");

function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const hasPySerial = runs(PYTHON, ["-c", "import serial"]);
const hasSocat = runs("socat", ["-V"]);
const CLIENTS = [
  { kind: "zaber", stage: "zaber-ascii" },
  { kind: "apt", stage: "thorlabs-apt LTS150" },
];

async function runClient(kind: string, url: string): Promise<void> {
  // A failed expectation of the client is the message of the error.
  await promisify(execFile)(PYTHON, [CLIENT, kind, url]);
}

describe(hasPySerial ? "python3-serial" : "python3-serial (skipped: not installed)", { concurrent: true }, () => {
  test.runIf(hasPySerial).each(CLIENTS)("drives $stage over TCP by the manual's bytes", async ({ kind, stage }) => {
    const emulated = EMULATED_STAGES.find(({ name }) => name === stage);
    const controller = emulated?.makeController(new RealClock(), "quick");
    expect(controller).toBeDefined();
    if (controller !== undefined) {
      const hosted = await hostOnTcp(controller);
      await runClient(kind, hosted.address.replace("tcp:", "socket:"));
      await hosted.close();
      expect(controller.position_mm()).toBeGreaterThan(0.1);
    }
  });

  const overPty = hasPySerial && hasSocat;
  test.runIf(overPty).each(CLIENTS)(
    "drives $stage over a pseudo-terminal by the manual's bytes",
    async ({ kind, stage }) => {
      const emulated = EMULATED_STAGES.find(({ name }) => name === stage);
      const controller = emulated?.makeController(new RealClock(), "quick");
      expect(controller).toBeDefined();
      if (controller !== undefined) {
        const folder = mkdtempSync(join(tmpdir(), "stage-"));
        const hosted = await hostOnPty(controller, join(folder, "port"));
        await runClient(kind, hosted.address);
        await hosted.close();
        rmSync(folder, { recursive: true });
        expect(controller.position_mm()).toBeGreaterThan(0.1);
      }
    },
  );
});
