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
  readonly #jobStatus: (job: string) => Promise<Job>;

  /** `jobStatus` tells how a job stands that a first call became. */
  constructor(jobStatus: (job: string) => Promise<Job>) {
    this.#jobStatus = jobStatus;
  }

  /** Carries the work out unless a call with that key did. Throws what the first throws, and `bad_argument` for other arguments. */
  async once<Answer extends object>(
    key: string,
    fingerprint: string,
    work: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer; readonly repeated: boolean }> {
    const first = this.#first.get(key);
    if (first === undefined) {
      const answer = work();
      this.#first.set(key, { fingerprint, answer });
      answer.catch(() => this.#first.delete(key));
      return { answer: await answer, repeated: false };
    }
    if (first.fingerprint !== fingerprint) {
      throw new BenchError(
        "bad_argument",
        `idempotency_key ${JSON.stringify(key)} was used with other arguments`,
        "Use a new key for a new measurement.",
      );
    }
    return { answer: (await this.#latest(await first.answer)) as Answer, repeated: true };
  }

  /** The result of the job, if the first answer was one that has ended. */
  async #latest(answer: object): Promise<object> {
    if (!("job" in answer) || typeof answer.job !== "string") return answer;
    const { outcome } = await this.#jobStatus(answer.job);
    if (outcome?.error === undefined) return outcome?.output ?? answer;
    throw new BenchError(outcome.error.code, outcome.error.message, outcome.error.hint);
  }
}
