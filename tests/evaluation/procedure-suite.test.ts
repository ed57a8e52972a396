import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";
import { TASKS_FOLDER } from "../../main/app/procedures/generate-tasks.ts";
import type { ProcedureTask } from "../../main/contract/procedure-task.ts";
import { type SuiteResults, suiteResultsSchema } from "../../main/contract/suite-results.ts";
import { readTasks } from "../../main/evaluation/procedures/task-file.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "caustic-procedures-"));

async function runSuite(...args: string[]): Promise<{ status: number | null; text: string; results: SuiteResults }> {
  const out = folder();
  const { status, stderr } = await runCaustic(["procedures", "test", "--out", out, "--task-timeout", "250", ...args]);
  const text = readFileSync(join(out, "results.json"), "utf8");
  expect(stderr).not.toMatch(/caustic procedures:/);
  return { status, text, results: suiteResultsSchema.parse(JSON.parse(text)) };
}

let tasks: ProcedureTask[] = [];
beforeAll(async () => {
  tasks = await readTasks(TASKS_FOLDER);
});

/** One task of every family. */
const oneOfEach = (): ProcedureTask[] =>
  [...Map.groupBy(tasks, ({ family }) => family).values()].flatMap((all) => all.slice(0, 1));

describe("the tasks", () => {
  test("there are 160 of the core, in four train and four test categories, and no category is in both", () => {
    const core = tasks.filter(({ tier }) => tier === "core");
    expect(core).toHaveLength(160);
    const categories = (split: string): Set<string> =>
      new Set(core.filter((one) => one.split === split).map(({ category }) => category));
    expect(categories("train").size).toBe(4);
    expect(categories("test").size).toBe(4);
    for (const split of ["train", "test"]) expect(core.filter((one) => one.split === split)).toHaveLength(80);
    const splits = Map.groupBy(tasks, ({ category }) => category);
    for (const [category, all] of splits) expect(new Set(all.map(({ split }) => split)).size, category).toBe(1);
    for (const tier of ["derived", "programmatic"])
      expect(tasks.filter((one) => one.tier === tier).length).toBeGreaterThan(40);
  });

  test("no two tasks ask the same", () => {
    const asked = tasks.map(({ prompt, bench }) => `${prompt} ${bench.scenario} ${bench.seed}`);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("are what the generator makes, and the gate has judged every candidate", async () => {
    const { status, stdout } = await runCaustic(["procedures", "generate", "--check"]);
    expect(stdout).toContain("0 judged anew");
    expect(status).toBe(0);
  });
});

describe("the suite", () => {
  test("gold passes every task on the simulator, the empty and the changed programs none", async () => {
    const { status, results } = await runSuite("--by", "gold,null,mutated");
    expect(results.gates.map(({ contender, passed, text }) => [contender, passed, text.split(";")[0]])).toEqual([
      ["gold", true, `${tasks.length} of ${tasks.length} tasks passed`],
      ["null", true, `0 of ${tasks.length} tasks passed`],
      ["mutated", true, `0 of ${tasks.length} tasks passed`],
    ]);
    expect(results.rows.filter(({ status: graded }) => graded !== "graded")).toEqual([]);
    expect(status).toBe(0);
  });

  test("gold passes on drivers over emulated controllers: one task of every family", async () => {
    const only = oneOfEach().map(({ id }) => id);
    const { status, results } = await runSuite("--by", "gold", "--engine", "controllers", "--only", only.join(","));
    expect(results.rows.filter(({ passed }) => !passed).map(({ task, checks }) => ({ task, checks }))).toEqual([]);
    expect(results.rows).toHaveLength(only.length);
    expect(status).toBe(0);
  });

  test("two runs are the same bytes, however many programs run at a time", async () => {
    const only = oneOfEach()
      .filter((_, i) => i % 3 === 0)
      .map(({ id }) => id);
    const one = await runSuite("--by", "gold,mutated", "--only", only.join(","), "--jobs", "1");
    const other = await runSuite("--by", "gold,mutated", "--only", only.join(","), "--jobs", "3");
    expect(other.text).toBe(one.text);
  });
});
