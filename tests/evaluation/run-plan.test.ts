import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { PlanContender } from "../../main/contract/plan.ts";
import { evaluationResultsSchema } from "../../main/contract/evaluation-results.ts";
import { contenderDriver, type Driver } from "../../main/evaluation/driver.ts";
import { readProgress } from "../../main/evaluation/evaluation-folder.ts";
import { reportFolder } from "../../main/evaluation/report-folder.ts";
import { SCRIPTS } from "../../main/contenders/index.ts";
import { type Contender, GaveUp, NoMeans } from "../../main/contenders/contender.ts";
import { evaluate, lastingFiles, PARTS, smallPlan, temporaryFolder, watching } from "./small-evaluation.ts";

/** Seven units, of which one takes long: the scripted operator runs B1 alone. */
const SMALL = smallPlan(["A5", "B1", "C1"], {
  groups: smallPlan(["A5", "B1", "C1"]).groups.map((group) => ({
    ...group,
    contenders: group.contenders.filter((name) => name !== "scripted" || group.group === "B"),
  })),
});

/** One undisturbed evaluation that the others are held against. */
let reference: string;
let expected: Record<string, string>;

beforeAll(async () => {
  reference = join(temporaryFolder(), "reference");
  const { complete } = await evaluate(SMALL, reference, { jobs: 1 });
  expect(complete).toBe(true);
  expected = lastingFiles(reference);
});

const copyOfReference = (): string => {
  const out = join(temporaryFolder(), "copy");
  cpSync(reference, out, { recursive: true });
  return out;
};

