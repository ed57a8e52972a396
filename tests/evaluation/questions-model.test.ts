import { afterAll, describe, expect, it } from "vitest";
import { createModelAgent } from "../../main/evaluation/questions/model-agent.ts";
import { SuiteMoney } from "../../main/evaluation/suites/suite-money.ts";
import type { SuiteRow } from "../../main/contract/suite-results.ts";
import type { ToolOutput } from "../../main/contract/tools.ts";
import type { Brain, Heard, Said } from "../support/models/brain.ts";
import { sayingInTurn, thinkingInSteps } from "../support/models/brain.ts";
import { INTERFACES, type InterfaceName, TEST_KEY, TEST_PRICE } from "../support/models/model-rig.ts";
import { startStandIn } from "../support/models/stand-in.ts";
import { readSuite, recorded, runSuite, scratch } from "./question-run.ts";

const LIMITS = { model_calls: 40, tokens: 1_500_000, usd_per_run: 1 };

const suite = readSuite();
const folder = scratch();
afterAll(() => folder.remove());
let runs = 0;

/** Puts one question to a model whose interface answers with a brain. */
async function ask(
  name: InterfaceName,
  brain: Brain,
  id = "width-radius",
  limits: Partial<typeof LIMITS> = {},
  timeLimit_s = 120,
): Promise<{ row: SuiteRow; text: string; heard: readonly string[]; submission: unknown }> {
  const { dialect, create } = INTERFACES[name];
  const heard: string[] = [];
  const standIn = await startStandIn({
    dialect,
    brain: (said) => {
      heard.push(JSON.stringify({ system: said.system, task: said.task, tools: said.tools, results: said.results }));
      return brain(said);
    },
    key: TEST_KEY,
  });
  runs += 1;
  const out = `${folder.path}/${runs}`;
  try {
    const agent = createModelAgent("model", {
      provider: create(standIn.url),
      limits: { ...LIMITS, ...limits },
      price: TEST_PRICE,
    });
    const selected = suite.questions.filter((question) => question.id === id);
    const { rows } = await runSuite(suite, [agent], out, { selected, sharedServer: false, timeLimit_s });
    const [row] = rows;
    if (row === undefined) throw new Error("no row");
    const { text, submission } = recorded(out, "model", { id });
    return { row, text, heard, submission };
  } finally {
    await standIn.close();
  }
}

const result = (heard: Heard): unknown => JSON.parse(heard.results[0]?.text ?? "{}");

/** Answers the question for the radius at z = 160 mm; half the diameter, or the diameter itself. */
const operator = (share: number): Brain =>
  thinkingInSteps(function* answer(): Generator<Said, Said, Heard> {
    let heard = yield {
      text: "I open the bench.",
      calls: [{ name: "bench_open", arguments: { bench: "bench-1", reason: "r" } }],
    };
    const { run } = result(heard) as ToolOutput<"bench_open">;
    yield { calls: [{ name: "take_darks", arguments: { run, exposure_ms: 1, frames: 3, reason: "r" } }] };
    heard = yield {
      calls: [{ name: "measure_at", arguments: { run, z_mm: 160, exposure_ms: 1, frames: 2, reason: "r" } }],
    };
    const { d4sigma_x_um = 0 } = result(heard) as ToolOutput<"measure_at">;
    const values = { wx_um: d4sigma_x_um * share };
    return {
      calls: [{ name: "submit_answer", arguments: { values, declined: false, concerns: [], summary: "Measured." } }],
    };
  });

describe.each(Object.keys(INTERFACES) as InterfaceName[])("a model behind the interface %s", (name) => {
  it("passes with the right answer, and is billed", async () => {
    const { row, text, heard } = await ask(name, operator(0.5));
    expect(row).toMatchObject({ status: "graded", passed: true, score: 1, calls: 3, bad_calls: 0, turns: 4 });
    expect(row.usd).toBeGreaterThan(0);
    expect(row.tokens).toBeGreaterThan(100);
    const [first = ""] = heard;
    for (const tool of ["measure_at", "list_resources", "read_resource", "submit_answer"])
      expect(first).toContain(`"${tool}"`);
    expect(first).toContain("second-moment");
    expect(text).not.toContain(TEST_KEY);
  });

  it("fails with the answer of the trap", async () => {
    const { row } = await ask(name, operator(1));
    expect(row).toMatchObject({ status: "graded", passed: false });
    expect(row.checks.filter(({ passed }) => !passed).map(({ code }) => code)).toEqual(["value:wx_um"]);
  });
});

