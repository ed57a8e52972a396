import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { freezeHash, freezePlan, planHash } from "../../main/evaluation/freeze.ts";
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
    },
    parts: PARTS,
    selection: { by: ["naive", "constant"], cases: ["A1", "A5", "C2"], epochs: 1 },
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

type Json = Record<string, never>;

function edit(path: string, change: (value: Json) => void): void {
  const value = JSON.parse(readFileSync(path, "utf8")) as Json;
  change(value);
  writeFileSync(path, JSON.stringify(value));
}

describe("evaluation.json", () => {
  const expectElsewhere = (record: Json): void => {
    const plan = record["plan"] as unknown as typeof PLAN;
    for (const group of plan.groups)
      for (const one of group.cases ?? []) if (one.case === "A5") Object.assign(one, { expected: "iso_compliant" });
  };

  it.each<[string, (record: Json) => void, RegExp]>([
    ["another expected verdict", expectElsewhere, /evaluation\.json was changed .* its plan has the SHA-256/],
    [
      "another expected verdict, and the hash to it",
      (record) => {
        expectElsewhere(record);
        Object.assign(record, { plan_hash: planHash(record["plan"]) });
      },
      /its freeze is that of another plan/,
    ],
    [
      "another frozen part",
      (record) => void Object.assign(record["freeze"]["parts"], { simulator: "another" }),
      /its freeze has the SHA-256/,
    ],
    [
      "another frozen verdict, and the hash to it",
      (record) => {
        const freeze = record["freeze"] as { oracle: { case: string; expected: string }[] };
        for (const one of freeze.oracle) if (one.case === "A5") one.expected = "measurement_failed";
        Object.assign(record, { freeze_sha256: freezeHash(freeze as never) });
      },
      /cases or their expected verdicts differ: A5/,
    ],
    ["no freeze although it is registered", (record) => void delete (record as { freeze?: unknown }).freeze, /freeze/],
    [
      "another plan, freeze and hashes, all of them consistent",
      (record) => {
        expectElsewhere(record);
        const plan = record["plan"] as unknown as typeof PLAN;
        const freeze = freezePlan(plan, PROJECT, "2026-12-01");
        Object.assign(record, { plan_hash: planHash(plan), freeze, freeze_sha256: freezeHash(freeze) });
      },
      /runs\/A1-naive-e1 was run by another plan/,
    ],
    [
      "another freeze of the same plan",
      (record) => {
        Object.assign(record["freeze"]["parts"], { simulator: "another" });
        Object.assign(record, { freeze_sha256: freezeHash(record["freeze"]) });
      },
      /runs\/A1-naive-e1 was run with another freeze/,
    ],
  ])("is refused by name with %s", async (_, change, message) => {
    const out = copy();
    edit(join(out, "evaluation.json"), change);
    await expect((async () => reportFolder(out))()).rejects.toThrow(message);
  });
});
