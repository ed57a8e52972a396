import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Plan } from "../../main/contract/plan.ts";
import { currentParts, FROZEN_PARTS, freezePlan, type Parts } from "../../main/evaluation/freeze.ts";
import { freezePath, readFreeze, registrationOf } from "../../main/evaluation/registration.ts";
import { runPlan } from "../../main/evaluation/run-plan.ts";
import { runCaustic } from "../../main/app/run-caustic.ts";
import { readPlan } from "../../main/evaluation/read-plan.ts";
import { PLAN_PATH } from "./run-case.ts";
import { PARTS, PROJECT, smallPlan, temporaryFolder, writePlan } from "./small-evaluation.ts";

const SMALL = smallPlan(["A1", "A5", "C1", "C2"]);
const TODAY = "2026-12-01";

let folder: string;
let path: string;

const git = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(
    "git",
    ["-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.org", ...args],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const freeze = (plan: Plan): void => {
  writeFileSync(freezePath(path), JSON.stringify(freezePlan(plan, PROJECT, TODAY, readFreeze(path))));
};
const commit = (): void => {
  git("add", "-A");
  git("commit", "-q", "-m", "state");
};

beforeEach(() => {
  folder = temporaryFolder();
  git("init", "-q");
  path = writePlan(SMALL, folder);
});

const evaluate = (parts: Parts = PARTS, more: { exploratory?: boolean; by?: string[] } = {}) => {
  const plan = readPlan(path);
  return runPlan({
    plan,
    planPath: path,
    registration: registrationOf(plan, path, parts),
    parts,
    selection: { by: more.by ?? ["constant"], epochs: 1 },
    out: join(temporaryFolder(), "out"),
    jobs: 1,
    exploratory: more.exploratory ?? false,
    versions: {},
  });
};

describe("a plan", () => {
  it("is registered when it is frozen, unchanged and committed with its freeze", async () => {
    freeze(SMALL);
    commit();
    const { results } = await evaluate();
    expect(results).toMatchObject({ registered: true, registration: { frozen_on: TODAY, why_not: [] } });
    expect(results.registration.commit).toBe(git("rev-parse", "HEAD").trim());
    expect(results.rows.some((row) => row.exploratory)).toBe(false);
  });

  it.each<[string, () => void, RegExp]>([
    ["was never frozen", () => commit(), /never been frozen/],
    ["is frozen and not committed", () => freeze(SMALL), /no git repository with a commit/],
    [
      "is committed and its freeze is not",
      () => {
        commit();
        freeze(SMALL);
      },
      /freeze\.json is not committed/,
    ],
    [
      "was changed after the freeze",
      () => {
        freeze(SMALL);
        writePlan({ ...SMALL, budgets: { ...SMALL.budgets, positions: 200 } }, folder);
        commit();
      },
      /text differs from its freeze/,
    ],
    [
      "was changed and put back in its file alone",
      () => {
        freeze(SMALL);
        commit();
        appendFileSync(path, "# a remark\n");
      },
      /plan\.yaml has changes that are not committed/,
    ],
    [
      "expects another verdict than at its freeze",
      () => {
        freeze(SMALL);
        const frozen = readFileSync(freezePath(path), "utf8");
        writeFileSync(
          freezePath(path),
          frozen.replace('"expected":"waist_not_accessible"', '"expected":"iso_compliant"'),
        );
        commit();
      },
      /expected verdicts differ: A5/,
    ],
  ])("does not run when it %s, unless it is exploratory, which stamps every row", async (_, arrange, message) => {
    arrange();
    await expect(evaluate()).rejects.toThrow(message);
    const { results } = await evaluate(PARTS, { exploratory: true });
    expect(results.registered).toBe(false);
    expect(results.rows.every((row) => row.exploratory)).toBe(true);
    expect(results.registration.why_not.join()).toMatch(message);
  });

  it("stamps what it does not name although it is registered", async () => {
    freeze(SMALL);
    commit();
    const calls = join(folder, "calls.jsonl");
    writeFileSync(
      calls,
      '{"tool":"finish","input":{"verdict":"measurement_failed","explanation":"nothing was measured"}}\n',
    );
    const plan = readPlan(path);
    const { results } = await runPlan({
      plan,
      planPath: path,
      registration: registrationOf(plan, path, PARTS),
      parts: PARTS,
      selection: { by: ["recorded", "constant"], cases: ["C1"], epochs: 1 },
      out: join(temporaryFolder(), "out"),
      jobs: 1,
      exploratory: false,
      versions: {},
      answers: calls,
    });
    expect(results.rows).toMatchObject([
      { contender: "constant", exploratory: false },
      { contender: "recorded", exploratory: true, verdict: "measurement_failed", correct: false },
    ]);
  });
});

describe("a change after the freeze", () => {
  const seenCases = async (part: (typeof FROZEN_PARTS)[number] | undefined): Promise<string[]> => {
    const parts = part === undefined ? PARTS : { ...PARTS, [part]: "another hash" };
    const { results } = await evaluate(parts);
    expect(results.registration.changed_parts).toEqual(part === undefined ? [] : [part]);
    return results.rows.filter((row) => row.seen).map((row) => row.case);
  };

  it.each([
    [undefined, ["C1"]],
    ["simulator", ["C1", "C2"]],
    ["tools", ["C1", "C2"]],
    ["analysis", ["C1", "C2"]],
    ["operators", ["C1", "C2"]],
    // It concerns models, and this is none.
    ["prompt", ["C1"]],
    // Shown by its version.
    ["graders", ["C1"]],
  ] as const)("of %s marks the held-out cases that it concerns as seen", async (part, seen) => {
    freeze(SMALL);
    commit();
    expect(await seenCases(part)).toEqual(seen);
  });

  it("is noticed in the sources themselves", () => {
    const root = temporaryFolder();
    for (const layer of ["simulators/world", "main/contenders", "main/analysis", "main/evaluation"]) {
      mkdirSync(join(root, layer), { recursive: true });
      cpSync(join(PROJECT, layer), join(root, layer), { recursive: true });
    }
    const before = currentParts(root);
    const changed = (file: string): string[] => {
      const text = readFileSync(join(root, file), "utf8");
      writeFileSync(join(root, file), `${text}\n// a change\n`);
      const now = currentParts(root);
      writeFileSync(join(root, file), text);
      return FROZEN_PARTS.filter((part) => before[part] !== now[part]);
    };
    expect(changed("simulators/world/light.ts")).toEqual(["simulator"]);
    expect(changed("main/analysis/caustic-fit.ts")).toEqual(["analysis"]);
    expect(changed("main/contenders/judgement.ts")).toEqual(["operators"]);
    expect(changed("main/evaluation/grade.ts")).toEqual(["graders"]);
    expect(changed("simulators/world/light.test.ts")).toEqual([]);
  });
});

describe("freezing again", () => {
  const changedSimulator = (): void => {
    const frozen = JSON.parse(readFileSync(freezePath(path), "utf8")) as { parts: Record<string, string> };
    frozen.parts["simulator"] = "what it was before";
    writeFileSync(freezePath(path), JSON.stringify(frozen));
  };
  const withDeviation = (results_seen: boolean): Plan => ({
    ...SMALL,
    deviations: [
      ...SMALL.deviations,
      { date: TODAY, what: "The noise is right now.", why: "It was wrong.", results_seen },
    ],
  });

  it("is refused without a higher version or a further deviation", () => {
    freeze(SMALL);
    expect(() => freeze(SMALL)).toThrow(/was frozen on 2026-12-01 as version 1/);
    expect(() => freeze({ ...SMALL, budgets: { ...SMALL.budgets, views: 9 } })).toThrow(/expected a higher version/);
  });

  it("keeps what it takes the place of", () => {
    freeze(SMALL);
    const first = readFreeze(path);
    freeze({ ...SMALL, version: 2 });
    expect(readFreeze(path)?.earlier).toEqual([{ version: 1, frozen_on: TODAY, plan_sha256: first?.plan_sha256 }]);
    expect(() => freeze(SMALL)).toThrow(/version 2/);
  });

  it("leaves cases seen whose world changed after results could have been seen", () => {
    freeze(SMALL);
    changedSimulator();
    freeze(withDeviation(true));
    expect(readFreeze(path)?.seen).toEqual(["C1", "C2"]);
    freeze({ ...withDeviation(true), version: 2 });
    expect(readFreeze(path)?.seen).toEqual(["C1", "C2"]);
  });

  it("keeps cases held out where the deviation says that no result had been seen", () => {
    freeze(SMALL);
    changedSimulator();
    freeze(withDeviation(false));
    expect(readFreeze(path)?.seen).toEqual([]);
  });

  it("holds a case out that was made anew", () => {
    freeze(SMALL);
    changedSimulator();
    const groups = SMALL.groups.map((group) => ({
      ...group,
      cases: (group.cases ?? []).map((one) => (one.case === "C2" ? { ...one, seed: 911 } : one)),
    }));
    freeze({ ...SMALL, version: 2, groups });
    expect(readFreeze(path)?.seen).toEqual(["C1"]);
  });
});

describe("a freeze that was committed once", () => {
  const otherWish: Plan = {
    ...SMALL,
    groups: SMALL.groups.map((group) => ({
      ...group,
      cases: (group.cases ?? []).map((one) =>
        one.case === "A5" ? { ...one, expected: "iso_compliant" as const } : one,
      ),
    })),
  };
  const command = (...words: string[]) => runCaustic(["plan", ...words, path]);

  beforeEach(() => {
    freeze(SMALL);
    commit();
  });

  it.each<[string, () => void]>([
    ["the file is deleted", () => rmSync(freezePath(path))],
    [
      "the deletion is committed",
      () => {
        rmSync(freezePath(path));
        commit();
      },
    ],
    [
      "its branch was left for one without a past",
      () => {
        git("checkout", "-q", "--orphan", "fresh");
        rmSync(freezePath(path));
      },
    ],
    [
      "the file is called something else",
      () => {
        git("mv", "plan.freeze.json", "old.freeze.json");
        commit();
        rmSync(join(folder, "old.freeze.json"));
      },
    ],
  ])("is not replaced in silence although %s", async (_, hide) => {
    hide();
    writePlan(otherWish, folder);
    const { status, stderr } = await command("freeze");
    expect(status).toBe(2);
    expect(stderr).toMatch(/was frozen on 2026-12-01 as version 1.*expected a higher version or a further deviation/);
  });

  it("makes another one beside it not registered, whoever wrote it", async () => {
    writePlan(otherWish, folder);
    writeFileSync(freezePath(path), JSON.stringify(freezePlan(otherWish, PROJECT, TODAY)));
    const first = git("rev-parse", "HEAD").slice(0, 12);
    commit();
    const { status, stdout } = await command("check");
    expect(status).toBe(1);
    expect(stdout).toContain(`Not registered: commit ${first}`);
    expect(stdout).toContain("holds another freeze of this plan");
    await expect(evaluate()).rejects.toThrow(/holds another freeze/);
  });

  it("is named by the one that takes its place, even where the file is gone", async () => {
    rmSync(freezePath(path));
    writePlan({ ...otherWish, version: 2 }, folder);
    expect((await command("freeze")).status).toBe(0);
    commit();
    expect((await command("check")).stdout).toContain("Registered");
    expect(readFreeze(path)?.earlier).toHaveLength(1);
  });

  it("may have been made unreachable where the history is not whole, and the registration says so", async () => {
    const whole = folder;
    folder = temporaryFolder();
    path = join(folder, "plan.yaml");
    spawnSync("git", ["clone", "-q", "--depth", "1", `file://${whole}`, folder]);
    expect((await command("check")).stdout).toContain("cut short");
    const nowhere = writePlan(SMALL);
    expect((await runCaustic(["plan", "check", nowhere])).stdout).toContain("no git history");
    const { results } = await evaluate();
    expect(results.registration.history).toMatch(/cannot be ruled out/);
  });
});

describe("reading a plan", () => {
  it.each([
    ["plan: small\nversion: [", /plan\.yaml, line 2: /],
    ["plan: small\nversion: one\n", /plan\.yaml, line 2: version: /],
    [stringify({ ...SMALL, groups: [] }), /plan\.yaml, line \d+: groups: /],
    [stringify({ ...SMALL, colour: "red" }), /plan\.yaml, line 1: the plan: .*colour/],
  ])("names the file, the line and what is wrong: %#", (text, message) => {
    writeFileSync(path, text);
    expect(() => readPlan(path)).toThrow(message);
  });

  type Case = NonNullable<Plan["groups"][number]["cases"]>[number];
  const ghost = { kind: "ghost" as const, relative_power: 0.1, offset_x_m: 0, offset_y_m: 0 };
  const between = (from_mm: number, to_mm: number): Partial<Case> => ({
    constraint: { kind: "no_measurement_between", from_mm, to_mm },
  });
  it.each<[string, Partial<Case>, RegExp]>([
    ["a forbidden range from its end to its start", between(160, 140), /constraint: .*from_mm is 160 and to_mm 140/],
    [
      "a ghost that ends before it begins",
      { faults: [{ ...ghost, z_min_m: 0.2, z_max_m: 0.1 }] },
      /faults\.0\.z_min_m: .*z_min_m is 0\.2 and z_max_m 0\.1/,
    ],
    [
      "hot pixels beside the sensor",
      { faults: [{ kind: "hot_pixels", rows: [40, 480], columns: [0, 1], counts: 9 }], fault_kind: "defective_pixels" },
      /faults\.0\.rows: .*480 is not on the sensor; expected rows from 0 to 479/,
    ],
    ["a claim to no fault", { faults: [] }, /fault_kind: .*it has no fault/],
    ["a fault without its claim", { fault_kind: undefined }, /case C2: it has faults; expected fault_kind second_spot/],
    ["a fault that is called none", { fault_kind: "none" }, /fault_kind: .*expected fault_kind second_spot/],
    ["a claim to another fault", { fault_kind: "aperture" }, /fault_kind: .*its faults are second_spot/],
    [
      "a fault to be named by no keywords",
      { fault_must_be_named: true, keywords: undefined },
      /fault_must_be_named: .*no keywords/,
    ],
    ["keywords that are not there", { keywords: "comet" }, /keywords: .*no keyword list "comet"/],
    ["no such scenario", { scenario: "cloudy" }, /scenario: .*no scenario "cloudy"/],
    ["the name of another case", { case: "C1" }, /case: case C1 is there twice/],
  ])("names the line of %s", (_, change, message) => {
    const groups = SMALL.groups.map((group) => ({
      ...group,
      cases: (group.cases ?? []).map((one) => (one.case === "C2" ? { ...one, ...change } : one)),
    }));
    const text = stringify(JSON.parse(JSON.stringify({ ...SMALL, groups })));
    writeFileSync(path, text);
    expect(() => readPlan(path)).toThrow(message);
    const [, line] = /line (\d+): /.exec(thrown(() => readPlan(path))) ?? [];
    const place = text.split("\n").findIndex((one) => one.includes(`case: ${change.case ?? "C2"}`));
    // The line of the field itself, or the first one of the case where the field is not there.
    const last = text.split("\n").findIndex((one, i) => i > place && one.includes("- case:"));
    expect(Number(line) - 1).toBeGreaterThanOrEqual(place);
    if (change.case === undefined && last > 0) expect(Number(line) - 1).toBeLessThan(last);
  });

  const thrown = (work: () => unknown): string => {
    try {
      work();
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };

  it("points at the very line", () => {
    const text = readFileSync(PLAN_PATH, "utf8").replace("from_mm: 140, to_mm: 160", "from_mm: 170, to_mm: 160");
    writeFileSync(path, text);
    const line = text.split("\n").findIndex((one) => one.includes("from_mm: 170")) + 1;
    expect(() => readPlan(path)).toThrow(
      `plan.yaml, line ${line}: groups.1.cases.0.constraint: case B1: from_mm is 170`,
    );
  });

  it.each<[Partial<Plan>, RegExp]>([
    [{ groups: [...SMALL.groups, ...SMALL.groups.slice(0, 1)] }, /groups\.2\.group: group A is there twice/],
    [
      { groups: SMALL.groups.map((group) => ({ ...group, cases: [] })) },
      /groups\.0: group A has no case; expected cases, bench_cases, a grid or strata with a quota above 0/,
    ],
    [
      { primary_metrics: ["correct verdict, alpha against agent, group A"] },
      /primary_metrics\.0: .*alpha against agent are not two of the contenders/,
    ],
    [{ primary_metrics: ["speed, scripted against agent, group A"] }, /primary_metrics\.0: .*expected one of "correct/],
    [
      { primary_metrics: ["correct verdict, scripted against agent, groups A to Z"] },
      /primary_metrics\.0: .*groups A to Z names no groups/,
    ],
    [
      { contenders: [...SMALL.contenders, ...SMALL.contenders] },
      /contenders\.5\.contender: contender agent is there twice/,
    ],
    [{ contenders: SMALL.contenders.slice(1) }, /groups\.0\.contenders\.0: .*"agent" is not described/],
    [
      { deviations: [{ date: TODAY, what: "w", why: "w", results_seen: false, marks_seen: ["Z1"] }] },
      /deviations\.0\.marks_seen\.0: .*no such case/,
    ],
  ])("refuses what cannot be meant: %#", (change, message) => {
    writeFileSync(path, stringify({ ...SMALL, ...change }));
    expect(() => readPlan(path)).toThrow(message);
  });

  it("says that a file is not there", () => {
    rmSync(path);
    expect(() => readPlan(path)).toThrow(/plan\.yaml cannot be read/);
  });
});
