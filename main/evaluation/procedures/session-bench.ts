import type { BenchSession } from "../../bench/bench-session.ts";
import type { Caller } from "../../contract/bench-verbs.ts";
import { BenchError, benchErrorCodeSchema } from "../../contract/error-codes.ts";
import { TOOLS, type ToolInput, type ToolName, type ToolOutput } from "../../contract/tools.ts";
import type { ProcedureBench } from "../../procedures/run.ts";

const WAIT_S = 30;

/** A session of this program as a procedure acts through it. Long work is waited for. */
export function sessionBench({ verbs }: Pick<BenchSession, "verbs">, caller: Caller): ProcedureBench {
  const finished = async (run: string, job: string): Promise<unknown> => {
    for (;;) {
      const answer = await verbs.job_status({ run, job, wait_s: WAIT_S }, { caller });
      if (answer.status === "done") return answer.result;
      if (answer.status === "failed") {
        const { code, message, hint } = answer.error ?? { code: "internal", message: "the job failed", hint: "" };
        throw new BenchError(benchErrorCodeSchema.catch("internal").parse(code), message, hint);
      }
    }
  };
  return {
    async call<Name extends ToolName>(name: Name, input: ToolInput<Name>): Promise<ToolOutput<Name>> {
      const answer: ToolOutput<Name> = await verbs[name](input, { caller });
      const { status, job, run } = answer as { status?: unknown; job?: unknown; run?: unknown };
      if (status !== "running" || typeof job !== "string" || typeof run !== "string") return answer;
      return TOOLS[name].output.parse(await finished(run, job)) as ToolOutput<Name>;
    },
  };
}
