import { BenchError } from "../contract/error-codes.ts";
import type { Job } from "./jobs.ts";

interface FirstCall {
  /** The arguments, so that a key is not used for something else. */
  readonly fingerprint: string;
  readonly answer: Promise<object>;
}

/**
 * Calls with an idempotency key: a repetition gets the answer of the first, whether that is there or still to come. A call
 * that failed has no answer, so its key is free again.
 */
export class RepeatedCalls {
  readonly #first = new Map<string, FirstCall>();

  /** The answer of the first call with that key; undefined when there was none. Throws what the first throws. */
  async answer(
    key: string,
    fingerprint: string,
    jobStatus: (job: string) => Promise<Job>,
  ): Promise<object | undefined> {
    const first = this.#first.get(key);
    if (first === undefined) return undefined;
    if (first.fingerprint !== fingerprint) {
      throw new BenchError(
        "bad_argument",
        `idempotency_key ${JSON.stringify(key)} was used with other arguments`,
        "Use a new key for a new measurement.",
      );
    }
    const answer = await first.answer;
    if (!("job" in answer) || typeof answer.job !== "string") return answer;
    const { outcome } = await jobStatus(answer.job);
    if (outcome?.error !== undefined) {
      throw new BenchError(outcome.error.code, outcome.error.message, outcome.error.hint);
    }
    return outcome?.output ?? answer;
  }

  /** Carries out the first call with that key. */
  first<Answer extends object>(key: string, fingerprint: string, work: () => Promise<Answer>): Promise<Answer> {
    const answer = work();
    this.#first.set(key, { fingerprint, answer });
    answer.catch(() => this.#first.delete(key));
    return answer;
  }
}
