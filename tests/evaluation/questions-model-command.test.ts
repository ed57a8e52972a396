import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CAUSTIC } from "../../main/app/run-caustic.ts";
import { type SuiteResults, suiteResultsSchema } from "../../main/contract/suite-results.ts";
import { type Brain, sayingInTurn } from "../support/models/brain.ts";
import { TEST_KEY } from "../support/models/model-rig.ts";
import { openAiDialect } from "../support/models/openai-dialect.ts";
import { type StandInRequest, startStandIn } from "../support/models/stand-in.ts";
import { recorded, scratch } from "./question-run.ts";

const folder = scratch();
afterAll(() => folder.remove());
const SERVER = join(import.meta.dirname, "../support/foreign-server.ts");
const TASKS = join(import.meta.dirname, "../support/foreign-questions.yaml");

interface Outcome {
  readonly status: number | null;
  readonly results: SuiteResults;
  readonly requests: readonly StandInRequest[];
  readonly out: string;
}

/** The command in a process of its own, on a server that is not Caustic's, with a stand-in for the model. */
async function answer(name: string, brain: Brain, ...options: string[]): Promise<Outcome> {
  const standIn = await startStandIn({ dialect: openAiDialect, brain, key: TEST_KEY });
  const out = join(folder.path, name);
  const words = ["questions", "run", "--server-cmd", `"${process.execPath}" "${SERVER}"`, "--tasks", TASKS].concat(
    ["--agent", "model", "--model", "m", "--provider", "openai-compatible", "--base-url", `${standIn.url}/v1`],
    ["--price", "3,0.3,3.75,15", "--out", out, "--json"],
    options,
  );
  try {
    const child = spawn(process.execPath, [CAUSTIC, ...words], {
      env: { PATH: process.env["PATH"], OPENAI_API_KEY: TEST_KEY },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
    expect(errors).toBe("");
    return { status, results: suiteResultsSchema.parse(JSON.parse(text)), requests: standIn.requests, out };
  } finally {
    await standIn.close();
  }
}

const submit = (values: object) => ({
  calls: [{ name: "submit_answer", arguments: { values, declined: false, concerns: [], summary: "" } }],
});
const add = { calls: [{ name: "get-sum", arguments: { a: 17.25, b: 4.5 } }] };
const look = { calls: [{ name: "get-env", arguments: {} }] };

describe("caustic questions run --agent model", () => {
  it("drives another server, thinks as hard as it is told, and passes with --strict", async () => {
    const { status, results, requests } = await answer(
      "right",
      sayingInTurn(add, submit({ sum: 21.75 })),
      ...["--only", "sum", "--effort", "low", "--strict", "--server-per-task"],
    );
    expect(results.rows).toMatchObject([{ task: "sum", contender: "model", passed: true, turns: 2, calls: 1 }]);
    expect(results.rows[0]?.usd).toBeGreaterThan(0);
    expect(requests.map(({ body }) => body["reasoning_effort"])).toEqual(["low", "low"]);
    expect(status).toBe(0);
  });

  it("ends a question after --max-turns; the server has what --server-env gives, and --strict says no", async () => {
    const { status, results, out } = await answer(
      "turns",
      sayingInTurn(look, add, look, add),
      ...["--only", "sum", "--max-turns", "2", "--server-env", "GIVEN=on purpose", "--strict", "--shared-server"],
    );
    expect(results.rows).toMatchObject([{ status: "graded", passed: false, turns: 2 }]);
    expect(results.rows[0]?.note).toMatch(/all 2 model calls are used/);
    expect(recorded(out, "model", { id: "sum" }).log[0]?.result).toMatchObject({ GIVEN: "on purpose" });
    expect(status).toBe(1);
  });

  it("ends a question after --task-timeout, as one that was not answered", async () => {
    const { status, results } = await answer("hang", () => ({ hang: true }), "--only", "sum", "--task-timeout", "2");
    expect(results.rows).toMatchObject([
      { status: "graded", passed: false, note: expect.stringContaining("within 2 s") as string },
    ]);
    expect(status).toBe(0);
  });

  it("keeps each question to --max-cost-per-task and all of them to --max-cost", async () => {
    const { status, results } = await answer(
      "money",
      sayingInTurn(add, submit({ sum: 21.75 })),
      ...["--only", "sum,planned-sum", "--max-cost-per-task", "0.25", "--max-cost", "0.25", "--jobs", "2"],
    );
    expect(results.rows.map((row) => row.status).sort()).toEqual(["graded", "not_run"]);
    expect(results.rows.find((row) => row.status === "not_run")?.note).toMatch(/\$0\.25 does not fit/);
    expect(status).toBe(1);
  });
});
