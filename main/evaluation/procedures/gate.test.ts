import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ProcedureTask } from "../../contract/procedure-task.ts";
import { mutated } from "./edit-program.ts";
import { type GateLine, gate, gateKey } from "./gate.ts";
import { appendGateLine, readGateLines } from "./gate-cache.ts";
import { leaks, sharedCategories } from "./generate/build.ts";
import { buildTasks } from "./generate/select-tasks.ts";
import { FAMILIES } from "./generate/families/index.ts";
import { type JudgedProgram, type ProgramRun, runAndJudge } from "./run-program.ts";
import { simulatorEngine } from "./simulator-engine.ts";

const TASK: ProcedureTask = {
  id: "two_moves-001",
  tier: "core",
  split: "test",
  category: "moves",
  family: "two_moves",
  bench: { scenario: "clean", seed: 3 },
  prompt: "Move to 30 mm.",
  gold: "move_to z = 30 mm\n",
  assertions: [{ target: "status", prop: "z_requested", value: 30, unit: "mm", line: 1 }],
};
const onSimulator = (run: ProgramRun): Promise<JudgedProgram> => runAndJudge(simulatorEngine(), run);

/** An engine on which a program passes or not as `passes` says. */
const engineOn =
  (passes: (program: string) => boolean, more: (calls: number) => Partial<JudgedProgram> = () => ({})) =>
  (calls = { made: 0 }) =>
  ({ program, assertions }: ProgramRun): Promise<JudgedProgram> => {
    calls.made += 1;
    const passed = passes(program);
    return Promise.resolve({
      ok: true,
      verdicts: assertions.map(() => ({ passed, wanted: "30 mm", got: passed ? "30 mm" : "0 mm" })),
      slack: [],
      results: {},
      calls: 1,
      steps: 1,
      ...more(calls.made),
    });
  };
const isGold = (program: string): boolean => program === TASK.gold;

describe("the gate", () => {
  test("keeps a task that measures what it asks, on the simulator itself", async () => {
    expect(await gate(TASK, onSimulator)).toEqual({ key: gateKey(TASK), id: TASK.id, kept: true });
  });

  test("rejects a gold program that misses its own assertion, or is no program, on the simulator itself", async () => {
    const missed = await gate({ ...TASK, gold: "move_to z = 31 mm\n" }, onSimulator);
    expect(missed).toMatchObject({ kept: false, rejected: "gold_fails" });
    expect(missed.why).toMatch(/z_requested is 31/);
    expect(await gate({ ...TASK, gold: "mov_to z = 30 mm\n" }, onSimulator)).toMatchObject({
      rejected: "gold_fails",
      why: expect.stringContaining('unknown verb "mov_to"') as string,
    });
  });

  test.each([
    ["mutation_control", engineOn(isGold, () => ({ slack: [0] }))],
    ["gold_not_reproduced", engineOn(isGold, (calls) => ({ steps: calls }))],
    ["null_control", engineOn((program) => isGold(program) || program === "")],
    ["mutated_program_passes", engineOn((program) => isGold(program) || program === mutated(TASK.gold))],
    ["defaults_control", engineOn((program) => program !== "" && program !== mutated(TASK.gold))],
  ] as const)("rejects by the %s alone", async (rejected, engine) => {
    expect(await gate(TASK, engine())).toMatchObject({ kept: false, rejected });
  });

  test("keeps what none of them is against", async () => {
    expect(await gate(TASK, engineOn(isGold)())).toMatchObject({ kept: true });
  });
});

describe("the verdicts that are kept", () => {
  const folder = mkdtempSync(join(tmpdir(), "caustic-gate-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [family] = FAMILIES;
  const build = async (task: ProcedureTask, known: ReadonlyMap<string, GateLine>): Promise<string[]> => {
    if (family === undefined) throw new Error("no family");
    const judged: string[] = [];
    await buildTasks([{ family, wanted: 1, candidates: [task] }], {
      known,
      jobs: 1,
      run: engineOn(isGold)(),
      onJudged: (line) => {
        judged.push(line.id);
        appendGateLine(join(folder, "gate.jsonl"), line);
      },
    });
    return judged;
  };

  test("stand for a task of the same content and for no other, and a torn line for none", async () => {
    const path = join(folder, "gate.jsonl");
    expect(await build(TASK, readGateLines(path))).toEqual([TASK.id]);
    expect(await build(TASK, readGateLines(path))).toEqual([]);
    const others: ProcedureTask[] = [
      { ...TASK, prompt: "Move to 30 mm!" },
      { ...TASK, bench: { ...TASK.bench, seed: 4 } },
      { ...TASK, assertions: TASK.assertions.map((one) => ({ ...one, tol: 1 })) },
    ];
    expect(new Set([TASK, ...others].map(gateKey)).size).toBe(4);
    for (const other of others) expect(await build(other, readGateLines(path))).toEqual([TASK.id]);
    appendFileSync(path, '{"key":"torn","id":"x","ke');
    expect(readGateLines(path).size).toBe(4);
  });
});

describe("the leak report", () => {
  const derived: ProcedureTask = { ...TASK, tier: "derived", prompt: "Move to where it is 42.5 mm from the waist." };
  const asserting = (value: number): ProcedureTask => ({
    ...derived,
    assertions: TASK.assertions.map((one) => ({ ...one, value })),
  });

  test("names a derived value that the prompt spells out, and no other", () => {
    expect(leaks(asserting(42.5))).toEqual(["status.z_requested = 42.5"]);
    expect(leaks(asserting(87.5))).toEqual([]);
    // The core tier gives its values verbatim.
    expect(leaks({ ...asserting(42.5), tier: "core" })).toEqual([]);
  });

  test("names a category that stands in both splits", () => {
    const moves = { category: "moves", split: "test" } as const;
    expect(sharedCategories([moves, { category: "darks", split: "train" }])).toEqual([]);
    expect(sharedCategories([moves, { ...moves, split: "train" }])).toEqual(["moves"]);
  });
});
