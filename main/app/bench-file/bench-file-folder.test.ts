import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { OfferedBenches } from "../window/offered-benches.ts";
import { offerBenchOfFile } from "../bench-desk.ts";
import { BenchFileFolder } from "./bench-file-folder.ts";
import { parseBenchFile } from "./read-bench-file.ts";

const root = mkdtempSync(join(tmpdir(), "caustic-benches-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const TEXT = `# My bench.
bench: mine

wavelength_nm: 632.8 # the reference laser
instruments:
  stage:
    driver: zaber-ascii
    # The left port.
    address: "emulated://zaber-ascii?position_mm=40"
    microstep_um: 0.047625
    calibration: { zero_mm: 60 } # measured with a ruler
  camera: { driver: simulated, scenario: clean, seed: 1 }
# Nobody goes farther.
limits:
  z_min_mm: 65 # the wall
`;

function folderWith(text: string) {
  const folder = mkdtempSync(join(root, "folder-"));
  writeFileSync(join(folder, "mine.yaml"), text);
  const files = new BenchFileFolder(folder, (file) => offerBenchOfFile(file, { keepIn: join(folder, "runs") }));
  return { folder, files, read: () => readFileSync(join(folder, "mine.yaml"), "utf8") };
}

test("a folder lists its benches with what the window edits, and files that are none with what is wrong", () => {
  const { folder, files } = folderWith(TEXT);
  writeFileSync(join(folder, "broken.yml"), "bench: one\n");
  writeFileSync(join(folder, "notes.txt"), "no bench");
  expect(files.list()).toEqual([
    { file: "broken.yml", text: "bench: one\n", problem: expect.stringMatching(/line 1, column 1, /) as string },
    {
      file: "mine.yaml",
      text: TEXT,
      settings: {
        bench: "mine",
        wavelength_nm: 632.8,
        limits: { z_min_mm: 65 },
        keep_out_zones: [],
        calibration: { zero_mm: 60 },
      },
    },
  ]);
  expect(new BenchFileFolder(join(folder, "nowhere"), () => never()).list()).toEqual([]);
});

function never(): never {
  throw new Error("not asked for");
}

test("an edit changes its fields alone: comments, order and quotes stay", () => {
  const { files, read } = folderWith(TEXT);
  files.edit("mine.yaml", [
    { path: ["limits", "z_min_mm"], value: 70 },
    { path: ["limits", "z_max_mm"], value: 200 },
    { path: ["instruments", "stage", "calibration", "direction"], value: -1 },
    { path: ["wavelength_nm"], value: 1064 },
    { path: ["keep_out_zones"], value: [{ from_mm: 90, to_mm: 96, why: "lens mount" }] },
  ]);
  expect(read()).toBe(`# My bench.
bench: mine

wavelength_nm: 1064 # the reference laser
instruments:
  stage:
    driver: zaber-ascii
    # The left port.
    address: "emulated://zaber-ascii?position_mm=40"
    microstep_um: 0.047625
    calibration: { zero_mm: 60, direction: -1 } # measured with a ruler
  camera: { driver: simulated, scenario: clean, seed: 1 }
# Nobody goes farther.
limits:
  z_min_mm: 70 # the wall
  z_max_mm: 200
keep_out_zones:
  - from_mm: 90
    to_mm: 96
    why: lens mount
`);
  files.edit("mine.yaml", [{ path: ["keep_out_zones"] }, { path: ["limits", "z_max_mm"] }]);
  expect(parseBenchFile(read(), "mine.yaml")).not.toHaveProperty("keep_out_zones");
  expect(read()).toContain("# the wall");
});

test("an edit or a text that makes no bench is refused with line and field, and changes nothing", () => {
  const { folder, files, read } = folderWith(TEXT);
  expect(() => files.edit("mine.yaml", [{ path: ["limits", "z_max_mm"], value: 3 }])).toThrow(
    /mine\.yaml, line 16, column 3, limits\.z_max_mm: expected more than z_min_mm/,
  );
  expect(() => files.edit("mine.yaml", [{ path: ["wavelength"], value: 3 }])).toThrow(/there is no such field/);
  expect(() => files.save("other.yaml", "bench: [")).toThrow(/other\.yaml, line/);
  expect(() => files.edit("nowhere.yaml", [{ path: ["wavelength_nm"], value: 3 }])).toThrow(/no bench file nowhere/);
  expect(() => files.offer("../../etc/passwd")).toThrow(/there is no bench file/);
  expect(read()).toBe(TEXT);
  expect(existsSync(join(folder, "other.yaml"))).toBe(false);
});

test("the window offers the bench of a file, tests its instruments and opens a run on it", async () => {
  const { folder, files } = folderWith(TEXT);
  const benches = new OfferedBenches({ runsFolder: join(folder, "runs"), files });
  const bench = benches.offerBenchFile("mine.yaml");
  expect(benches.offers()).toMatchObject([{ bench: "mine", simulated: true, in_use: false }]);
  const { instruments } = await benches.testBench(bench);
  expect(instruments).toMatchObject([
    { role: "stage", ok: true, message: expect.stringMatching(/serial 54321, 65 to .*without a reference/) as string },
    { role: "camera", ok: true, simulated: true, message: expect.stringContaining("640 × 480") as string },
    { role: "shutter", ok: true, message: "the operator blocks the beam" },
  ]);
  const operator = { kind: "operator", name: "operator", id: "window:1" } as const;
  const opened = await benches.verbs.bench_open({ bench, reason: "look" }, { caller: operator });
  expect(opened).toMatchObject({ limits_mm: { min: 65 }, simulated: true });
  const session = benches.session(opened.run);
  const move = benches.verbs.move_to({ run: opened.run, z_mm: 100, reason: "go" }, { caller: operator });
  await expect(move).rejects.toMatchObject({ code: "instrument_failed", message: /not_homed/ });
  session.setBeamBlocked(operator, true);
  const dark = await benches.verbs.take_darks(
    { run: opened.run, exposure_ms: 1, frames: 2, reason: "dark" },
    { caller: operator },
  );
  // The simulated camera sees that a person blocked the beam.
  expect(dark.mean_counts).toBeLessThan(70);
  // Tested while a run is open: the same connection answers.
  expect((await benches.testBench(bench)).instruments.every(({ ok }) => ok)).toBe(true);
  await benches.benches.close("abandoned");
});

test("a test names the instrument that does not answer", async () => {
  const { folder, files } = folderWith(TEXT.replace("emulated://zaber-ascii?position_mm=40", "tcp://127.0.0.1:9"));
  const benches = new OfferedBenches({ runsFolder: join(folder, "runs"), files });
  const { instruments } = await benches.testBench(benches.offerBenchFile("mine.yaml"));
  expect(instruments).toMatchObject([{ ok: false, message: expect.stringMatching(/127\.0\.0\.1:9/) as string }]);
});
