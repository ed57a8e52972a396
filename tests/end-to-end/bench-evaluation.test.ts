import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { CAUSTIC, runCaustic } from "../../main/app/run-caustic.ts";
import { evaluationResultsSchema } from "../../main/contract/evaluation-results.ts";
import {
  cameraTitle,
  eventually,
  TURN_DEADLINE_ms,
  takeLoopbackTurn,
  WHY_NO_CAMERAS,
} from "../support/loopback-cameras.ts";

/* `caustic eval --bench`: contenders on a bench whose instruments speak as real ones do. */

const folder = mkdtempSync(join(tmpdir(), "caustic-eval-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const QUICK_STAGE =
  '{ driver: zaber-ascii, address: "emulated://zaber-ascii?velocity_mm_s=80&acceleration_mm_s2=1000", microstep_um: 0.047625, calibration: { zero_mm: 60 }, home_at_start: true }';

function benchFile(name: string, camera: string): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(
    path,
    `bench: ${name}
wavelength_nm: 632.8
pixel_pitch_um: 5.5
instruments:
  stage: ${QUICK_STAGE}
  camera: ${camera}
  shutter: { driver: simulated }
limits: { z_min_mm: 62, z_max_mm: 208 }
`,
  );
  return path;
}

function planFile(): string {
  const path = join(folder, "plan.yaml");
  writeFileSync(
    path,
    readFileSync(join(import.meta.dirname, "../../tasks/plans/bench-repeatability.yaml"), "utf8").replace(
      /\n {6}- case: H2[\s\S]*?hides\.\n/,
      "\n",
    ),
  );
  return path;
}

test.runIf(WHY_NO_CAMERAS === undefined)(
  cameraTitle(
    "an emulated Zaber stage and an emulated GigE Vision camera: scripted, naive and constant, and again from what is there",
  ),
  async () => {
    const giveBack = await takeLoopbackTurn();
    try {
      const camera = "{ driver: genicam, address: 'emulated://camera?scenario=clean&seed=7', pixel_format: Mono12p }";
      const file = benchFile("gige", camera);
      const out = join(folder, "gige");
      const args = ["eval", planFile(), "--bench", file, "--exploratory", "--out", out, "--jobs", "4", "--json"];
      const run = async () => {
        const { status, stdout, stderr } = await runCaustic(args);
        expect(stderr).toBe("");
        expect(status).toBe(0);
        return stdout;
      };
      const first = await eventually("the camera's port", run);
      const results = evaluationResultsSchema.parse(JSON.parse(first));
      expect(results.rows.map((row) => [row.contender, row.status, row.verdict])).toEqual([
        ["scripted", "finished", "iso_compliant"],
        ["naive", "finished", "estimate_not_compliant"],
        ["constant", "finished", "iso_compliant"],
      ]);
      expect(results.bench).toMatchObject({ bench: "gige", kind: "emulated" });
      const [scripted, naive] = results.rows;
      // The beam of the emulated camera has M² 1.2 on x, which nobody has told the plan.
      for (const row of [scripted, naive]) {
        expect(row?.m2_error_x).toBeUndefined();
        expect(Math.abs((row?.m2_x?.value ?? Number.NaN) - 1.2)).toBeLessThan(4 * (row?.m2_x?.u ?? 0));
      }
      const record = JSON.parse(readFileSync(join(out, "runs/H1-scripted-e1/run.json"), "utf8")) as object;
      expect(record).toMatchObject({ bench: "gige", simulated: true, instruments: { start_z_mm: 62 } });
      expect(readdirSync(join(out, "runs/H1-scripted-e1/frames"))).toContain("m001-0.tiff");
      expect(readFileSync(join(out, "report.html"), "utf8")).toContain("EMULATED");
      // Nothing is measured again.
      expect(await eventually("the camera's port", run)).toBe(first);
      const graded = await runCaustic(["grade", join(out, "runs/H1-naive-e1")]);
      expect(graded).toMatchObject({ status: 0, stdout: expect.stringContaining("Both grades agree.") as string });
    } finally {
      await giveBack();
    }
  },
  TURN_DEADLINE_ms,
);

test("the line stop on standard input fails the unit under way by that name, and the next one follows", async () => {
  const file = benchFile("stopped", "{ driver: simulated, scenario: clean, seed: 7 }");
  const out = join(folder, "stopped");
  const child = spawn(process.execPath, [
    ...[
      CAUSTIC,
      "eval",
      planFile(),
      "--bench",
      file,
      "--exploratory",
      "--by",
      "naive,constant",
      "--out",
      out,
      "--json",
    ],
  ]);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.resume();
  const exit = once(child, "exit");
  // Pressed as soon as there is something to stop.
  const measures = (): boolean => {
    try {
      const [pid = ""] = readdirSync(join(out, "unfinished"));
      return readFileSync(join(out, "unfinished", pid, "H1-naive-e1/events.jsonl"), "utf8").includes(
        "measurement_taken",
      );
    } catch {
      return false;
    }
  };
  while (child.exitCode === null && !measures()) await sleep(50);
  child.stdin.write("stop\n");
  expect((await exit)[0]).toBe(1);
  const { rows } = evaluationResultsSchema.parse(JSON.parse(stdout));
  expect(rows.map((row) => [row.contender, row.status])).toEqual([
    ["naive", "failed"],
    ["constant", "finished"],
  ]);
  expect(rows[0]?.note).toContain("the operator pressed STOP");
}, 120_000);
