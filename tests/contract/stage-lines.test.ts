import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { linkForAddress } from "../../drivers/transport/link-for-address.ts";
import { MemoryLink } from "../../drivers/transport/memory-link.ts";
import { RecordingLink } from "../../drivers/transport/recording-link.ts";
import { ReplayLink } from "../../drivers/transport/replay-link.ts";
import { parseTrace } from "../../drivers/transport/trace.ts";
import { hostOnPty, hostOnTcp } from "../../main/app/emulation.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { EMULATED_STAGES, type EmulatedStage, simulatedClock } from "../support/emulated-stages.ts";
import { type JourneyLog, makeJourney } from "../support/journey.ts";

const JOURNEY = { refusals: ["not_homed", "out_of_range", "cancelled"], last: { moving: false, homed: true } };

function checkJourney({ states, refusals }: JourneyLog): void {
  expect(refusals).toEqual(JOURNEY.refusals);
  expect(states.at(-1)).toMatchObject(JOURNEY.last);
}

function hasSocat(): boolean {
  try {
    execFileSync("socat", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const SERIAL = { baudRate: 115_200 };

describe("over TCP", { concurrent: true }, () => {
  test.each(EMULATED_STAGES)("$name makes the journey", async (emulated) => {
    const clock = new RealClock();
    const controller = emulated.makeController(clock, "quick");
    const hosted = await hostOnTcp(controller);
    const stage = await emulated.open(linkForAddress(hosted.address, SERIAL), clock);
    checkJourney(await makeJourney(stage, clock));
    expect(Math.abs(((await stage.readState()).position_mm ?? Number.NaN) - controller.position_mm())).toBeLessThan(
      0.01,
    );
    await stage.close();
    await hosted.close();
  });

  test("a server that goes away in mid-move fails the move by name, and is found again", async () => {
    const clock = new RealClock();
    const { makeController, open } = EMULATED_STAGES[0] as EmulatedStage;
    const controller = makeController(clock);
    const hosted = await hostOnTcp(controller);
    const port = Number(new URL(hosted.address).port);
    const stage = await open(linkForAddress(hosted.address, SERIAL), clock, { velocity_mm_s: 50 });
    await stage.home();
    const move = stage.moveTo(100).catch((error: unknown) => error);
    await clock.wait(300);
    await hosted.close();
    expect(await move).toMatchObject({ code: "connection_lost" });
    await expect(stage.readState()).rejects.toMatchObject({ code: "not_connected" });
    const again = await hostOnTcp(makeController(clock), port);
    await stage.reconnect();
    // It is another power-up of the same instrument: its reference is gone, and says so.
    await expect(stage.moveTo(20)).rejects.toMatchObject({ code: "position_lost" });
    await stage.close();
    await again.close();
  });
});

describe(hasSocat() ? "over a pseudo-terminal" : "over a pseudo-terminal (skipped: no socat)", {
  concurrent: true,
}, () => {
  test.runIf(hasSocat()).each(EMULATED_STAGES)("$name makes the journey", async (emulated) => {
    const folder = mkdtempSync(join(tmpdir(), "stage-"));
    const clock = new RealClock();
    const controller = emulated.makeController(clock, "quick");
    const hosted = await hostOnPty(controller, join(folder, "port"));
    const stage = await emulated.open(linkForAddress(hosted.address, SERIAL), clock);
    checkJourney(await makeJourney(stage, clock));
    await stage.close();
    await hosted.close();
    rmSync(folder, { recursive: true });
  });

  test.runIf(hasSocat())(
    "one program at a time, in words; a port that goes away is lost, and found again",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "stage-"));
      const path = join(folder, "port");
      const clock = new RealClock();
      const { makeController, open } = EMULATED_STAGES[0] as EmulatedStage;
      const first = await hostOnPty(makeController(clock, "quick"), path);
      const link = linkForAddress(path, SERIAL);
      const stage = await open(link, clock);
      await expect(linkForAddress(path, SERIAL).open()).rejects.toMatchObject({ code: "busy" });
      await stage.home();
      const move = stage.moveTo(140).catch((error: unknown) => error);
      await clock.wait(200);
      await first.close();
      expect(await move).toBeInstanceOf(InstrumentError);
      expect(await move).toMatchObject({ code: "connection_lost" });
      await expect(link.write(Uint8Array.of(0x0a))).rejects.toMatchObject({ code: "connection_lost" });
      await expect(stage.readState()).rejects.toMatchObject({ code: "not_connected" });
      const second = await hostOnPty(makeController(clock, "quick"), path);
      await stage.home();
      expect((await stage.moveTo(10)).position_mm).toBeCloseTo(10, 2);
      await stage.close();
      await second.close();
      rmSync(folder, { recursive: true });
    },
  );
});

describe("recorded exchanges", () => {
  const file = (name: string): string =>
    join(import.meta.dirname, "../traces", `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.jsonl`);

  async function record(emulated: EmulatedStage): Promise<{ trace: string; log: JourneyLog }> {
    const clock = simulatedClock();
    const lines: string[] = [];
    const memory = new MemoryLink(emulated.name, emulated.makeController(clock, "quick"));
    const link = new RecordingLink(memory, clock, (line) => lines.push(line));
    const stage = await emulated.open(link, clock);
    const log = await makeJourney(stage, clock);
    await stage.close();
    return { trace: `${lines.join("\n")}\n`, log };
  }

  test.each(EMULATED_STAGES)(
    "$name sends byte for byte what it sent when the exchange was recorded",
    async (emulated) => {
      const path = file(emulated.name);
      if (process.env["CAUSTIC_RECORD_TRACES"] !== undefined) {
        writeFileSync(path, (await record(emulated)).trace);
      }
      expect(existsSync(path)).toBe(true);
      const clock = simulatedClock();
      const link = new ReplayLink(emulated.name, parseTrace(readFileSync(path, "utf8")), clock);
      const stage = await emulated.open(link, clock);
      const log = await makeJourney(stage, clock).catch((error: unknown) => {
        throw link.mismatch ?? error;
      });
      await stage.close();
      expect(link.mismatch).toBeUndefined();
      expect(link.remaining).toBe(0);
      checkJourney(log);
    },
  );

  test.each(EMULATED_STAGES)("$name: its emulator answers byte for byte what was recorded", async (emulated) => {
    const { trace, log } = await record(emulated);
    checkJourney(log);
    expect(trace).toBe(readFileSync(file(emulated.name), "utf8"));
  });

  test("a driver that sends anything else is found out", async () => {
    const { open, name } = EMULATED_STAGES[0] as EmulatedStage;
    const clock = simulatedClock();
    const text = readFileSync(file(name), "utf8").replace('"sent":"2f 31 20 31 20 33', '"sent":"2f 31 20 31 20 34');
    const link = new ReplayLink(name, parseTrace(text), clock);
    await expect(open(link, clock)).rejects.toThrow(/entry \d+: the program wants to send/);
    expect(link.mismatch).toBeDefined();
  });
});
