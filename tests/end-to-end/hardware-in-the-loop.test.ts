import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostOnTcp } from "../../main/app/emulation.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { runCaustic } from "../../main/app/run-caustic.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";
import {
  cameraTitle,
  eventually,
  TURN_DEADLINE_ms,
  takeLoopbackTurn,
  WHY_NO_CAMERAS,
} from "../support/loopback-cameras.ts";

/*
 * `caustic measure` on benches whose stage is an emulated controller: commands and replies go through the driver over TCP
 * or a pseudo-terminal in the maker's bytes, in real time, and the simulated light falls on the camera where the emulated
 * carriage stands. M² is that of the beam, and that of the same light on the simulated stage.
 */

const folder = mkdtempSync(join(tmpdir(), "caustic-loop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const QUICK = "velocity_mm_s=80&acceleration_mm_s2=1000";
const hasSocat = spawnSync("socat", ["-V"]).error === undefined;

interface Loop {
  readonly name: string;
  readonly stage: string;
  readonly needsSocat?: true;
}

const LOOPS: readonly Loop[] = [
  {
    name: "Zaber ASCII over TCP",
    stage: `{ driver: zaber-ascii, address: "emulated://zaber-ascii?${QUICK}", microstep_um: 0.047625, calibration: { zero_mm: 60 }, home_at_start: true }`,
  },
  {
    name: "Thorlabs LTS150 over TCP, mounted against the beam",
    stage: `{ driver: thorlabs-apt, stage: LTS150, address: "emulated://thorlabs-lts150?${QUICK}", calibration: { zero_mm: 210, direction: -1 }, home_at_start: true }`,
  },
  {
    name: "Newport SMC100 over TCP",
    stage: `{ driver: newport-conex-smc, controller: SMC100, address: "emulated://newport-smc100?travel_mm=150&${QUICK}", calibration: { zero_mm: 60 }, home_at_start: true }`,
  },
  {
    name: "PI GCS 2 over a pseudo-terminal",
    stage: `{ driver: pi-gcs2, address: "emulated://pi-gcs2?line=pty&${QUICK}", home_at_start: true }`,
    needsSocat: true,
  },
  {
    name: "GRBL over TCP",
    stage: `{ driver: grbl, address: "emulated://grbl?${QUICK}", calibration: { zero_mm: 260 }, home_at_start: true }`,
  },
];

const SIMULATED_CAMERA = "{ driver: simulated, scenario: clean, seed: 7 }";

function benchFile(name: string, stage: string, camera = SIMULATED_CAMERA): string {
  const path = join(folder, `${name.replaceAll(/\W+/g, "-").toLowerCase()}.yaml`);
  const text = `bench: loop
wavelength_nm: 632.8
pixel_pitch_um: 5.5
instruments:
  stage: ${stage}
  camera: ${camera}
  shutter: { driver: simulated }
uncertainties: { z_mm: 0.003 }
limits: { z_min_mm: 62, z_max_mm: 208 }
`;
  writeFileSync(path, text);
  return path;
}

interface AxisOfRun {
  readonly determined: boolean;
  readonly m2: number;
  readonly u_m2: number;
}
interface Measured {
  readonly verdict: string;
  readonly x: AxisOfRun;
  readonly y: AxisOfRun;
  readonly truth?: { readonly x: { readonly m2: number }; readonly y: { readonly m2: number } };
  readonly run_dir: string;
}

async function measured(args: readonly string[]): Promise<Measured> {
  const { status, stdout, stderr } = await runCaustic(["measure", ...args, "--out", join(folder, "runs"), "--json"]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout) as Measured;
}

/** Both axes agree with the beam, and with another run in the same light, within twice the stated uncertainty. */
function expectSameBeam(run: Measured, simulated: Measured): void {
  expect(run.verdict).toBe(simulated.verdict);
  for (const axis of ["x", "y"] as const) {
    expect(run[axis].u_m2 / run[axis].m2).toBeLessThan(0.005);
    expect(Math.abs(run[axis].m2 - (simulated.truth?.[axis].m2 ?? Number.NaN))).toBeLessThan(2 * run[axis].u_m2);
    expect(Math.abs(run[axis].m2 - simulated[axis].m2)).toBeLessThan(
      2 * Math.hypot(run[axis].u_m2, simulated[axis].u_m2),
    );
  }
}

describe("hardware in the loop", () => {
  let simulated: Measured;
  beforeAll(async () => {
    simulated = await measured(["--scenario", "clean", "--seed", "7"]);
  });

  for (const { name, stage, needsSocat } of LOOPS) {
    const run = needsSocat === true && !hasSocat ? test.skip : test.concurrent;
    run(`${name}: M² is the simulator's`, async () => {
      const result = await measured(["--bench", benchFile(name, stage)]);
      expectSameBeam(result, simulated);
      expect(result.truth).toBeUndefined();
      const record = JSON.parse(readFileSync(join(result.run_dir, "run.json"), "utf8")) as { simulated: boolean };
      // The light was not real, whatever the line was.
      expect(record.simulated).toBe(true);
      expect(readdirSync(join(result.run_dir, "frames")).some((file) => file.endsWith(".tiff"))).toBe(true);
    });
  }

  test.concurrent("a controller in another program: the simulated camera stands where the stage says that it is", async () => {
    const controller = new ZaberAsciiController(new RealClock(), { velocity_mm_s: 80, acceleration_mm_s2: 1000 });
    const hosted = await hostOnTcp(controller);
    try {
      const stage = `{ driver: zaber-ascii, address: "${hosted.address}", microstep_um: 0.047625, calibration: { zero_mm: 60 }, home_at_start: true }`;
      expectSameBeam(await measured(["--bench", benchFile("another program", stage)]), simulated);
      expect(controller.position_mm()).toBeGreaterThan(1);
    } finally {
      await hosted.close();
    }
  });

  test.concurrent("an instrument that does not answer ends the command with status 3 and one sentence", async () => {
    const hosted = await hostOnTcp(new ZaberAsciiController(new RealClock()));
    await hosted.close();
    const { status, stderr } = await runCaustic([
      "measure",
      "--bench",
      benchFile("nobody there", `{ driver: zaber-ascii, address: "${hosted.address}", microstep_um: 0.047625 }`),
      "--out",
      join(folder, "runs"),
    ]);
    expect(status).toBe(3);
    expect(stderr).toMatch(/^caustic measure: .*127\.0\.0\.1:\d+.*\n$/);
  });

  test.runIf(WHY_NO_CAMERAS === undefined)(
    cameraTitle("Zaber ASCII over TCP and a GigE Vision camera over its protocol: M² is the simulator's"),
    async () => {
      const giveBack = await takeLoopbackTurn();
      try {
        const [{ stage } = { stage: "" }] = LOOPS;
        const camera = "{ driver: genicam, address: 'emulated://camera?scenario=clean&seed=7', pixel_format: Mono12p }";
        const file = benchFile("gige", stage, camera);
        const run = await eventually("the camera's port", () => measured(["--bench", file]));
        expectSameBeam(run, simulated);
        const frames = readdirSync(join(run.run_dir, "frames"));
        expect(frames).toContain("m001-0.tiff");
        const frame = readFileSync(join(run.run_dir, "frames", "m001-0.tiff"));
        // A TIFF of 16 bits that says that its light was simulated.
        expect(frame.subarray(0, 2).toString()).toMatch(/II|MM/);
        expect(frame.length).toBeGreaterThan(2 * 640 * 480);
        expect(frame.includes("simulated")).toBe(true);
      } finally {
        await giveBack();
      }
    },
    TURN_DEADLINE_ms,
  );
});