describe("an evaluation", () => {
  it("gives the same report and the same journals, byte for byte, in another folder with other numbers of jobs", async () => {
    const out = join(temporaryFolder(), "elsewhere");
    await evaluate(SMALL, out, { jobs: 3 });
    expect(lastingFiles(out)).toEqual(expected);
  });

  it("has a row for every unit in the plan's order, and results that fit their schema", () => {
    const results = evaluationResultsSchema.parse(JSON.parse(readFileSync(join(reference, "results.json"), "utf8")));
    expect(results.rows.map((row) => `${row.case} ${row.contender}`)).toEqual([
      "A5 naive",
      "A5 constant",
      "B1 scripted",
      "B1 naive",
      "B1 constant",
      "C1 naive",
      "C1 constant",
    ]);
    expect(results.rows.every((row) => row.exploratory)).toBe(true);
    expect(results.registered).toBe(false);
    expect(results.rows.filter((row) => row.case === "C1").every((row) => row.seen)).toBe(true);
    expect(results.summary.held_out.every((one) => one.planned === 1)).toBe(true);
  });

  it("holds nothing of the wall clock or of the machine in its results", () => {
    const record = JSON.parse(readFileSync(join(reference, "runs", "A5-naive-e1", "run.json"), "utf8")) as {
      opened_at: string;
    };
    for (const name of ["results.json", "results.md", "report.html"]) {
      const text = readFileSync(join(reference, name), "utf8");
      expect(text).not.toContain(record.opened_at.slice(0, 16));
      expect(text).not.toContain(reference);
    }
  });

  it("does not run again what is there", async () => {
    const out = copyOfReference();
    const before = statSync(join(out, "runs", "B1-scripted-e1", "events.jsonl")).ino;
    const { events, onProgress } = watching();
    await evaluate(SMALL, out, { onProgress });
    expect(events.map((event) => event.type)).toEqual(["evaluation_started", "evaluation_ended"]);
    expect(events[0]).toMatchObject({ units: 7, kept: 7 });
    expect(statSync(join(out, "runs", "B1-scripted-e1", "events.jsonl")).ino).toBe(before);
    expect(lastingFiles(out)).toEqual(expected);
  });

  it("runs interrupted units from their beginning", async () => {
    const out = copyOfReference();
    // What a killed process leaves behind: a unit half done, results not written, a torn line of progress.
    mkdirSync(join(out, "unfinished", "999999999"), { recursive: true });
    cpSync(join(out, "runs", "C1-naive-e1"), join(out, "unfinished", "999999999", "C1-naive-e1"), { recursive: true });
    rmSync(join(out, "runs", "C1-naive-e1"), { recursive: true });
    rmSync(join(out, "results.json"));
    writeFileSync(
      join(out, "running.json"),
      JSON.stringify({ pid: 999_999_999, host: (await import("node:os")).hostname() }),
    );
    writeFileSync(join(out, "progress.jsonl"), '{"type":"unit_sta', { flag: "a" });
    const { events, onProgress } = watching();
    await evaluate(SMALL, out, { onProgress });
    expect(events.filter((event) => event.type === "unit_started")).toHaveLength(1);
    expect(lastingFiles(out)).toEqual(expected);
    expect(readdirSync(join(out, "unfinished"))).toEqual([]);
    expect(readProgress(out).at(-1)).toMatchObject({ type: "evaluation_ended", state: "complete" });
  });

  it("grows by what is asked for later, to the same results", async () => {
    const out = join(temporaryFolder(), "in-parts");
    const first = await evaluate(SMALL, out, { by: ["naive"] });
    expect(first.results.rows).toHaveLength(3);
    await evaluate(SMALL, out, { by: ["constant"], selection: { by: ["constant"], cases: ["A5"], epochs: 1 } });
    const last = await evaluate(SMALL, out, { by: ["scripted", "constant"] });
    expect(last.results.rows).toHaveLength(4);
    expect(lastingFiles(out)).toEqual(expected);
  });

  it("repeats runs in epochs and tells how reliable they are", async () => {
    const out = join(temporaryFolder(), "epochs");
    const { results } = await evaluate(SMALL, out, { selection: { by: ["constant"], cases: ["A5", "B1"], epochs: 3 } });
    expect(results.rows.map((row) => row.epoch)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(results.summary.pass_hat_k).toEqual([1, 2, 3].map((k) => ({ contender: "constant", k, value: 0.5 })));
  });

  it("keeps the other units when a worker dies, and tries the lost one again next time", async () => {
    const out = join(temporaryFolder(), "crash");
    let killed = 0;
    const { results, complete } = await evaluate(SMALL, out, {
      onProgress(event) {
        if (event.type !== "unit_started" || event.case !== "B1" || event.contender !== "scripted") return;
        const look = (): void => {
          // The first unit of all is this one: its folder may still have to come.
          const folders = existsSync(join(out, "unfinished")) ? readdirSync(join(out, "unfinished")) : [];
          const pid = folders.find((name) =>
            existsSync(join(out, "unfinished", name, "B1-scripted-e1", "events.jsonl")),
          );
          if (pid === undefined) setTimeout(look, 5);
          else {
            killed = Number(pid);
            process.kill(killed, "SIGKILL");
          }
        };
        look();
      },
    });
    expect(killed).toBeGreaterThan(0);
    expect(complete).toBe(false);
    expect(results.rows.filter((row) => row.status === "failed")).toMatchObject([
      { case: "B1", contender: "scripted", correct: false },
    ]);
    expect(results.rows.filter((row) => row.status === "finished" || row.status === "no_verdict")).toHaveLength(6);
    expect(results.summary.groups.find((one) => one.group === "B" && one.contender === "scripted")).toMatchObject({
      planned: 1,
      graded: 0,
      failed: 1,
    });
    expect(readdirSync(join(out, "failed"))).toEqual(["B1-scripted-e1-1"]);
    const { events, onProgress } = watching();
    await evaluate(SMALL, out, { onProgress });
    expect(events.filter((event) => event.type === "unit_started")).toMatchObject([{ case: "B1", attempt: 2 }]);
    expect(lastingFiles(out)).toEqual(expected);
  });

  it("can be called off: the rest is listed as not run, and the same start goes on from there", async () => {
    const out = join(temporaryFolder(), "called-off");
    const off = new AbortController();
    const { results, complete } = await evaluate(SMALL, out, {
      jobs: 1,
      signal: off.signal,
      onProgress(event) {
        if (event.type === "unit_ended") off.abort();
      },
    });
    expect(complete).toBe(false);
    expect(results.rows).toHaveLength(7);
    expect(results.rows.filter((row) => row.status === "not_run").length).toBeGreaterThanOrEqual(5);
    expect(readProgress(out).at(-1)).toMatchObject({ type: "evaluation_ended", state: "stopped" });
    await evaluate(SMALL, out);
    expect(lastingFiles(out)).toEqual(expected);
  });

  it("names the damaged line of a run instead of making another one", async () => {
    const out = copyOfReference();
    const path = join(out, "runs", "A5-naive-e1", "events.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    lines[4] = (lines[4] ?? "").replace(/"t_ms":\d/, '"t_ms":7');
    writeFileSync(path, lines.join("\n"));
    await expect(evaluate(SMALL, out)).rejects.toThrow(/A5-naive-e1\/events\.jsonl, line 5/);
    await expect(reportFolder(out, PARTS)).rejects.toThrow(/A5-naive-e1\/events\.jsonl, line 5/);
  });

  it("is not mixed with another plan, nor run twice at once", async () => {
    const out = copyOfReference();
    await expect(evaluate(smallPlan(["A5"]), out)).rejects.toThrow(/another plan/);
    const running = evaluate(SMALL, out);
    await expect(evaluate(SMALL, out)).rejects.toThrow(/process \d+ works in/);
    await running;
  });

  it("is reported again from its journals alone, to the same bytes", async () => {
    const out = copyOfReference();
    for (const name of ["results.json", "results.md", "report.html", "progress.jsonl"]) rmSync(join(out, name));
    for (const unit of readdirSync(join(out, "runs"))) rmSync(join(out, "runs", unit, "grade.json"));
    await reportFolder(out, PARTS);
    expect(lastingFiles(out)).toEqual(expected);
  });

  it.each([
    [{ by: ["nobody"], epochs: 1 }, /no contender "nobody"/],
    [{ cases: ["Z9"], epochs: 1 }, /no case "Z9"/],
    [{ groups: ["Z"], epochs: 1 }, /no group "Z"/],
    [{ by: ["agent-noview"], cases: ["A5"], epochs: 1 }, /nothing of the plan/],
  ])("refuses a selection that is not in the plan: %j", async (selection, message) => {
    await expect(evaluate(SMALL, join(temporaryFolder(), "none"), { selection })).rejects.toThrow(message);
  });
});

describe("the stop rule", () => {
  const costly: PlanContender = {
    contender: "agent",
    what: "costs money",
    limits: { model_calls: 5, tokens: 100, usd_per_run: 0.5, usd_per_suite: 4, views: 0 },
  };
  const plan = smallPlan(["A1", "A2", "A3", "A4", "A5"], {
    contenders: [costly, ...SMALL.contenders.filter((one) => one.contender !== "agent")],
    stop_rule: { usd: 1, parallel_runs: 3, how: "by reservation" },
  });

  /** Drives as `constant` does and tells what it cost; remembers how many went at once. */
  const spender = (usd: number | undefined): { readonly driver: Driver; most: number } => {
    const constant = contenderDriver(() => ({ ...(SCRIPTS["constant"] as Contender), name: "agent" }));
    let going = 0;
    const watch = {
      most: 0,
      driver: async (context: Parameters<Driver>[0]) => {
        watch.most = Math.max(watch.most, ++going);
        const outcome = await constant(context);
        going--;
        return { ...outcome, model_calls: 1, ...(usd === undefined ? {} : { usd }) };
      },
    };
    return watch;
  };

  const run = async (usd: number | undefined, out = join(temporaryFolder(), "money")) => {
    const { driver, most: _ } = spender(usd);
    const { events, onProgress } = watching();
    const { results, complete } = await evaluate(plan, out, {
      by: ["agent"],
      waiting: { agent: { parallel: 3, driver } },
      onProgress,
    });
    return { results, complete, events, out };
  };

  it("sets each run's cap aside before it starts, so that caps and costs together never pass the limit", async () => {
    const { events } = await run(0.5);
    let spent = 0;
    const reserved = new Map<string, number>();
    for (const event of events) {
      if (event.type === "usd_reserved") reserved.set(event.case, event.usd);
      if (event.type === "usd_settled") {
        reserved.delete(event.case);
        spent += event.usd;
      }
      expect(spent + [...reserved.values()].reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(1 + 1e-9);
    }
    expect(spent).toBe(1);
  });

  it("lists the cases that do not fit any more as not run", async () => {
    const { results, complete } = await run(0.5);
    expect(results.rows.map((row) => row.status === "not_run")).toEqual([false, false, true, true, true]);
    expect(complete).toBe(false);
    expect(results.rows[4]?.note).toContain("stop rule");
    expect(results.summary.groups).toMatchObject([{ planned: 5, graded: 2, not_run: 3, usd: 1 }]);
  });

  it("gives back what a run did not cost", async () => {
    const { results } = await run(0.1);
    expect(results.rows.every((row) => row.status === "no_verdict")).toBe(true);
  });

  it("counts an unknown cost as the cap, and says that it is unknown", async () => {
    const { results, events } = await run(undefined);
    expect(results.rows.filter((row) => row.status === "not_run")).toHaveLength(3);
    expect(events.filter((event) => event.type === "usd_settled")).toMatchObject([
      { usd: 0.5, known: false },
      { usd: 0.5, known: false },
    ]);
    expect(results.summary.groups[0]?.usd).toBeUndefined();
  });

  it("remembers over a restart what was spent", async () => {
    const { out } = await run(0.3);
    // 0.3 + 0.3 leave no room for a third cap of 0.5.
    const again = await run(0.3, out);
    expect(again.results.rows.filter((row) => row.status === "not_run")).toHaveLength(3);
    expect(again.events.filter((event) => event.type === "unit_started")).toHaveLength(0);
  });

  it("tells of a run that was taken away and made again, and counts the attempts", async () => {
    const { out } = await run(0.1);
    const deleted = join(out, "runs", "A3-agent-e1");
    rmSync(deleted, { recursive: true });
    const { results, events } = await run(0.1, out);
    expect(events.filter((event) => event.type === "unit_started")).toMatchObject([{ case: "A3", attempt: 2 }]);
    expect(JSON.parse(readFileSync(join(deleted, "run.json"), "utf8"))).toMatchObject({ attempt: 2 });
    expect(results.started_again).toEqual([
      { case: "A3", contender: "agent", epoch: 1, starts: 2, finished: 2, failed: 0 },
    ]);
    const sentence = "A3 by agent, epoch 1, was started 2 times";
    for (const name of ["results.md", "report.html"]) expect(readFileSync(join(out, name), "utf8")).toContain(sentence);
    expect((await reportFolder(out, PARTS)).started_again).toEqual(results.started_again);
  });

  it("lists a run whose means allow no first request as not run, at no cost, and one that gave up before it began as its own", async () => {
    const out = join(temporaryFolder(), "no-means");
    const ends = [new NoMeans("of $0.0001 a run nothing is left"), new GaveUp("the model refused")];
    const driver = contenderDriver(() => ({
      name: "agent",
      drive: () => Promise.reject(ends.shift() ?? new Error("unexpected")),
    }));
    const { events, onProgress } = watching();
    const { results } = await evaluate(plan, out, {
      selection: { by: ["agent"], cases: ["A1", "A2"], epochs: 1 },
      waiting: { agent: { parallel: 1, driver } },
      onProgress,
    });
    expect(results.rows).toMatchObject([
      {
        case: "A1",
        status: "not_run",
        note: "the means do not allow a first request: of $0.0001 a run nothing is left",
      },
      { case: "A2", status: "no_verdict", correct: false },
    ]);
    expect(results.rows[1]?.note).toContain("the model refused");
    expect(events.filter((event) => event.type === "usd_settled")[0]).toMatchObject({ usd: 0, known: true });
    expect(existsSync(join(out, "failed"))).toBe(false);
    expect(results.started_again).toBeUndefined();
  });

  it("does not start what cannot run here", async () => {
    const { driver } = spender(0);
    const { results } = await evaluate(plan, join(temporaryFolder(), "absent"), {
      by: ["agent", "constant"],
      waiting: { agent: { parallel: 1, driver, unavailable: "no key in the environment" } },
    });
    const rows = results.rows.filter((row) => row.contender === "agent");
    expect(rows.every((row) => row.status === "not_run" && row.note === "no key in the environment")).toBe(true);
    expect(results.rows.filter((row) => row.contender === "constant" && row.status === "finished")).toHaveLength(5);
  });
});
