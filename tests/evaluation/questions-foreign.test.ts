import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";
import type { SuiteResults } from "../../main/contract/suite-results.ts";
import type { QuestionAgent } from "../../main/evaluation/questions/question-agent.ts";
import { playScript, submit } from "../../main/evaluation/questions/play-script.ts";
import { readQuestions } from "../../main/evaluation/questions/read-questions.ts";
import { recorded, runSuite, scratch } from "./question-run.ts";

const TASKS = join(import.meta.dirname, "../support/foreign-questions.yaml");
const OWN = join(import.meta.dirname, "../support/foreign-server.ts");

/** The reference server, where it is installed. */
function everything(): string | undefined {
  const paths = createRequire(import.meta.url).resolve.paths("x") ?? [];
  const places = [...paths, process.env["EVERYTHING_MODULES"] ?? ""].map((path) =>
    join(path, "@modelcontextprotocol/server-everything/dist/index.js"),
  );
  return places.find((path) => existsSync(path));
}

const folder = scratch();
afterAll(() => folder.remove());

const SERVERS: readonly (readonly [string, string | undefined, string])[] = [
  ["a server on the 2025 line of the official SDK", OWN, ""],
  ["the reference server (@modelcontextprotocol/server-everything)", everything(), " stdio"],
];

describe.each(SERVERS)("%s", (name, path, args) => {
  const out = join(folder.path, String(name.length));
  const command = `"${process.execPath}" "${path ?? ""}"${args}`;

  it.skipIf(path === undefined)("is driven by the command with five questions of another kind", async () => {
    const { status, stdout, stderr } = await runCaustic([
      "questions",
      "run",
      "--server-cmd",
      command,
      "--tasks",
      TASKS,
      "--agent",
      "oracle,naive",
      "--out",
      out,
      "--json",
    ]);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { rows } = JSON.parse(stdout) as SuiteResults;
    const passed = (agent: string): string[] =>
      rows.filter((row) => row.contender === agent && row.passed).map(({ task }) => task);
    expect(passed("oracle")).toEqual(["sum", "fahrenheit", "failed-operation", "flight", "planned-sum"]);
    expect(passed("naive")).toEqual([]);
    expect(rows.filter(({ status: graded }) => graded !== "graded")).toEqual([]);
  });

  it.skipIf(path === undefined)("sees no key, no account and no home of the caller, and what it is given", async () => {
    process.env["AWS_SECRET_ACCESS_KEY"] = "not-for-servers";
    process.env["SOME_API_KEY"] = "not-for-servers";
    const suite = readQuestions(TASKS);
    const spy: QuestionAgent = {
      name: "spy",
      async answer({ desk, bench }) {
        const calls = [{ tool: "get-env", arguments: {} }];
        await submit(
          desk,
          await playScript(desk, { calls, answer: { values: {}, declined: true, concerns: [], summary: "" } }, bench),
        );
      },
    };
    try {
      const server = {
        command: [process.execPath, path ?? "", ...args.trim().split(" ").filter(Boolean)],
        env: { GIVEN: "on purpose" },
      };
      await runSuite(suite, [spy], join(out, "spy"), {
        selected: suite.questions.slice(0, 1),
        server,
        sharedServer: false,
      });
    } finally {
      delete process.env["AWS_SECRET_ACCESS_KEY"];
      delete process.env["SOME_API_KEY"];
    }
    const { log, text } = recorded(join(out, "spy"), "spy", { id: "sum" });
    const seen = log[0]?.result as Record<string, string>;
    expect(seen["GIVEN"]).toBe("on purpose");
    expect(seen["HOME"]).toMatch(/caustic-question-/);
    expect(text).not.toContain("not-for-servers");
    const known = [
      "PATH",
      "LANG",
      "LC_ALL",
      "TZ",
      "HOME",
      "TMPDIR",
      "XDG_RUNTIME_DIR",
      "NODE_COMPILE_CACHE",
      "GIVEN",
      "SHELL",
      "TERM",
      "USER",
      "LOGNAME",
    ];
    expect(Object.keys(seen).filter((variable) => !known.includes(variable))).toEqual([]);
  });

  it.skipIf(path === undefined)("gives an agent its resources and a log with what did not bind", async () => {
    const suite = readQuestions(TASKS);
    const heard: string[] = [];
    const clumsy: QuestionAgent = {
      name: "clumsy",
      async answer({ desk }) {
        const bound = (tool: string, given: Record<string, unknown>) =>
          desk.call({ id: tool, name: tool, arguments: { bound: given } }).then(({ answer }) => answer);
        const list = await bound("list_resources", {});
        const [uri] = /[a-z]+:\/\/[^"{]+/.exec(list.text) ?? [];
        heard.push((await bound("read_resource", { uri })).text);
        heard.push((await bound("read_resource", { uri: "nowhere://x" })).isError ? "refused" : "read");
        await bound("get-sum", { a: "one" });
        await bound("no-such-tool", {});
        const wrong = await bound("submit_answer", {
          values: { sum: "four" },
          declined: false,
          concerns: [],
          summary: "",
        });
        heard.push(wrong.isError ? wrong.text : "accepted");
        await bound("submit_answer", { values: { sum: 4 }, declined: false, concerns: [], summary: "first" });
        await bound("submit_answer", { values: { sum: 21.75 }, declined: false, concerns: [], summary: "second" });
      },
    };
    const server = { command: [process.execPath, path ?? "", ...args.trim().split(" ").filter(Boolean)], env: {} };
    const selected = suite.questions.slice(0, 1);
    const { rows } = await runSuite(suite, [clumsy], join(out, "clumsy"), { selected, server });
    expect(heard[0]?.length).toBeGreaterThan(10);
    expect(heard[1]).toBe("refused");
    expect(heard[2]).toMatch(/^Not accepted: values\.sum: /);
    expect(rows[0]).toMatchObject({ calls: 2, bad_calls: 2, passed: false, status: "graded" });
    expect(recorded(join(out, "clumsy"), "clumsy", { id: "sum" }).submission).toMatchObject({
      values: { sum: 4 },
      summary: "first",
    });
  });
});

describe("a server that cannot be had", () => {
  it("ends as the infrastructure's failure, with its last words, and the next command tries again", async () => {
    const suite = readQuestions(TASKS);
    const out = join(folder.path, "broken");
    const selected = suite.questions.slice(0, 2);
    const idle: QuestionAgent = {
      name: "idle",
      answer: ({ desk }) => submit(desk, { values: {}, declined: true, concerns: ["no tool"], summary: "" }),
    };
    const command = [process.execPath, "-e", "console.error('no licence'); process.exit(3)"];
    const broken = await runSuite(suite, [idle], out, { selected, server: { command, env: {} }, sharedServer: false });
    expect(broken.rows.map(({ status }) => status)).toEqual(["failed", "failed"]);
    expect(broken.rows[0]?.note).toMatch(/cannot be reached.*no licence/s);
    expect(broken.metrics).toEqual([]);
    const mended = await runSuite(suite, [idle], out, {
      selected,
      server: { command: [process.execPath, OWN], env: {} },
    });
    expect(mended.rows.map(({ status }) => status)).toEqual(["graded", "graded"]);
    const bytes = readFileSync(join(out, "results.json"), "utf8");
    expect(JSON.parse(bytes)).toEqual(mended);
    // What lies there is taken as it is: a server is not even started.
    await runSuite(suite, [idle], out, { selected, server: { command, env: {} } });
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(bytes);
  });
});
