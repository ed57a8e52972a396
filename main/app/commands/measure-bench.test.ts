import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { EMULATED_CONTROLLERS, hostOnTcp } from "../emulation.ts";
import { RealClock } from "../real-clock.ts";
import { CAUSTIC, runCaustic } from "../run-caustic.ts";

const folder = mkdtempSync(join(tmpdir(), "caustic-measure-"));
const runs = join(folder, "runs");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BENCH = `bench: one
wavelength_nm: 632.8
instruments:
  stage: { driver: simulated }
  camera: { driver: simulated, scenario: clean, seed: 3 }
`;

function benchFile(text: string): string {
  const path = join(folder, `${readdirSync(folder).length}.yaml`);
  writeFileSync(path, text);
  return path;
}

/** Measures on the bench with a person at the terminal who answers `requests` times and then leaves. */
async function measureWithPerson(file: string, requests: number) {
  const child = spawn(process.execPath, [CAUSTIC, "measure", "--bench", file, "--out", runs, "--json"]);
  let [stdout, stderr, answered] = ["", "", 0];
  child.stdout.on("data", (bytes: Buffer) => {
    stdout += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
    while ((stderr.match(/press Enter/g)?.length ?? 0) > answered) {
      answered += 1;
      if (answered <= requests) child.stdin.write("\n");
      else child.stdin.end();
    }
  });
  child.stdin.on("error", () => undefined);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stdout, stderr };
}

