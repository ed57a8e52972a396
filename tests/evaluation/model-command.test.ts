import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelTurnSchema } from "../../main/contract/model-usage.ts";
import { anthropicDialect } from "../support/models/anthropic-dialect.ts";
import type { Brain } from "../support/models/brain.ts";
import { competentOperator } from "../support/models/competent-operator.ts";
import { billed_usd, TEST_KEY } from "../support/models/model-rig.ts";
import { openAiDialect } from "../support/models/openai-dialect.ts";
import { type Dialect, type StandIn, startStandIn } from "../support/models/stand-in.ts";

const ROOT = join(import.meta.dirname, "../..");
const PRICE = "3,0.3,3.75,15";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "model-command-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in a process of its own, with the key in its environment and nowhere else. */
async function caustic(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, "bin/caustic.mjs"), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk: string) => (text[stream] += chunk));
  }
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, ...text };
}

/** Everything that was written to disk, as one text. */
function written(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

async function withStandIn<Result>(
  dialect: Dialect,
  brain: Brain,
  work: (standIn: StandIn) => Promise<Result>,
): Promise<Result> {
  const standIn = await startStandIn({ dialect, brain, key: TEST_KEY });
  try {
    return await work(standIn);
  } finally {
    await standIn.close();
  }
}

describe("caustic measure --by agent", () => {
  it("measures, tells what it cost, keeps the answers, and leaves no trace of the key", async () => {
    await withStandIn(anthropicDialect, competentOperator({ looks: 2 }), async (standIn) => {
      const run = ["measure", "--scenario", "clean", "--seed", "100", "--by", "agent", "--json", "--out", "measured"];
      const model = ["--model", "stand-in", "--base-url", `${standIn.url}/v1/`, "--effort", "low", "--price", PRICE];
      const { status, stdout, stderr } = await caustic([...run, ...model], { ANTHROPIC_API_KEY: TEST_KEY });
      expect(stderr).toBe("");
      expect(status).toBe(0);
      const result = JSON.parse(stdout) as { verdict: string; model: { usd: number }; run_dir: string };
      expect(result).toMatchObject({ verdict: "iso_compliant", model: { model: "stand-in", provider: "anthropic" } });
      expect(result.model.usd).toBeCloseTo(billed_usd(standIn.metered), 9);
      const turns = readFileSync(join(folder, result.run_dir, "turns.jsonl"), "utf8")
        .trim()
        .split("\n");
      expect(turns.map((line) => modelTurnSchema.parse(JSON.parse(line)).model_call)).toEqual(
        standIn.metered.map((_tokens, i) => i + 1),
      );
      const kept = written(join(folder, "measured"));
      expect(kept).toContain('"finished"');
      for (const text of [stdout, stderr, kept]) expect(text).not.toContain(TEST_KEY);
    });
  });

  it("ends with status 1 and the provider's words when the key is refused, without the key", async () => {
    await withStandIn(openAiDialect, competentOperator({ looks: 0 }), async (standIn) => {
      const { status, stdout, stderr } = await caustic(
        [
          "measure",
          "--scenario",
          "clean",
          "--seed",
          "1",
          "--by",
          "agent-noview",
          "--model",
          "m",
          "--out",
          "refused",
          "--provider",
          "openai-compatible",
        ],
        { OPENAI_API_KEY: `${TEST_KEY}-wrong`, OPENAI_BASE_URL: `${standIn.url}/v1` },
      );
      expect(status).toBe(1);
      expect(stderr).toContain("401: wrong key: Bearer [key]");
      for (const text of [stdout, stderr, written(join(folder, "refused"))]) expect(text).not.toContain(TEST_KEY);
    });
  });

  it.each([
    [["--by", "agent"], {}, /expected --model/],
    [["--by", "agent", "--model", "m"], {}, /ANTHROPIC_API_KEY is not set/],
    [["--by", "agent", "--model", "m", "--provider", "openai-compatible"], {}, /OPENAI_API_KEY is not set/],
    [["--by", "agent", "--model", "m", "--price", "3,15"], {}, /four prices/],
    [["--by", "agent", "--model", "m", "--base-url", "not-an-address"], {}, /no address/],
    [["--by", "agent", "--model", "m", "--base-url", "https://user:word@host"], {}, /holds a password/],
    [
      ["--by", "agent", "--model", "m", "--base-url", "http://example.com"],
      { ANTHROPIC_API_KEY: TEST_KEY },
      /unencrypted/,
    ],
  ] as [string[], Record<string, string>, RegExp][])("refuses %j with status 2", async (args, environment, words) => {
    const { status, stdout, stderr } = await caustic(
      ["measure", "--scenario", "clean", "--seed", "1", ...args],
      environment,
    );
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain(TEST_KEY);
    expect(status).toBe(2);
    expect(stdout).toBe("");
  });
});

describe("caustic eval --by agent,agent-noview", () => {
  it("runs the model with and without pictures, and grades and bills both", async () => {
    // Two conversations at a time: each is told apart by what it was offered.
    const brains = new Map<string, Brain>();
    const brain: Brain = (heard) => {
      const who = String(heard.tools.includes("view_frame"));
      const own = brains.get(who) ?? competentOperator({ looks: who === "true" ? 1 : 0 });
      brains.set(who, own);
      return own(heard);
    };
    await withStandIn(openAiDialect, brain, async (standIn) => {
      const plan = join(ROOT, "tasks/plans/beam-quality.yaml");
      const { status, stdout, stderr } = await caustic(
        [
          "eval",
          plan,
          "--by",
          "agent,agent-noview",
          "--case",
          "C4",
          "--exploratory",
          "--out",
          "evaluated",
          "--json",
          "--model",
          "stand-in",
          "--provider",
          "openai-compatible",
          "--base-url",
          `${standIn.url}/v1`,
          "--price",
          PRICE,
        ],
        { OPENAI_API_KEY: TEST_KEY },
      );
      expect(stderr).toBe("");
      expect(status).toBe(0);
      const { rows } = JSON.parse(stdout) as {
        rows: { contender: string; status: string; images: string; usd: number; tokens: number; bad_calls: number }[];
      };
      expect(rows.map(({ contender, status: ended, images }) => [contender, ended, images])).toEqual([
        ["agent", "finished", "image_confirmed"],
        ["agent-noview", "finished", "not_looked"],
      ]);
      const sum = rows.reduce((usd, row) => usd + row.usd, 0);
      expect(sum).toBeCloseTo(billed_usd(standIn.metered), 6);
      for (const text of [stdout, stderr, written(join(folder, "evaluated"))]) expect(text).not.toContain(TEST_KEY);
    });
  });

  it("does not mix two models under one name", async () => {
    const before = join(folder, "mixed/runs/C4-agent-e1");
    mkdirSync(before, { recursive: true });
    writeFileSync(join(before, "outcome.json"), JSON.stringify({ status: "completed", model: "stand-in" }));
    const plan = join(ROOT, "tasks/plans/beam-quality.yaml");
    const { status, stderr } = await caustic(
      [
        "eval",
        plan,
        "--by",
        "agent",
        "--case",
        "C4",
        "--exploratory",
        "--out",
        "mixed",
        "--model",
        "another",
        "--provider",
        "openai-compatible",
        "--base-url",
        "http://127.0.0.1:9/v1",
      ],
      { OPENAI_API_KEY: TEST_KEY },
    );
    expect(stderr).toMatch(/holds runs of agent by stand-in, not another/);
    expect(status).toBe(2);
  });
});
