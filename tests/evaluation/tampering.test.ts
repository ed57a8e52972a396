import { appendFileSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Freeze, freezeHash, freezePlan, planHash } from "../../main/evaluation/freeze.ts";
import { gradeAgain } from "../../main/evaluation/grade-again.ts";
import { reportFolder } from "../../main/evaluation/report-folder.ts";
import { runPlan } from "../../main/evaluation/run-plan.ts";
import { PARTS, PROJECT, smallPlan, temporaryFolder } from "./small-evaluation.ts";

/* A reader of an evaluation's folder did not see it being made. What can be checked of it is checked. */

const PLAN = smallPlan(["A1", "A5", "C1", "C2"]);

let reference: string;

beforeAll(async () => {
  reference = join(temporaryFolder(), "out");
  const freeze = freezePlan(PLAN, PROJECT, "2026-12-01");
  await runPlan({
    plan: PLAN,
    planPath: "plan.yaml",
    registration: {
      plan_hash: planHash(PLAN),
      unchanged: true,
      differences: [],
      changed_parts: [],
      registered: true,
      freeze,
      why: [],
      history: { freezes: [] },
    },
    parts: PARTS,
    selection: { by: ["naive", "constant"], cases: ["A1", "A5", "C2"], epochs: 2 },
    out: reference,
    jobs: 2,
    exploratory: false,
    versions: {},
  });
});

const copy = (): string => {
  const out = join(temporaryFolder(), "copy");
  cpSync(reference, out, { recursive: true });
  return out;
};

type Json = Record<string, unknown>;

