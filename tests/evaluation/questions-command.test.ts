import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";
import { suiteResultsSchema } from "../../main/contract/suite-results.ts";
import { startQuestionServer } from "../../main/evaluation/questions/question-server.ts";
import { CAUSTIC } from "../../main/app/run-caustic.ts";
import { readSuite, scratch } from "./question-run.ts";

const folder = scratch();
afterAll(() => folder.remove());
const out = join(folder.path, "out");

describe("caustic questions run", () => {
  it("runs what was selected, writes results and transcripts, and goes on from there", async () => {
    const command = [
      "questions",
      "run",
      "--only",
      "width-radius,width-fwhm",
      "--agent",
      "oracle,naive",
      "--out",
      out,
      "--stamp",
      "s1",
    ];
    const first = await runCaustic([...command, "--json"]);
    expect(first.stderr).toBe("");
    expect(first.status).toBe(0);
    const results = suiteResultsSchema.parse(JSON.parse(first.stdout));
    expect(results).toMatchObject({ suite: "questions", stamp: "s1", contenders: ["oracle", "naive"] });
    expect(results.rows.map(({ task, contender, passed }) => [task, contender, passed])).toEqual([
      ["width-fwhm", "oracle", true],
      ["width-radius", "oracle", true],
      ["width-fwhm", "naive", false],
      ["width-radius", "naive", false],
    ]);
    for (const { transcript = "" } of results.rows) expect(existsSync(join(out, transcript))).toBe(true);
    const bytes = readFileSync(join(out, "results.json"), "utf8");
    const oracle = join(out, "transcripts/oracle/width-radius.jsonl");
    const kept = readFileSync(oracle, "utf8");
    rmSync(join(out, "transcripts/naive/width-radius.jsonl"));
    const again = await runCaustic(command);
    expect(again.status).toBe(0);
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(bytes);
    // What was there was not run again: a new run would have another handle.
    expect(readFileSync(oracle, "utf8")).toBe(kept);
    expect(again.stdout).toMatch(/naive\s+width-radius: value:wx_um/);
  });

  it("ends with status 1 under --strict where a task is missed", async () => {
    const strict = (agent: string) =>
      runCaustic(["questions", "run", "--only", "width-radius", "--agent", agent, "--out", out, "--strict"]);
    expect((await strict("oracle")).status).toBe(0);
    expect((await strict("naive")).status).toBe(1);
  });

  it.each([
    [["--agent", "nobody"], /oracle, naive/],
    [["--category", "hard"], /--category hard: expected some of standard, trap/],
    [["--kind", "smell"], /--kind smell: expected some of/],
    [["--only", "nothing-like-this"], /holds no question that fits/],
    [["--tasks", "nowhere.yaml"], /nowhere\.yaml cannot be read/],
    [["--server-env", "NOVALUE"], /NAME=VALUE/],
    [["--server-cmd", " "], /--server-cmd is empty/],
    [["--agent", "model"], /expected --model/],
    [["--agent", "oracle", "--model", "m"], /--model is for a model, and none takes part; expected --agent model/],
    [["--out", join(import.meta.filename, "x")], /--out .*x cannot be written \(ENOTDIR\); expected a folder/],
    [
      [
        "--agent",
        "model",
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9",
        "--provider",
        "openai-compatible",
        "--max-cost-per-task",
        "1",
      ],
      /expected --price/,
    ],
  ])("refuses %j with status 2 and one sentence", async (args, words) => {
    const { status, stdout, stderr } = await runCaustic([
      "questions",
      "run",
      "--out",
      join(folder.path, "refused"),
      ...args,
    ]);
    expect(stderr).toMatch(words);
    expect(stderr.trim().split("\n").length).toBe(1);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });
});

describe("caustic questions generate", () => {
  it("writes what --check then finds right, and names what was changed by hand", async () => {
    const tasks = join(folder.path, "tasks");
    const check = () => runCaustic(["questions", "generate", "--tasks", tasks, "--check"]);
    expect((await check()).status).toBe(1);
    expect((await runCaustic(["questions", "generate", "--tasks", tasks])).status).toBe(0);
    expect((await check()).status).toBe(0);
    const path = join(tasks, "width-radius.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace("rel: 0.02", "rel: 0.5"));
    writeFileSync(join(tasks, "of-my-own.yaml"), "id: of-my-own\n");
    const { status, stdout } = await check();
    expect(status).toBe(1);
    expect(stdout).toMatch(/of-my-own\.yaml, width-radius\.yaml/);
  });
});

describe("the server of a question", () => {
  it("leaves nothing behind in which its truth stands", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder.path;
    try {
      expect(tmpdir()).toBe(folder.path);
      const [question] = readSuite().questions;
      if (question === undefined) throw new Error("no question");
      const command = [process.execPath, CAUSTIC, "mcp", "--world", "{world}", "--out", "{data}/runs"];
      const server = await startQuestionServer({ command, env: {} }, [question], "tester");
      const { client } = server.connection;
      const bench = server.benchOf(question);
      const opened = await client.callTool({ name: "bench_open", arguments: { bench, reason: "r" } });
      expect(opened.isError).not.toBe(true);
      const files = readdirSync(folder.path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.parentPath.includes("caustic-question-"))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
      for (const text of files) expect(text).not.toContain("w0_um");
      expect(JSON.stringify(opened)).not.toContain("w0_um");
      await server.close();
      expect(readdirSync(folder.path).filter((name) => name.startsWith("caustic-question-"))).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });

  it("is refused a world that does not fit, with the field", async () => {
    const path = join(folder.path, "world.json");
    const [question] = readSuite().questions;
    const scenario = { ...question?.world?.scenario, power_counts_per_ms: -1 };
    writeFileSync(path, JSON.stringify({ benches: { "bench-1": { scenario, seed: 1 } } }));
    const { status, stderr } = await runCaustic(["mcp", "--world", path]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/benches\.bench-1\.scenario\.power_counts_per_ms: /);
    const both = await runCaustic(["mcp", "--world", path, "--scenario", "clean"]);
    expect(both.status).toBe(2);
    expect(both.stderr).toMatch(/expected no --scenario/);
  });
});