describe("what a model is shown", () => {
  it("holds nothing of world, reference, naive setup or checks", async () => {
    const { heard, row } = await ask("anthropic", operator(0.5));
    expect(row.passed).toBe(true);
    expect(heard.length).toBe(4);
    const question = suite.questions.find(({ id }) => id === "width-radius");
    const { reference, naive, world } = question ?? {};
    const hidden = [
      String(reference?.values["wx_um"]),
      reference?.why ?? "?",
      naive?.why ?? "?",
      String(world?.seed),
      "w0_um",
      "power_counts",
      "sound_frame_there",
      "trap",
      "world.json",
    ];
    for (const word of hidden) expect(heard.join("\n")).not.toContain(word);
  });
});

describe("a model that goes astray", () => {
  it("is told when an answer does not fit, and may mend it", async () => {
    const answer = (values: object): Said => ({
      calls: [{ name: "submit_answer", arguments: { values, declined: false, concerns: [], summary: "" } }],
    });
    const { row, heard, submission } = await ask(
      "openai-compatible",
      sayingInTurn(answer({ radius: 1 }), answer({ wx_um: 3 })),
    );
    expect(heard[1]).toContain("Not accepted");
    expect(submission).toMatchObject({ values: { wx_um: 3 } });
    expect(row).toMatchObject({ status: "graded", passed: false, turns: 2 });
  });

  it("that only talks, or has no turns left, is graded without an answer", async () => {
    const talk = await ask("anthropic", sayingInTurn({ text: "About 90 µm." }));
    expect(talk.row).toMatchObject({ status: "graded", passed: false, calls: 0 });
    expect(talk.row.note).toMatch(/without a call/);
    const open = { calls: [{ name: "bench_status", arguments: {} }] };
    const slow = await ask("anthropic", sayingInTurn(open), "width-radius", { model_calls: 2 });
    expect(slow.row).toMatchObject({ status: "graded", passed: false, turns: 2 });
    expect(slow.row.note).toMatch(/all 2 model calls are used/);
  });

  it("that does not answer in time is graded without an answer", async () => {
    const { row } = await ask("anthropic", () => ({ hang: true }), "width-radius", {}, 3);
    expect(row).toMatchObject({ status: "graded", passed: false });
    expect(row.note).toMatch(/within 3 s/);
  });

  it("whose provider refuses the key is the infrastructure's failure", async () => {
    const { row } = await ask("anthropic", () => ({ status: 401 }));
    expect(row).toMatchObject({ status: "failed", passed: false, checks: [] });
    expect(row.note).toMatch(/401/);
  });
});

describe("the money of all questions", () => {
  const selected = suite.questions.filter(({ id }) => id === "width-radius" || id === "width-fwhm");
  const out = `${folder.path}/money`;
  const giveUp: Said = {
    calls: [{ name: "submit_answer", arguments: { values: {}, declined: true, concerns: [], summary: "" } }],
  };
  const run = async (limit_usd: number, sharedServer = true) => {
    let asked = 0;
    const standIn = await startStandIn({
      dialect: INTERFACES.anthropic.dialect,
      brain: () => {
        asked += 1;
        return giveUp;
      },
      key: TEST_KEY,
    });
    try {
      const agent = createModelAgent("model", {
        provider: INTERFACES.anthropic.create(standIn.url),
        limits: LIMITS,
        price: TEST_PRICE,
      });
      const money = new SuiteMoney({ limit_usd, cap_usd: LIMITS.usd_per_run, journal: `${out}/money.jsonl` });
      const { rows } = await runSuite(suite, [agent], out, { selected, models: { model: "m" }, money, sharedServer });
      return { statuses: rows.map(({ status }) => status).sort(), asked, spent_usd: money.spent_usd };
    } finally {
      await standIn.close();
    }
  };

  it("is not passed, also by a command that goes on from an earlier one", async () => {
    const first = await run(1);
    expect(first).toMatchObject({ statuses: ["graded", "not_run"], asked: 1 });
    expect(first.spent_usd).toBeGreaterThan(0);
    // The cap of the second question does not fit beside what the first did cost.
    expect(await run(1)).toEqual({ ...first, asked: 0 });
    const more = await run(2);
    expect(more).toMatchObject({ statuses: ["graded", "graded"], asked: 1 });
    expect(more.spent_usd).toBeGreaterThan(first.spent_usd);
  });
});
