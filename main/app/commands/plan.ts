import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { expandPlan } from "../../evaluation/evaluation-case.ts";
import { latestFreeze } from "../../evaluation/freeze-history.ts";
import { freezePlan } from "../../evaluation/freeze.ts";
import { freezePath } from "../../evaluation/registration.ts";
import { asUsage, openPlan, PROJECT_ROOT } from "../plan-file.ts";
import { printJson, printNote, printResult } from "../terminal.ts";

interface PlanOptions {
  readonly json?: true;
}

const FREEZE_HELP = `
Writes PLAN.freeze.json beside the plan: the SHA-256 of the plan's canonical JSON, of the agent's prompt, the tools, the simulator, the
analysis, the rules of the scripts and the graders, and the oracle's verdict of every case. Commit both files before anything runs.

An earlier freeze is replaced only by a plan of a higher version or with a further deviation. It is looked for in the file and in the git
history, where deleting the file does not help.

Example:
  $ caustic plan freeze tasks/plans/beam-quality.yaml`;

const CHECK_HELP = `
Exit status 1 when the plan was never frozen, differs from its freeze, or plan or freeze are not committed.

Example:
  $ caustic plan check tasks/plans/beam-quality.yaml`;

/** Adds `caustic plan freeze` and `caustic plan check`. */
export function registerPlan(program: Command): void {
  const plan = program
    .command("plan")
    .description("freeze an evaluation plan, or check it against its freeze")
    .addHelpText("after", "\nExample:\n  $ caustic plan check tasks/plans/beam-quality.yaml");
  plan
    .command("freeze")
    .description("binds a plan to everything that its results depend on")
    .argument("<plan>", "the plan, a YAML file")
    .option("--json", "print the freeze as JSON")
    .addHelpText("after", FREEZE_HELP)
    .action(freeze);
  plan
    .command("check")
    .description("compares a plan with its freeze and with the repository")
    .argument("<plan>", "the plan, a YAML file")
    .option("--json", "print the answer as JSON")
    .addHelpText("after", CHECK_HELP)
    .action(check);
}

/** YYYY-MM-DD of the machine's calendar. */
const today = (): string => new Date().toISOString().slice(0, 10);

function freeze(path: string, options: PlanOptions): void {
  const { plan, registration } = openPlan(path);
  const frozen = asUsage(() =>
    freezePlan(plan, PROJECT_ROOT, today(), latestFreeze(registration.freeze, registration.history)),
  );
  const target = freezePath(path);
  writeFileSync(target, `${JSON.stringify(frozen, undefined, 2)}\n`);
  if (options.json === true) {
    printJson(frozen);
    return;
  }
  for (const one of frozen.oracle) {
    printResult(
      `${one.case.padEnd(24)} ${one.expected ?? "no verdict is called right"}${one.oracle === undefined ? " (on a bench)" : one.expected === one.oracle ? "" : ` (geometry alone: ${one.oracle})`}`,
    );
  }
  printResult(
    `\nplan ${frozen.plan}, version ${frozen.version}: ${frozen.oracle.length} cases, SHA-256 ${frozen.plan_sha256}`,
  );
  if (registration.history.incomplete !== undefined) printNote(`Note: ${registration.history.incomplete}.`);
  printNote(`Frozen in ${target}; commit it together with the plan before anything runs.`);
}

function check(path: string, options: PlanOptions): void {
  const { plan, registration } = openPlan(path);
  const { registered, plan_hash, freeze: frozen, commit, why, changed_parts, history } = registration;
  if (options.json === true) {
    printJson({
      plan: plan.plan,
      version: plan.version,
      plan_hash,
      registered,
      ...(frozen === undefined ? {} : { frozen_on: frozen.frozen_on }),
      ...(commit === undefined ? {} : { commit: commit.commit, committed_on: commit.date }),
      why,
      changed_parts,
      ...(history.incomplete === undefined ? {} : { history: history.incomplete }),
      seen: [...(frozen?.seen ?? [])],
      cases: asUsage(() => expandPlan(plan)).map((one) => ({
        group: one.group,
        case: one.planned.case,
        on: one.on,
        ...(one.on === "simulator" ? { oracle: one.oracle } : {}),
        ...(one.expected === undefined ? {} : { expected: one.expected }),
      })),
    });
  } else {
    printResult(`plan ${plan.plan}, version ${plan.version}, SHA-256 ${plan_hash}`);
    if (registered)
      printResult(
        `Registered: frozen on ${frozen?.frozen_on ?? "?"} in commit ${commit?.commit ?? "?"} of ${commit?.date ?? "?"}.`,
      );
    else for (const reason of why) printResult(`Not registered: ${reason}.`);
    if (history.incomplete !== undefined) printResult(`Mind: ${history.incomplete}.`);
    if (changed_parts.length > 0) {
      printResult(
        `Changed after the freeze: ${changed_parts.join(", ")}; the held-out cases that this concerns count as seen.`,
      );
    }
  }
  if (!registered) process.exitCode = 1;
}
