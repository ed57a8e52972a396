import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";

let root: string;
let folder: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "kept-"));
  const run = await runCaustic([
    "measure",
    "--scenario",
    "clean",
    "--seed",
    "7",
    "--by",
    "naive",
    "--out",
    root,
    "--json",
  ]);
  folder = (JSON.parse(run.stdout) as { run_dir: string }).run_dir;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a kept run replays to the byte", async () => {
  const { status, stdout } = await runCaustic(["replay", folder, "--check", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ identical: true });
  expect(status).toBe(0);
});

test("a replay on other light differs, is told so and ends with status 1", async () => {
  const record = readFileSync(join(folder, "run.json"), "utf8");
  writeFileSync(join(folder, "run.json"), record.replace('"seed": 7', '"seed": 8'));
  try {
    const { status, stdout } = await runCaustic(["replay", folder, "--check", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ identical: false });
    expect(status).toBe(1);
  } finally {
    writeFileSync(join(folder, "run.json"), record);
  }
});

test("the frames of a measurement, of which none were kept, are made again and give its widths", async () => {
  const tiff = join(root, "m003.tiff");
  const { status, stdout } = await runCaustic(["runs", "frames", folder, "m003", "--out", tiff]);
  expect(stdout).toMatch(/m003\.tiff: \d+ frames of m003, 640 × 480 pixels/);
  expect(status).toBe(0);
  const [widths] = JSON.parse((await runCaustic(["analyze", tiff, "--pixel-um", "5.5", "--json"])).stdout) as {
    d4sigma_x_um: number;
  }[];
  const { stdout: shown } = await runCaustic(["runs", "show", folder, "--json"]);
  const { events } = JSON.parse(shown) as {
    events: { type: string; measurement?: { measurement: string; d4sigma_x_um: number } }[];
  };
  const taken = events.find(
    ({ type, measurement }) => type === "measurement_taken" && measurement?.measurement === "m003",
  );
  // The measurement may have used a dark; the frames are its own all the same.
  expect(widths?.d4sigma_x_um).toBeGreaterThan(0.97 * (taken?.measurement?.d4sigma_x_um ?? 0));
  expect(widths?.d4sigma_x_um).toBeLessThan(1.03 * (taken?.measurement?.d4sigma_x_um ?? 0));
});

test("frames of other light, of no measurement and beyond the last are refused", async () => {
  const out = join(root, "none.tiff");
  const record = readFileSync(join(folder, "run.json"), "utf8");
  writeFileSync(join(folder, "run.json"), record.replace('"seed": 7', '"seed": 8'));
  try {
    const { status, stderr } = await runCaustic(["runs", "frames", folder, "m003", "--out", out]);
    expect(stderr).toContain("made again they are not the recorded ones");
    expect(status).toBe(1);
  } finally {
    writeFileSync(join(folder, "run.json"), record);
  }
  for (const args of [["m099"], ["m003", "--frame", "99"]]) {
    const { status, stderr } = await runCaustic(["runs", "frames", folder, ...args, "--out", out]);
    expect(stderr).toMatch(/m099|frame 99 of m003: it has \d+/);
    expect(status).toBe(2);
  }
  expect(existsSync(out)).toBe(false);
});

test("the list shows the run with its verdict, the transcript its measurements, the export a table that fit reads", async () => {
  const list = JSON.parse((await runCaustic(["runs", "--root", root, "--json"])).stdout) as {
    id: string;
    verdict: string;
    state: string;
  }[];
  expect(list).toHaveLength(1);
  expect(list[0]).toMatchObject({ state: "finished" });
  const shown = await runCaustic(["runs", "show", list[0]?.id ?? "", "--root", root]);
  expect(shown.stdout.match(/ m0\d\d: z /g)).toHaveLength(10);
  const table = join(root, "table.csv");
  writeFileSync(table, (await runCaustic(["runs", "export", folder])).stdout);
  const { stdout } = await runCaustic(["fit", table, "--wavelength-nm", "632.8", "--json"]);
  expect(Object.keys(JSON.parse(stdout) as object)).toEqual(["x", "y"]);
});

test("a journal that was changed is named by its line", async () => {
  const path = join(folder, "events.jsonl");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("ten even positions", "ten odd positions!"));
  try {
    const { status, stderr } = await runCaustic(["replay", folder]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/line \d+/);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  } finally {
    writeFileSync(path, text);
  }
});

test("a line torn off by a dying writer of an unfinished run is told and left out", async () => {
  const path = join(folder, "events.jsonl");
  const text = readFileSync(path, "utf8");
  const record = readFileSync(join(folder, "run.json"), "utf8");
  const { journal: _sealed, ...open } = JSON.parse(record) as Record<string, unknown>;
  writeFileSync(join(folder, "run.json"), JSON.stringify(open));
  // The writer died before it could write how the run ended.
  const lines = text.trimEnd().split("\n");
  writeFileSync(path, `${lines.slice(0, -1).join("\n")}\n{"seq":9999,"t_ms":`);
  try {
    const { status, stderr } = await runCaustic(["replay", folder]);
    expect(stderr).toContain("torn");
    expect(status).toBe(0);
  } finally {
    writeFileSync(path, text);
    writeFileSync(join(folder, "run.json"), record);
  }
});

test("a run that is not there is a mistake of the caller", async () => {
  const { status, stderr } = await runCaustic(["replay", "nowhere", "--root", root]);
  expect(status).toBe(2);
  expect(stderr).toContain("nowhere");
});
