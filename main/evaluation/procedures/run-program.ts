import type { ProcedureAssertion } from "../../contract/procedure-task.ts";
import { parseProcedure } from "../../procedures/parse.ts";
import { ProcedureError } from "../../procedures/procedure-error.ts";
import { type ProcedureFault, faultOf, runProcedure } from "../../procedures/run.ts";
import type { Procedure } from "../../procedures/syntax.ts";
import type { ResultValue, Value } from "../../procedures/values.ts";
import { type AssertionVerdict, judge, perturbed } from "./assertions.ts";
import type { ProcedureEngine, ProcedureWorld } from "./engine.ts";
import { finalState } from "./final-state.ts";
import { sessionBench } from "./session-bench.ts";

/** A program to run and to judge. */
export interface ProgramRun {
  readonly world: ProcedureWorld;
  readonly program: string;
  readonly assertions: readonly ProcedureAssertion[];
  /** Also judges each assertion with perturbed values (the mutation control). */
  readonly withPerturbed?: boolean;
}

/** What came of it. Plain data without wall-clock time: the same program gives the same. */
export interface JudgedProgram {
  readonly ok: boolean;
  readonly error?: ProcedureFault;
  readonly verdicts: readonly AssertionVerdict[];
  /** Places of assertions that hold with a perturbed value as well. */
  readonly slack?: readonly number[];
  readonly results: Readonly<Record<string, ResultValue>>;
  readonly calls: number;
  readonly steps: number;
}

const CALLER = { kind: "script", name: "procedure", id: "procedure" } as const;
const STEPS = 20_000;
/** Bench time of a task's program. */
const TIME_S = 4 * 3600;

/** Runs a program on a fresh bench and judges the state that it leaves. A program that cannot be read leaves the first state. */
export async function runAndJudge(engine: ProcedureEngine, run: ProgramRun): Promise<JudgedProgram> {
  const read = readProgram(run.program);
  const bench = await engine.open(run.world);
  try {
    const outcome =
      "fault" in read
        ? { ok: false, error: read.fault, results: {}, values: new Map<string, Value>(), verbs: 0, steps: 0 }
        : await runProcedure(read.procedure, sessionBench(bench.session, CALLER), {
            bench: bench.session.bench,
            steps: STEPS,
            time_s: TIME_S,
            now_ms: bench.now_ms,
          });
    const state = finalState(bench.session, outcome.values);
    const verdicts = run.assertions.map((assertion) => judge(assertion, state));
    const slack = run.assertions.flatMap((assertion, place) =>
      perturbed(assertion).some((other) => judge(other, state).passed) ? [place] : [],
    );
    const { ok, error, results, verbs, steps } = outcome;
    return {
      ok,
      ...(error === undefined ? {} : { error }),
      verdicts,
      ...(run.withPerturbed === true ? { slack } : {}),
      results,
      calls: verbs,
      steps,
    };
  } finally {
    await bench.close();
  }
}

function readProgram(source: string): { readonly procedure: Procedure } | { readonly fault: ProcedureFault } {
  try {
    return { procedure: parseProcedure(source) };
  } catch (error) {
    if (error instanceof ProcedureError) return { fault: faultOf(error) };
    throw error;
  }
}
