import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";

const folder = mkdtempSync(join(tmpdir(), "caustic-procedure-"));

async function runProgram(program: string, ...more: string[]) {
  const file = join(folder, "test.procedure");
  writeFileSync(file, program);
  return runCaustic(["procedures", "run", file, "--out", join(folder, "runs"), ...more]);
}

test("an operator's procedure runs, its results come as JSON, and the run is kept", async () => {
  const program =
    "measure_at z = 130 mm, exposure = 0.9 ms, frames = 1 as m\nresult width = m.d4sigma_x\nresult narrow = m.d4sigma_x < 200 um\n";
  const { status, stdout, stderr } = await runProgram(program, "--scenario", "clean", "--seed", "7", "--json");
  expect(status).toBe(0);
  const outcome = JSON.parse(stdout) as { results: { width: { value: number; unit: string }; narrow: boolean } };
  expect(outcome).toMatchObject({ ok: true, verbs: 1, results: { narrow: true, width: { unit: "um" } } });
  expect(outcome.results.width.value).toBeGreaterThan(126);
  expect(outcome.results.width.value).toBeLessThan(134);
  expect(stderr).toContain("line 1: measure_at z = 130 mm, exposure = 0.9 ms, frames = 1");
  const [kept = ""] = readdirSync(join(folder, "runs"));
  const replayed = await runCaustic(["replay", join(folder, "runs", kept), "--check"]);
  expect(replayed.status).toBe(0);
});

test("a text that is no program ends with status 2 and the place, and opens nothing", async () => {
  const { status, stderr, stdout } = await runProgram("move_to z = 10 mm\nmeasure_at z = 130\n");
  expect(status).toBe(2);
  expect(stderr).toContain("test.procedure, line 2, column 16: z = 130; expected a length");
  expect(stdout).toBe("");
  expect((await runProgram("move_to z = 1 mm", "--check")).stdout).toContain("no mistake");
  expect((await runCaustic(["procedures", "run", join(folder, "absent.procedure")])).status).toBe(2);
});

test("a procedure that fails on the bench ends with status 1, keeps its results and says what was refused", async () => {
  const { status, stdout } = await runProgram("result before = 5 mm\nmove_to z = 300 mm\n", "--json");
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    results: { before: { value: 5, unit: "mm" } },
    error: { code: "out_of_range", line: 2, column: 13, bench_code: "out_of_limits" },
  });
});

test("wrong options are told with what was expected", async () => {
  const wrong = async (...args: string[]): Promise<string> => {
    const { status, stderr } = await runCaustic(["procedures", ...args]);
    expect(status).toBe(2);
    return stderr;
  };
  expect(await wrong("test", "--by", "nobody")).toContain("expected gold, null, mutated, agent");
  expect(await wrong("test", "--engine", "lathe")).toContain("expected simulator or controllers");
  expect(await wrong("test", "--only", "nothing-001")).toContain("no task has it");
  expect(await wrong("test", "--by", "agent")).toContain("expected --model");
  expect(await wrong("test", "--by", "gold", "--model", "m")).toContain("--model is for a model, and none takes part");
  expect(await wrong("test", "--by", "gold", "--out", import.meta.filename)).toContain("cannot be written (EEXIST)");
  const local = ["--model", "m", "--provider", "openai-compatible", "--base-url", "http://127.0.0.1:9/v1"];
  expect(await wrong("test", "--by", "agent", ...local)).toContain("expected --price <list>, or --price-unknown");
  expect(await wrong("test", "--by", "agent", ...local, "--max-cost", "1")).toContain("--max-cost needs the price");
  expect(await wrong("test", "--tasks", folder)).toContain("holds no tasks");
});
