import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openGenicamCamera } from "../../drivers/instruments/genicam/index.ts";
import { openPiGcs2Stage, PI_GCS2_SERIAL } from "../../drivers/instruments/pi-gcs2/stage.ts";
import { linkForAddress } from "../../drivers/transport/link-for-address.ts";
import { analyzeFrames } from "../../main/analysis/analyze-frame.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { CAUSTIC, runCaustic } from "../../main/app/run-caustic.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { beamTruth, trueD4sigma_um } from "../../simulators/world/truth.ts";
import {
  cameraTitle,
  eventually,
  TURN_DEADLINE_ms,
  takeLoopbackTurn,
  WHY_NO_CAMERAS,
} from "../support/loopback-cameras.ts";

/* `caustic emulate bench` in a process of its own: a stage and the camera on it, in one world, each on its own wire. */

let endTurn: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  if (WHY_NO_CAMERAS === undefined) endTurn = await takeLoopbackTurn();
}, TURN_DEADLINE_ms);
afterAll(() => endTurn());

const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

interface EmulatedBench {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stageAddress: string;
}

async function startBench(): Promise<EmulatedBench> {
  const child = spawn(process.execPath, [
    CAUSTIC,
    ...["emulate", "bench", "--scenario", "clean", "--seed", "7", "--stage", "pi-gcs2", "--tcp", "0"],
    ...["--serial", "BENCH-1"],
  ]);
  children.push(child);
  const lines: string[] = [];
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith("camera ")) break;
  }
  const stage = lines.find((line) => line.startsWith("stage "));
  if (stage === undefined) throw new Error(`no stage: ${stderr}`);
  expect(lines).toContain("camera BENCH-1");
  return { child, stageAddress: stage.slice("stage ".length) };
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
}

describe.skipIf(WHY_NO_CAMERAS !== undefined)(cameraTitle("caustic emulate bench"), () => {
  test("the camera shows the beam where the stage is, blocked or open", async () => {
    const { child, stageAddress } = await eventually("the bench", startBench);
    const clock = new RealClock();
    const stage = await openPiGcs2Stage(linkForAddress(stageAddress, PI_GCS2_SERIAL), clock);
    const camera = await openGenicamCamera({ address: "BENCH-1", pixelPitch_um: 5.5, patience_ms: 15_000, clock });
    await stage.home();
    await camera.setExposure(0.9);
    const truth = beamTruth(SCENARIOS.clean);
    for (const z_mm of [100, 120]) {
      await stage.moveTo(z_mm);
      const shots = [];
      for (let frame = 0; frame < 4; frame++) {
        shots.push(await camera.acquire({ label: { purpose: "measurement", acquisition: 0, frame } }));
      }
      const result = analyzeFrames({ ...camera.info, frames: shots.map(({ samples }) => samples) });
      if (result.kind !== "measured") throw new Error(result.reasons.join("; "));
      const { d4sigmaX_um, uX_um } = result.widths;
      const true_um = trueD4sigma_um(truth.x, z_mm);
      expect(Math.abs(d4sigmaX_um - true_um)).toBeLessThan(4 * Math.hypot(uX_um, 0.003 * true_um));
    }
    child.stdin.write("block\n");
    await eventually("a dark frame", async () => {
      const { samples } = await camera.acquire({ label: { purpose: "dark", acquisition: 0, frame: 0 } });
      if (samples.some((sample) => sample > 64 + 8 * 3)) throw new Error("there is light");
    });
    await camera.close();
    await stage.close();
    await end(child);
  });

  test("a port that is taken is one sentence and status 2", async () => {
    const { child } = await eventually("the bench", startBench);
    const { status, stderr } = await runCaustic(["emulate", "camera", "--scenario", "clean", "--seed", "1"]);
    expect(status).toBe(2);
    expect(stderr).toContain("--interface 127.0.0.1: port 3956 of 127.0.0.1: Address already in use");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    await end(child);
  });
});
