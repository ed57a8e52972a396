import { expect, test } from "vitest";
import type { ProcedureTask } from "../../main/contract/procedure-task.ts";
import type { SuiteRow } from "../../main/contract/suite-results.ts";
import { CONTROLS, type Programmer } from "../../main/evaluation/procedures/contenders.ts";
import { modelProgrammer } from "../../main/evaluation/procedures/model-programmer.ts";
import { runAndJudge } from "../../main/evaluation/procedures/run-program.ts";
import { runProcedureSuite } from "../../main/evaluation/procedures/run-suite.ts";
import { simulatorEngine } from "../../main/evaluation/procedures/simulator-engine.ts";
import type { WorkOrder } from "../../main/evaluation/procedures/worker-messages.ts";
import { SuiteMoney } from "../../main/evaluation/suites/suite-money.ts";
import { type Brain, sayingInTurn } from "../support/models/brain.ts";
import { INTERFACE_NAMES, INTERFACES, type InterfaceName, TEST_KEY, TEST_PRICE } from "../support/models/model-rig.ts";
import { startStandIn } from "../support/models/stand-in.ts";

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

interface Written {
  readonly row: SuiteRow;
  readonly heard: readonly string[];
  readonly transcript: string;
}

async function write(name: InterfaceName, attempts: number, brain: Brain): Promise<Written> {
  const { dialect, create } = INTERFACES[name];
  const heard: string[] = [];
  const listening: Brain = (words) => {
    heard.push(`${words.system}\n${words.words}`);
    return brain(words);
  };
  const standIn = await startStandIn({ dialect, brain: listening, key: TEST_KEY });
  const engine = simulatorEngine();
  let transcript = "";
  try {
    const { rows } = await runProcedureSuite({
      tasks: [TASK],
      programmers: [
        modelProgrammer({
          name: "agent",
          provider: create(standIn.url),
          attempts,
          limits: { model_calls: attempts, tokens: 200_000, usd_per_run: 0.5 },
          price: TEST_PRICE,
        }),
      ],
      engine: "simulator",
      stamp: "test",
      workers: { do: async ({ run }: WorkOrder) => ({ type: "done", judged: await runAndJudge(engine, run) }) },
      keepTranscript: (_task, _contender, text) => {
        transcript = text;
        return "transcript.md";
      },
    });
    const [row] = rows;
    if (row === undefined) throw new Error("no row");
    return { row, heard, transcript };
  } finally {
    await standIn.close();
  }
}

const RIGHT = "Here it is:\n```\nmove_to z = 30 mm\n```\nDone.";
const MISTYPED = "```procedure\nmov_to z = 30 mm\n```";

test.each(INTERFACE_NAMES)("a model writes the program from the guide and the task's words (%s)", async (name) => {
  const { row, heard, transcript } = await write(name, 1, sayingInTurn({ text: RIGHT }));
  expect(row).toMatchObject({
    status: "graded",
    passed: true,
    contender: "agent",
    turns: 1,
    calls: 1,
    bad_calls: 0,
    transcript: "transcript.md",
  });
  expect(row.tokens).toBeGreaterThan(0);
  expect(row.usd).toBeGreaterThan(0);
  expect(heard[0]).toContain("measure_at z (a length (um, mm, m))");
  expect(heard[0]).toContain("Move to 30 mm.");
  // Nothing of what is judged reaches the model.
  expect(heard[0]).not.toContain('z_requested", value');
  expect(transcript).toContain("move_to z = 30 mm");
});

test("the first program counts where one attempt is given", async () => {
  const { row } = await write("anthropic", 1, sayingInTurn({ text: MISTYPED }, { text: RIGHT }));
  expect(row).toMatchObject({ status: "graded", passed: false, bad_calls: 1, turns: 1 });
  expect(row.checks[0]).toMatchObject({
    code: "runs",
    passed: false,
    got: expect.stringContaining('did you mean "move_to"?') as string,
  });
});

