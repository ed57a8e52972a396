import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";
import { suiteResultsSchema } from "../../main/contract/suite-results.ts";
import { anthropicDialect } from "../support/models/anthropic-dialect.ts";
import { type Brain, sayingInTurn } from "../support/models/brain.ts";
import { TEST_KEY } from "../support/models/model-rig.ts";
import { openAiDialect } from "../support/models/openai-dialect.ts";
import { type Dialect, startStandIn } from "../support/models/stand-in.ts";

const ROOT = join(import.meta.dirname, "../..");
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ladder-command-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A model that needs no key and is never asked. */
const LOCAL_MODEL = ["--driver", "model", "--model", "m", "--provider", "openai-compatible"].concat([
  "--base-url",
  "http://127.0.0.1:9/v1",
]);

describe("caustic ladder", () => {
  const only = "t0-move,t3-dark-then-measure,t8-which-end,t9-retake";

  it("writes product and report, prints the results alone, and does it again to the byte", async () => {
    const run = async (out: string) =>
      runCaustic(["ladder", "--only", only, "--stamp", "s1", "--out", join(folder, out), "--json"]);
    const first = await run("one");
    expect(first.status).toBe(0);
    const results = suiteResultsSchema.parse(JSON.parse(first.stdout));
    expect(results.rows.map((row) => [row.task, row.passed])).toEqual(only.split(",").map((id) => [id, true]));
    expect(results).toMatchObject({ suite: "ladder", stamp: "s1", contenders: ["planner"] });
    expect(first.stderr).toContain("Reached TOOL-9");
    await run("two");
    for (const name of ["product.jsonl", "results.json", "results.md", "report.html"]) {
      const text = readFileSync(join(folder, "one", name), "utf8");
      expect([name, readFileSync(join(folder, "two", name), "utf8") === text]).toEqual([name, true]);
    }
    const lines = readFileSync(join(folder, "one", "product.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      driver: "planner",
      id: "t3-dark-then-measure",
      calls: [
        { name: "take_darks", answered: "ok" },
        { name: "measure_at", answered: "ok" },
      ],
    });
  });

  it("says no with status 1, in words, and calls a floor a floor", async () => {
    const { status, stdout, stderr } = await runCaustic([
      "ladder",
      "--driver",
      "stub",
      "--ladder",
      "--only",
      "t1-how-long,t1-what-is-m2,t2-humidity",
      "--out",
      join(folder, "floor"),
    ]);
    expect(status).toBe(1);
    expect(stderr).toContain("STUB FLOOR");
    expect(stdout).toContain("rung TOOL-2 skipped: gated by TOOL-1 completion 0\u00a0% < 50\u00a0%");
    expect(stdout).toContain(
      "t1-how-long (stub-floor): no keyword; outcome of refusal: wanted no refusal, got refused",
    );
  });

  it.each([
    [["--rung", "TOOL-10"], "--rung TOOL-10: expected TOOL-0"],
    [["--only", "t0-fly"], "--only t0-fly: there is no such case"],
    [["--only", "t0-move", "--rung", "TOOL-3"], "leave no case"],
    [["--stamp", "../up"], "--stamp ../up: expected letters"],
    [["--cases", "no-such-folder"], "no-such-folder cannot be read"],
    [["--driver", "crystal-ball"], "crystal-ball"],
    [["--driver", "model"], "no model is named; expected --model <name>"],
    [[...LOCAL_MODEL], "expected --price <list>, or --price-unknown"],
    [["--driver", "planner", "--model", "m"], "--model is for a model, and none takes part; expected --driver model"],
    [["--driver", "stub", "--max-usd", "1"], "--max-usd is for a model, and none takes part"],
    [[...LOCAL_MODEL, "--price-unknown", "--max-cost", "1"], "--max-cost needs the price of the model"],
    [[...LOCAL_MODEL, "--price-unknown", "--max-usd", "1"], "--max-usd needs the price of the model"],
    [[...LOCAL_MODEL, "--price", "1,1,1,1", "--price-unknown"], "--price-unknown contradicts --price"],
    [
      [...LOCAL_MODEL, "--price", "1,1,1,1", "--max-usd", "0.5", "--max-cost", "0.4"],
      "--max-cost 0.4 is less than one task may cost; expected at least 0.5",
    ],
  ])("refuses %j in one sentence", async (args, why) => {
    const out = join(folder, "never");
    const { status, stdout, stderr } = await runCaustic(["ladder", ...args, "--out", out]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(why);
    expect(existsSync(out)).toBe(false);
  });
});

/** The command in a process of its own, with a stand-in for the model. */
async function climb(dialect: Dialect, provider: string, brain: Brain, only: string, ...more: string[]) {
  const standIn = await startStandIn({ dialect, brain, key: TEST_KEY });
  const variable = provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
  try {
    const child = spawn(
      process.execPath,
      [
        join(ROOT, "bin/caustic.mjs"),
        "ladder",
        "--driver",
        "model",
        "--model",
        "test-model",
        "--provider",
        provider,
        "--base-url",
        `${standIn.url}/v1`,
      ].concat(["--price", "3,0.3,3.75,15", "--only", only, "--out", join(folder, provider), "--json", ...more]),
      {
        cwd: folder,
        env: { PATH: process.env["PATH"], HOME: folder, [variable]: TEST_KEY },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const text = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (chunk: string) => (text[stream] += chunk));
    }
    await new Promise((resolve) => child.on("close", resolve));
    expect(text.stderr).toContain("report.html");
    return { results: suiteResultsSchema.parse(JSON.parse(text.stdout)), requests: standIn.requests };
  } finally {
    await standIn.close();
  }
}

const move = { name: "move_to", arguments: { z_mm: 150, reason: "asked" } };
const done = {
  name: "ladder_done",
  arguments: {
    goals: ["at(150)"],
    proof: [{ call: 0, needs: [{ fact: "reachable(150)", by: "start" }], gives: ["at(150)"], uses: [] }],
  },
};

describe("a model as the driver", () => {
  it("acts, declines and recognises through its tools, sees only what is declared, and is billed", async () => {
    const brain = sayingInTurn(
      { calls: [move] },
      { calls: [done] },
      { calls: [{ name: "ladder_decline", arguments: { why: "there is no such sensor" } }] },
      { calls: [{ name: "ladder_recognise", arguments: { goals: ["retake"] } }] },
    );
    const { results, requests } = await climb(anthropicDialect, "anthropic", brain, "t0-move,t2-humidity,t9-retake");
    expect(results.rows.map((row) => [row.task, row.passed, row.turns])).toEqual([
      ["t0-move", true, 2],
      ["t2-humidity", true, 1],
      ["t9-retake", true, 1],
    ]);
    expect(results.contenders).toEqual(["test-model"]);
    expect(results.rows.every((row) => (row.usd ?? 0) > 0 && (row.tokens ?? 0) > 0)).toBe(true);
    const [first] = requests;
    const names = (first?.body["tools"] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["move_to", "ladder_done", "ladder_decline"]);
    // The handle of the run is the harness's own.
    expect(JSON.stringify(first?.body)).not.toMatch(/"run"|run-[A-Za-z0-9_-]{20}/);
  });

  it("fails at the gate where it invents a tool, and has no proof where it gives none", async () => {
    const brain = sayingInTurn(
      { calls: [{ name: "rotate_polariser", arguments: {} }] },
      { calls: [{ name: "ladder_done", arguments: {} }] },
      {
        calls: [
          { name: "set_exposure", arguments: { exposure_ms: 2, reason: "asked" } },
          { name: "ladder_done", arguments: {} },
        ],
      },
    );
    const { results } = await climb(openAiDialect, "openai-compatible", brain, "t0-move,t0-exposure");
    const failed = results.rows.map((row) => row.checks.filter(({ passed }) => !passed).map(({ code }) => code));
    expect(failed).toEqual([["hallucination"], ["proof"]]);
    expect(results.rows[0]?.bad_calls).toBe(1);
  });

  it("asks no more once the cap of a case does not fit into the money of all, and keeps what it has", async () => {
    const brain = sayingInTurn({ calls: [move] }, { calls: [done] });
    const limits = ["--max-usd", "0.25", "--max-cost", "0.25"];
    const { results, requests } = await climb(anthropicDialect, "anthropic", brain, "t0-move,t0-exposure", ...limits);
    expect(results.rows.map((row) => [row.task, row.status, row.passed])).toEqual([
      ["t0-move", "graded", true],
      ["t0-exposure", "not_run", false],
    ]);
    expect(results.rows[1]?.note).toMatch(
      /^its cap of \$0\.25 does not fit into the \$0\.2\d+ that are left of \$0\.25$/,
    );
    expect(results.gates[0]).toMatchObject({ passed: false });
    expect(requests).toHaveLength(2);
  });

  it("writes down what is finished when it is called off", async () => {
    const out = join(folder, "called-off");
    const hanging = Promise.withResolvers<undefined>();
    const brain = sayingInTurn({ calls: [move] }, { calls: [done] }, { hang: true });
    const standIn = await startStandIn({
      dialect: anthropicDialect,
      brain,
      key: TEST_KEY,
      onHang: () => hanging.resolve(undefined),
    });
    try {
      const words = [
        "ladder",
        "--driver",
        "model",
        "--model",
        "m",
        "--base-url",
        standIn.url,
        "--price",
        "3,0.3,3.75,15",
      ];
      const child = spawn(
        process.execPath,
        [join(ROOT, "bin/caustic.mjs"), ...words, "--only", "t0-move,t0-exposure", "--out", out],
        { env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: TEST_KEY }, stdio: "ignore" },
      );
      const status = new Promise<number | null>((resolve) => child.on("close", resolve));
      await hanging.promise;
      child.kill("SIGINT");
      expect(await status).toBe(1);
    } finally {
      await standIn.close();
    }
    const { rows } = suiteResultsSchema.parse(JSON.parse(readFileSync(join(out, "results.json"), "utf8")));
    expect(rows.map((row) => [row.task, row.status, row.passed])).toEqual([
      ["t0-move", "graded", true],
      ["t0-exposure", "not_run", false],
    ]);
  });
});