describe("caustic measure --bench", () => {
  test("a person blocks and frees the beam when asked", async () => {
    const { status, stdout, stderr } = await measureWithPerson(benchFile(BENCH), 1000);
    expect(stderr).toMatch(/Block the beam, then press Enter\..*Free the beam, then press Enter\./s);
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as { darks: number; verdict: string; x: { m2: number; u_m2: number } };
    expect(result.verdict).toBe("iso_compliant");
    expect(stderr.match(/Block the beam/g)).toHaveLength(result.darks);
    expect(Math.abs(result.x.m2 - 1.2)).toBeLessThan(3 * result.x.u_m2);
  });

  test("where nobody answers the run ends with status 3 and says what is missing", async () => {
    const { status, stderr } = await measureWithPerson(benchFile(BENCH), 0);
    expect(status).toBe(3);
    expect(stderr).toContain('nobody answered to "Block the beam"');
    expect(stderr.trim().split("\n").at(-1)).toMatch(/^caustic measure: /);
  });

  test("a stage without a reference is refused before the run begins", async () => {
    const stage = '{ driver: pi-gcs2, address: "emulated://pi-gcs2" }';
    const { status, stderr } = await runCaustic([
      "measure",
      "--bench",
      benchFile(BENCH.replace("{ driver: simulated }", stage)),
      "--out",
      join(folder, "none"),
    ]);
    expect(status).toBe(3);
    expect(stderr).toMatch(/does not know where it is.*home_at_start/);
    expect(readdirSync(folder)).not.toContain("none");
  });

  test("a run that cannot be kept is refused with status 2 and the folder", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const bench = `${BENCH}  shutter: { driver: simulated }\n`;
    for (const what of [
      ["--bench", benchFile(bench)],
      ["--scenario", "clean", "--seed", "7"],
    ]) {
      const { status, stdout, stderr } = await runCaustic(["measure", ...what, "--out", join(file, "runs")]);
      expect(stderr).toMatch(/^caustic measure: the run cannot be kept in .*file\/runs: ENOTDIR/);
      expect(status).toBe(2);
      expect(stdout).toBe("");
    }
  });

  test("an instrument that fails before there is a run ends it with status 3 and its name alone", async () => {
    const stage = '{ driver: pi-gcs2, address: "emulated://pi-gcs2" }';
    const shutter = `  shutter: { driver: stage, open_mm: 5, closed_mm: 20, stage: ${stage} }\n`;
    const file = benchFile(`${BENCH}${shutter}`);
    const { status, stdout, stderr } = await runCaustic(["measure", "--bench", file, "--out", join(folder, "none")]);
    expect(stderr).toMatch(/^caustic measure: PI .* \(shutter\): absolute moves need a reference first.*\n$/);
    expect(status).toBe(3);
    expect(stdout).toBe("");
  });

  test.each([
    [["--bench", "nowhere.yaml"], /nowhere\.yaml cannot be read/],
    [["--bench", "x.yaml", "--scenario", "clean"], /--bench stands in place of --scenario/],
    [["--seed", "1"], /expected --scenario and --seed, or --bench/],
    [[], /expected --scenario and --seed, or --bench/],
  ])("%j is refused with status 2", async (args, message) => {
    const { status, stderr } = await runCaustic(["measure", ...args]);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  test("mistakes of the file are named with line and field", async () => {
    const { status, stderr } = await runCaustic(["measure", "--bench", benchFile(BENCH.replace("632.8", "red"))]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/\.yaml, line 2, column 1, wavelength_nm: expected number, found "red"/);
  });

  test("an evaluation whose cases name scenarios is refused on a bench", async () => {
    const { status, stderr } = await runCaustic(["eval", "tasks/plans/beam-quality.yaml", "--bench", benchFile(BENCH)]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/case A1 of group A names the simulated scenario "clean"/);
  });
});

/** A stage on a wire whose lines are kept, and `caustic measure` that moves it. */
async function measureOnWire(out: string) {
  const make = EMULATED_CONTROLLERS["zaber-ascii"];
  if (make === undefined) throw new Error("no such controller");
  const controller = make(new RealClock(), { velocity_mm_s: 4, position_mm: 1 });
  let sent = "";
  let deaf = false;
  const receive = controller.receive.bind(controller);
  controller.receive = (bytes) => {
    sent += Buffer.from(bytes).toString("latin1");
    if (!deaf) receive(bytes);
  };
  const line = await hostOnTcp(controller);
  const stage = `{ driver: zaber-ascii, address: "${line.address}", microstep_um: 0.047625, home_at_start: true }`;
  const file = benchFile(`${BENCH.replace("{ driver: simulated }", stage)}  shutter: { driver: simulated }\n`);
  const child = spawn(process.execPath, [CAUSTIC, "measure", "--bench", file, "--out", out]);
  let stderr = "";
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const stops = (): number => sent.match(/ stop/g)?.length ?? 0;
  await vi.waitFor(() => expect(sent).toMatch(/ move abs /), { timeout: 60_000 });
  return { child, controller, line, ended, stops, stderr: () => stderr, fallDeaf: () => void (deaf = true) };
}

function lastEvent(out: string): unknown {
  const [run = ""] = readdirSync(out);
  const line =
    readFileSync(join(out, run, "events.jsonl"), "utf8")
      .trim()
      .split("\n")
      .at(-1) ?? "";
  return (JSON.parse(line) as { event: unknown }).event;
}

describe("a signal while the stage moves", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s stops the stage and closes the run", async (signal) => {
    const out = join(folder, signal);
    const { child, controller, line, ended, stops, stderr } = await measureOnWire(out);
    const before = stops();
    child.kill(signal);
    expect(await ended).toBe(1);
    expect(stops()).toBeGreaterThan(before);
    expect(stderr()).toMatch(/caustic measure: the measurement was called off/);
    expect(lastEvent(out)).toMatchObject({ type: "run_closed", why: "abandoned" });
    const stands_mm = controller.position_mm();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(controller.position_mm()).toBe(stands_mm);
    await line.close();
  });

  test("a second one, while the stage does not answer, sends the stop again and leaves the run closed", async () => {
    const out = join(folder, "twice");
    const { child, line, ended, stops, stderr, fallDeaf } = await measureOnWire(out);
    fallDeaf();
    child.kill("SIGINT");
    await vi.waitFor(() => expect(stops()).toBeGreaterThan(0), { timeout: 10_000 });
    const before = stops();
    child.kill("SIGINT");
    await vi.waitFor(() => expect(stops()).toBeGreaterThan(before), { timeout: 10_000 });
    expect(await ended).toBe(3);
    expect(stderr()).toMatch(/no answer to/);
    expect(lastEvent(out)).toMatchObject({ type: "run_closed", why: "abandoned" });
    await line.close();
  });

  test("a simulated run is called off as well", async () => {
    const out = join(folder, "simulated");
    const child = spawn(process.execPath, [CAUSTIC, "measure", "--scenario", "clean", "--seed", "7", "--out", out]);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    await vi.waitFor(
      () => {
        const [run = ""] = readdirSync(out);
        expect(readFileSync(join(out, run, "events.jsonl"), "utf8")).toMatch(/move_started/);
      },
      { timeout: 60_000 },
    );
    child.kill("SIGINT");
    expect(await ended).toBe(1);
    expect(lastEvent(out)).toMatchObject({ type: "run_closed", why: "abandoned" });
  });
});