test("with more attempts the error is told, in the words that an operator would read", async () => {
  const { row, heard } = await write("openai-compatible", 3, sayingInTurn({ text: MISTYPED }, { text: RIGHT }));
  expect(row).toMatchObject({ passed: true, turns: 2 });
  expect(heard[1]).toContain('line 1, column 1: unknown verb "mov_to"');
});

test("a program that runs and does something else is not tried again", async () => {
  const { row } = await write("anthropic", 3, sayingInTurn({ text: "```\nmove_to z = 40 mm\n```" }, { text: RIGHT }));
  expect(row).toMatchObject({ passed: false, turns: 1 });
});

test("a model that refuses has written nothing; a provider that fails says nothing of the model", async () => {
  const refused = await write("anthropic", 1, sayingInTurn({ text: "No.", end: "refused" }));
  expect(refused.row).toMatchObject({
    status: "graded",
    passed: false,
    note: expect.stringContaining("refused") as string,
  });
  const failing = await write("anthropic", 1, sayingInTurn({ status: 400 }));
  expect(failing.row).toMatchObject({ status: "failed", passed: false });
});

test("what all tasks may cost is set aside task by task, and a task that does not fit is not run", async () => {
  const tasks = ["a", "b", "c"].map((id) => ({ ...TASK, id }));
  const costly = (usd: number | undefined): Programmer => ({
    name: "agent",
    costs: true,
    write: ({ gold }) => Promise.resolve({ program: gold, ...(usd === undefined ? {} : { usd }) }),
  });
  const engine = simulatorEngine();
  const run = async (programmer: Programmer, limit_usd: number) => {
    const money = new SuiteMoney({ limit_usd, cap_usd: 0.1 });
    const { rows } = await runProcedureSuite({
      tasks,
      programmers: [programmer, ...CONTROLS.filter(({ name }) => name === "gold")],
      engine: "simulator",
      stamp: "test",
      money,
      workers: {
        do: async ({ run: order }: WorkOrder) => ({ type: "done", judged: await runAndJudge(engine, order) }),
      },
    });
    const of = (contender: string) => rows.filter((row) => row.contender === contender).map(({ status }) => status);
    return { agent: of("agent"), gold: of("gold"), spent_usd: money.spent_usd, rows };
  };
  // Two caps fit at once, and a third into what they leave.
  expect(await run(costly(0.05), 0.2)).toMatchObject({
    agent: ["graded", "graded", "graded"],
    gold: ["graded", "graded", "graded"],
  });
  const untold = await run(costly(undefined), 0.2);
  expect(untold).toMatchObject({ agent: ["graded", "graded", "not_run"], gold: ["graded", "graded", "graded"] });
  expect(untold.spent_usd).toBeCloseTo(0.2, 12);
  expect(untold.rows.find(({ status }) => status === "not_run")?.note).toMatch(/does not fit/);
});

test("a suite that is called off keeps what is finished, asks nobody any more, and fails nobody", async () => {
  const calledOff = new AbortController();
  const asked: string[] = [];
  const programmer: Programmer = {
    name: "agent",
    parallel: 1,
    async write({ id, gold }, _tryOut, signal) {
      asked.push(id);
      if (id === "b") {
        calledOff.abort();
        signal?.throwIfAborted();
      }
      return { program: gold };
    },
  };
  const engine = simulatorEngine();
  const { rows } = await runProcedureSuite({
    tasks: ["a", "b", "c"].map((id) => ({ ...TASK, id })),
    programmers: [programmer],
    engine: "simulator",
    stamp: "test",
    signal: calledOff.signal,
    workers: { do: async ({ run }: WorkOrder) => ({ type: "done", judged: await runAndJudge(engine, run) }) },
  });
  expect(rows.map(({ status }) => status)).toEqual(["graded", "not_run", "not_run"]);
  expect(asked).toEqual(["a", "b"]);
});