/** What lies in a value under these names. */
const inside = (value: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((parent, name) => parent[name] as Json, value);

function edit(path: string, change: (value: Json) => void): void {
  const value = JSON.parse(readFileSync(path, "utf8")) as Json;
  change(value);
  writeFileSync(path, JSON.stringify(value));
}

describe("evaluation.json", () => {
  const expectElsewhere = (record: Json): void => {
    const plan = record["plan"] as typeof PLAN;
    for (const group of plan.groups)
      for (const one of group.cases ?? []) if (one.case === "A5") Object.assign(one, { expected: "iso_compliant" });
  };

  it.each<[string, (record: Json) => void, RegExp]>([
    ["another expected verdict", expectElsewhere, /evaluation\.json was changed .* its plan has the SHA-256/],
    [
      "another expected verdict, and the hash to it",
      (record) => {
        expectElsewhere(record);
        Object.assign(record, { plan_hash: planHash(record["plan"] as typeof PLAN) });
      },
      /its freeze is that of another plan/,
    ],
    [
      "another frozen part",
      (record) => void Object.assign(inside(record, "freeze", "parts"), { simulator: "another" }),
      /its freeze has the SHA-256/,
    ],
    [
      "another frozen verdict, and the hash to it",
      (record) => {
        const freeze = record["freeze"] as Freeze;
        for (const one of freeze.oracle) if (one.case === "A5") one.expected = "measurement_failed";
        Object.assign(record, { freeze_sha256: freezeHash(freeze) });
      },
      /cases or their expected verdicts differ: A5/,
    ],
    [
      "no freeze although it is registered",
      (record) => {
        delete (record as { freeze?: unknown }).freeze;
      },
      /freeze/,
    ],
    [
      "another plan, freeze and hashes, all of them consistent",
      (record) => {
        expectElsewhere(record);
        const plan = record["plan"] as typeof PLAN;
        const freeze = freezePlan(plan, PROJECT, "2026-12-01");
        Object.assign(record, { plan_hash: planHash(plan), freeze, freeze_sha256: freezeHash(freeze) });
      },
      /runs\/A1-naive-e1 was run by another plan/,
    ],
    [
      "another freeze of the same plan",
      (record) => {
        Object.assign(inside(record, "freeze", "parts"), { simulator: "another" });
        Object.assign(record, { freeze_sha256: freezeHash(record["freeze"] as Freeze) });
      },
      /runs\/A1-naive-e1 was run with another freeze/,
    ],
  ])("is refused by name with %s", async (_, change, message) => {
    const out = copy();
    edit(join(out, "evaluation.json"), change);
    await expect(reportFolder(out, PARTS)).rejects.toThrow(message);
  });
});

describe("a run", () => {
  const folder = (out: string, unit: string): string => join(out, "runs", unit);
  /** The journal of one unit in the place of another one's, with the length and the hash that belong to it. */
  const swap = (out: string, from: string, to: string): void => {
    copyFileSync(join(folder(out, from), "events.jsonl"), join(folder(out, to), "events.jsonl"));
    const { journal } = JSON.parse(readFileSync(join(folder(out, from), "run.json"), "utf8")) as Json;
    edit(join(folder(out, to), "run.json"), (record) => void Object.assign(record, { journal }));
  };

  it("is reported and graded as long as nobody touched it", async () => {
    const out = copy();
    const { not_recomputed } = await reportFolder(out, PARTS);
    expect(not_recomputed).toBeUndefined();
    expect((await gradeAgain(folder(out, "C2-naive-e1"), PARTS)).notRecomputed).toBeUndefined();
  });

  it.each([
    ["A1-naive-e1", "C2-naive-e1", /C2-naive-e1 is no run of this unit: its journal is not that of case C2/],
    ["A1-naive-e1", "A5-naive-e1", /its journal is not that of case A5/],
    ["C2-naive-e1", "C2-constant-e1", /its journal is that of naive, not of constant/],
  ])("with the journal of %s in the place of %s's is refused by name", async (from, to, message) => {
    const out = copy();
    swap(out, from, to);
    await expect(reportFolder(out, PARTS)).rejects.toThrow(message);
    const why = new RegExp(message.source.replace(/.*unit: /, ""));
    await expect(gradeAgain(folder(out, to), PARTS)).rejects.toThrow(why);
  });

  it.each<[string, (record: Json) => void, RegExp]>([
    ["case", (record) => void Object.assign(record, { case: "A1" }), /its case is "A1" in run\.json, and "C2"/],
    ["seed", (record) => void Object.assign(record, { seed: 100 }), /its seed is 100 in run\.json, and 301/],
    ["scenario", (record) => void Object.assign(record, { scenario: "ghost_in_range" }), /its scenario/],
    ["faults", (record) => void Object.assign(inside(record, "instruments"), { faults: [] }), /its faults is \[\]/],
    ["contender", (record) => void Object.assign(record, { by: "scripted" }), /its contender is "scripted"/],
    [
      "definition",
      (record) => void Object.assign(inside(record, "more", "grading", "planned"), { expected: "measurement_failed" }),
      /its definition of the case/,
    ],
  ])("of another %s in its run.json is refused by name", async (_, change, message) => {
    const out = copy();
    edit(join(folder(out, "C2-naive-e1"), "run.json"), change);
    await expect(reportFolder(out, PARTS)).rejects.toThrow(message);
  });

  it("of another state of the program is graded, and said to be not recomputed", async () => {
    const out = copy();
    const { not_recomputed } = await reportFolder(out, { ...PARTS, simulator: "another" });
    expect(not_recomputed?.map(({ run }) => run)).toEqual(
      ["A1", "A5", "C2"].flatMap((name) => [1, 2].map((epoch) => `runs/${name}-naive-e${epoch}`)),
    );
    expect(readFileSync(join(out, "results.md"), "utf8")).toContain("6 runs could not be simulated again");
  });

  it("with a damaged grade of its day is graded again, and the file is named", async () => {
    const out = copy();
    appendFileSync(join(folder(out, "C2-naive-e1"), "grade.json"), "{");
    const { then, now, damaged } = await gradeAgain(folder(out, "C2-naive-e1"), PARTS);
    expect([then, now.case]).toEqual([undefined, "C2"]);
    expect(damaged).toMatch(/grade\.json is damaged: not JSON/);
    await reportFolder(out, PARTS);
  });

  it("with a damaged outcome is named", async () => {
    const out = copy();
    writeFileSync(join(folder(out, "C2-naive-e1"), "outcome.json"), '{"status":"perhaps"}');
    await expect(reportFolder(out, PARTS)).rejects.toThrow(/C2-naive-e1\/outcome\.json is damaged: status/);
  });

  it("whose use of tokens cannot be read does not stop the report", async () => {
    const out = copy();
    writeFileSync(
      join(folder(out, "C2-naive-e1"), "outcome.json"),
      '{"status":"completed","usd":null,"tokens":{"input":"many"},"model_calls":-1}',
    );
    rmSync(join(folder(out, "C2-naive-e1"), "grade.json"));
    const { rows } = await reportFolder(out, PARTS);
    expect(rows.find((row) => row.case === "C2" && row.contender === "naive")).not.toHaveProperty("usd");
  });
});
