import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { stringify } from "yaml";
import type { ProgressEvent } from "../../main/contract/evaluation-progress.ts";
import type { Plan } from "../../main/contract/plan.ts";
import { currentParts, type Parts } from "../../main/evaluation/freeze.ts";
import { type PlanRun, type RunPlanOptions, runPlan } from "../../main/evaluation/run-plan.ts";
import { registrationOf } from "../../main/evaluation/registration.ts";
import { PLAN } from "./run-case.ts";

export const PROJECT = join(import.meta.dirname, "../..");
export const PARTS: Parts = currentParts(PROJECT);

const folders: string[] = [];

/** A new folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "caustic-evaluation-"));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The project's plan with a few of its cases, so that it is run in seconds. */
export function smallPlan(cases: readonly string[], changes: Partial<Plan> = {}): Plan {
  const groups = PLAN.groups
    .map(({ grid: _grid, strata: _strata, ...group }) => ({
      ...group,
      cases: (group.cases ?? []).filter((one) => cases.includes(one.case)),
    }))
    .filter((group) => group.cases.length > 0);
  const [first, last] = [groups[0]?.group ?? "", groups.at(-1)?.group ?? ""];
  return {
    ...PLAN,
    plan: "small",
    version: 1,
    groups,
    primary_metrics: [`correct verdict, scripted against agent, groups ${first} to ${last}`],
    deviations: PLAN.deviations.filter((one) => (one.marks_seen ?? []).every((name) => cases.includes(name))),
    ...changes,
  };
}

/** Writes a plan as a file and gives its path. */
export function writePlan(plan: Plan, folder = temporaryFolder()): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "plan.yaml");
  writeFileSync(path, stringify(plan));
  return path;
}

/** Runs a plan as exploratory unless told otherwise. */
export function evaluate(
  plan: Plan,
  out: string,
  more: Partial<RunPlanOptions> & { readonly by?: readonly string[] } = {},
): Promise<PlanRun> {
  const { by = ["scripted", "naive", "constant"], ...options } = more;
  const planPath = options.planPath ?? join(out, "..", "nowhere", "plan.yaml");
  return runPlan({
    plan,
    planPath,
    registration: registrationOf(plan, planPath, PARTS),
    parts: PARTS,
    selection: { by: [...by], epochs: 1 },
    out,
    jobs: 2,
    exploratory: true,
    versions: { caustic: "test" },
    ...options,
  });
}

/** Collects the progress of an evaluation. */
export function watching(): { readonly events: ProgressEvent[]; readonly onProgress: (event: ProgressEvent) => void } {
  const events: ProgressEvent[] = [];
  return { events, onProgress: (event) => void events.push(event) };
}

/** What must not depend on how an evaluation was run, by hash: its report and every journal. */
export function lastingFiles(out: string): Record<string, string> {
  const files: Record<string, string> = {};
  const hash = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
  for (const name of ["results.json", "results.md", "report.html"]) files[name] = hash(join(out, name));
  for (const unit of readdirSync(join(out, "runs")).sort()) files[unit] = hash(join(out, "runs", unit, "events.jsonl"));
  return files;
}
