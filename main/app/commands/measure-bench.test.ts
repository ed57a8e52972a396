import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
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
