import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";
import { evaluationResultsSchema } from "../../main/contract/evaluation-results.ts";
import { PLAN } from "./run-case.ts";
import { smallPlan, temporaryFolder, writePlan } from "./small-evaluation.ts";

const SMALL = smallPlan(["A5", "C1"]);

let folder: string;
let plan: string;
let out: string;

const git = (...args: string[]): void => {
  const { status, stderr } = spawnSync(
    "git",
    ["-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.org", ...args],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
};

beforeAll(() => {
  folder = temporaryFolder();
  plan = writePlan(SMALL, folder);
  out = join(folder, "out");
  git("init", "-q");
});

describe("caustic plan, eval, report and grade, one after the other", () => {
  it("check says no before the freeze", async () => {
    const { status, stdout } = await runCaustic(["plan", "check", plan]);
    expect(status).toBe(1);
    expect(stdout).toContain("Not registered: the plan has never been frozen.");
  });

  it("eval refuses an unregistered plan in one sentence", async () => {
    const { status, stdout, stderr } = await runCaustic(["eval", plan, "--by", "constant", "--out", out]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain("--exploratory");
    expect(existsSync(out)).toBe(false);
  });

  it("freeze prints the oracle's verdicts, and refuses to do it twice", async () => {
    const first = await runCaustic(["plan", "freeze", plan]);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^A5 +waist_not_accessible$/m);
    expect(first.stdout).toMatch(/^C1 +measurement_failed \(geometry alone: iso_compliant\)$/m);
    const second = await runCaustic(["plan", "freeze", plan]);
    expect(second.status).toBe(2);
    expect(second.stderr).toContain("expected a higher version or a further deviation");
  });

  it("check says yes once both files are committed", async () => {
    git("add", "-A");
    git("commit", "-q", "-m", "registered");
    const { status, stdout } = await runCaustic(["plan", "check", plan, "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      registered: true,
      why: [],
      changed_parts: [],
      cases: [{ case: "A5" }, { case: "C1" }],
    });
  });

  it("eval prints the results that it writes, and nothing else, and starts again where it was", async () => {
    const args = ["eval", plan, "--by", "naive,constant", "--jobs", "1", "--out", out, "--json"];
    const { status, stdout, stderr } = await runCaustic(args);
    expect([status, stderr]).toEqual([0, ""]);
    const results = evaluationResultsSchema.parse(JSON.parse(stdout));
    expect(results).toMatchObject({ plan: "small", registered: true });
    expect(results.rows.map((row) => [row.case, row.contender, row.correct])).toEqual([
      ["A5", "naive", false],
      ["A5", "constant", false],
      ["C1", "naive", false],
      ["C1", "constant", false],
    ]);
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(stdout);
    expect((await runCaustic(args)).stdout).toBe(stdout);
  });

  it("report makes the same report again", async () => {
    const before = readFileSync(join(out, "results.json"), "utf8");
    const { status, stdout } = await runCaustic(["report", out, "--json"]);
    expect([status, stdout]).toEqual([0, before]);
  });

  it("grade shows both grades", async () => {
    const run = join(out, "runs", "C1-naive-e1");
    const { status, stdout } = await runCaustic(["grade", run, "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      run,
      then: { case: "C1" },
      now: { case: "C1", correct: false },
      changed: [],
    });
  });

  it.each([
    [["eval", "nowhere.yaml"], /nowhere\.yaml cannot be read/],
    [["eval", "PLAN", "--case", "Z1", "--exploratory"], /no case "Z1"/],
    [["eval", "PLAN", "--jobs", "0"], /--jobs/],
    [
      ["eval", "PLAN", "--by", "recorded", "--answers", "nowhere.jsonl", "--exploratory"],
      /--answers: nowhere\.jsonl: there is no such file/,
    ],
    [
      ["eval", "PLAN", "--by", "recorded", "--answers", "PLAN", "--exploratory"],
      /--answers: .*plan\.yaml, line 1: not JSON/,
    ],
    [["report", "nowhere"], /nowhere holds no evaluation/],
    [["plan", "check", "nowhere.yaml"], /nowhere\.yaml cannot be read/],
  ])("what cannot be done ends with status 2 and says why: %j", async (args, message) => {
    const { status, stderr } = await runCaustic(args.map((word) => (word === "PLAN" ? plan : word)));
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  it("each has an example in its help", async () => {
    for (const words of [["plan"], ["plan", "freeze"], ["plan", "check"], ["eval"], ["report"], ["grade"]]) {
      const { status, stdout } = await runCaustic([...words, "--help"]);
      expect([words, status, stdout.includes("$ caustic ")]).toEqual([words, 0, true]);
    }
  });
});

describe("the project's own plan", () => {
  it("has the cases, verdicts and rules that it was made after", () => {
    const cases = PLAN.groups.flatMap((group) => group.cases ?? []);
    expect(cases.map((one) => one.case)).toEqual([
      ...Array.from({ length: 16 }, (_, i) => `A${i + 1}`),
      ...Array.from({ length: 5 }, (_, i) => `B${i + 1}`),
      ...Array.from({ length: 5 }, (_, i) => `C${i + 1}`),
    ]);
    const seeds = [...Array.from({ length: 6 }, () => 100), ...Array.from({ length: 10 }, (_, i) => 1000 + i)];
    expect(cases.map((one) => one.seed)).toEqual([...seeds, 200, 201, 202, 203, 204, 300, 301, 302, 303, 304]);
    expect(PLAN.stop_rule).toMatchObject({ usd: 4, parallel_runs: 3 });
    expect(PLAN.contenders.find((one) => one.contender === "agent")?.limits).toEqual({
      model_calls: 40,
      tokens: 1_500_000,
      usd_per_run: 0.5,
      usd_per_suite: 4,
      views: 4,
    });
    expect(cases.filter((one) => one.m2_within !== undefined).map((one) => [one.case, one.m2_within])).toEqual([
      ["C3", 0.03],
      ["C5", 0.03],
    ]);
  });
});
