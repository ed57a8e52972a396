import type { ProcedureTask } from "../../../contract/procedure-task.ts";
import { type GateLine, gate, gateKey } from "../gate.ts";
import type { JudgedProgram, ProgramRun } from "../run-program.ts";
import { type FamilyCandidates, GENERATOR_SEED, leaks, sharedCategories } from "./build.ts";

export interface BuildReport {
  readonly seed: number;
  readonly candidates: number;
  readonly kept: number;
  readonly rejected: number;
  readonly rejections: Readonly<Record<string, number>>;
  readonly assertions: number;
  readonly by_tier: Readonly<Record<string, number>>;
  readonly by_split: Readonly<Record<string, number>>;
  readonly by_category: Readonly<Record<string, number>>;
  readonly families: Readonly<Record<string, { readonly kept: number; readonly tried: number }>>;
  readonly shared_categories: readonly string[];
  /** Tasks whose prompt spells out what it asks to derive. */
  readonly leaks: Readonly<Record<string, string>>;
}

export interface BuildOutcome {
  readonly tasks: readonly ProcedureTask[];
  readonly report: BuildReport;
}

export interface BuildOptions {
  readonly known: ReadonlyMap<string, GateLine>;
  readonly jobs: number;
  readonly run: (run: ProgramRun) => Promise<JudgedProgram>;
  readonly onJudged: (line: GateLine) => void;
}

/**
 * Keeps of every family as many candidates as it is to contribute, in their order. Verdicts that are known are not asked for
 * again. Throws RangeError where a family runs out of candidates.
 */
export async function buildTasks(families: readonly FamilyCandidates[], options: BuildOptions): Promise<BuildOutcome> {
  const selections: Selection[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < families.length; i = next++) {
      const family = families[i];
      if (family !== undefined) selections[i] = await select(family, options);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, lane));
  const short = selections.filter(({ kept, wanted }) => kept.length < wanted);
  if (short.length > 0) {
    const told = short.map(({ family, kept, wanted, lines }) => {
      return `${family} gives ${kept.length} tasks of ${wanted}: ${lines.findLast(({ why }) => why !== undefined)?.why ?? ""}`;
    });
    throw new RangeError(`families run out of candidates; ${told.join("; ")}`);
  }
  const tasks = selections.flatMap(({ kept }) => kept);
  return { tasks, report: reportOf(selections, tasks) };
}

interface Selection {
  readonly family: string;
  readonly wanted: number;
  readonly kept: readonly ProcedureTask[];
  readonly lines: readonly GateLine[];
}

async function select({ family, wanted, candidates }: FamilyCandidates, options: BuildOptions): Promise<Selection> {
  const kept: ProcedureTask[] = [];
  const lines: GateLine[] = [];
  for (const task of candidates) {
    if (kept.length === wanted) break;
    const line = options.known.get(gateKey(task)) ?? (await judged(task, options));
    lines.push(line);
    if (line.kept) kept.push(task);
  }
  return { family: family.family, wanted, kept, lines };
}

async function judged(task: ProcedureTask, { run, onJudged }: BuildOptions): Promise<GateLine> {
  const line = await gate(task, run);
  onJudged(line);
  return line;
}

const counts = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

function reportOf(selections: readonly Selection[], tasks: readonly ProcedureTask[]): BuildReport {
  const lines = selections.flatMap((selection) => selection.lines);
  const rejected = lines.flatMap((line) => (line.rejected === undefined ? [] : [line.rejected]));
  return {
    seed: GENERATOR_SEED,
    candidates: lines.length,
    kept: tasks.length,
    rejected: rejected.length,
    rejections: counts(rejected),
    assertions: tasks.reduce((sum, { assertions }) => sum + assertions.length, 0),
    by_tier: counts(tasks.map(({ tier }) => tier)),
    by_split: counts(tasks.map(({ split }) => split)),
    by_category: counts(tasks.map(({ split, tier, category }) => `${split} ${tier} ${category}`)),
    families: Object.fromEntries(
      selections.map(({ family, kept, lines: tried }) => [family, { kept: kept.length, tried: tried.length }]),
    ),
    shared_categories: sharedCategories(tasks),
    leaks: Object.fromEntries(
      tasks.flatMap((task) => {
        const found = leaks(task);
        return found.length === 0 ? [] : [[task.id, found.join("; ")]];
      }),
    ),
  };
}
