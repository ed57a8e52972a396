import type { ProgressToken, ServerContext } from "@modelcontextprotocol/server";
import type { VerbProgress } from "../contract/bench-verbs.ts";

/** Between two notifications of one call. */
const LEAST_INTERVAL_MS = 100;

/**
 * Sends progress to a caller that asked for it: strictly increasing, at most ten a second, none after the answer. A
 * caller that gave no token gets none.
 */
export class ProgressReporter {
  readonly #token: ProgressToken | undefined;
  readonly #context: ServerContext;
  readonly #now_ms: () => number;
  #last = -1;
  #lastAt_ms = Number.NEGATIVE_INFINITY;
  #ended = false;

  constructor(context: ServerContext, now_ms: () => number = () => performance.now()) {
    this.#context = context;
    this.#token = context.mcpReq._meta?.progressToken;
    this.#now_ms = now_ms;
  }

  readonly report = ({ fraction, message }: VerbProgress): void => {
    if (this.#token === undefined || this.#ended || !(fraction > this.#last)) return;
    const now_ms = this.#now_ms();
    if (now_ms - this.#lastAt_ms < LEAST_INTERVAL_MS) return;
    this.#last = fraction;
    this.#lastAt_ms = now_ms;
    this.#context.mcpReq
      .notify({
        method: "notifications/progress",
        params: { progressToken: this.#token, progress: fraction, total: 1, message },
      })
      // The connection is gone: its closing stops the work by itself.
      .catch(() => undefined);
  };

  end(): void {
    this.#ended = true;
  }
}
