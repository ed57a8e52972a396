import { ProviderFailure } from "./model-failure.ts";
import type { ModelAnswer, ModelProvider, ModelRequest } from "./model-provider.ts";

/** Resolves when the time has passed, or early once the signal is aborted; never rejects. */
export type Wait = (duration_ms: number, signal: AbortSignal) => Promise<void>;

export interface Patience {
  readonly wait: Wait;
  /** After which a request counts as unanswered. */
  readonly timeout_ms: number;
  /** Requests in all, for one answer. */
  readonly attempts: number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A provider that asks for more than this is down for the purpose of a run. */
const LONGEST_RETRY_AFTER_MS = 120_000;

interface Ask {
  readonly provider: ModelProvider;
  readonly request: ModelRequest;
  readonly patience: Patience;
  readonly signal?: AbortSignal | undefined;
  /** An attempt got no answer in time, and may cost all the same. */
  readonly onTimeout: () => void;
}

/**
 * Asks until there is an answer: what passes is retried after pauses that double, or as long as the provider asks for. Throws
 * the last `ProviderFailure`, or the signal's reason once it is aborted.
 */
export async function askPatiently(ask: Ask): Promise<{ readonly answer: ModelAnswer; readonly attempts: number }> {
  const { patience, signal = new AbortController().signal } = ask;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return { answer: await askOnce(ask, signal), attempts: attempt };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderFailure)) throw error;
      if (error.kind === "timed_out") ask.onTimeout();
      if (error.kind === "final" || error.kind === "context_full") throw error;
      if (attempt >= patience.attempts) {
        throw new ProviderFailure("final", `no answer in ${attempt} attempts; at last ${error.message}`);
      }
      if (error.retryAfter_ms !== undefined && error.retryAfter_ms > LONGEST_RETRY_AFTER_MS) {
        const asked_s = Math.round(error.retryAfter_ms / 1000);
        throw new ProviderFailure("final", `the provider wants ${asked_s} s of pause; ${error.message}`);
      }
      const pause_ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      await patience.wait(Math.max(pause_ms, error.retryAfter_ms ?? 0), signal);
    }
  }
}

async function askOnce({ provider, request, patience }: Ask, signal: AbortSignal): Promise<ModelAnswer> {
  const settled = new AbortController();
  const over = AbortSignal.any([settled.signal, signal]);
  const late = patience
    .wait(patience.timeout_ms, over)
    .then(() =>
      over.aborted ? undefined : new ProviderFailure("timed_out", `no answer within ${patience.timeout_ms / 1000} s`),
    );
  const answer = provider.ask(request, over);
  // What a request that was given up still says is of no interest.
  answer.catch(() => undefined);
  try {
    const first = await Promise.race([answer, late]);
    if (first instanceof ProviderFailure) throw first;
    return first ?? (await answer);
  } finally {
    // Ends the request only after it has lost the race: breaking it off is itself a failure, and not the one to tell of.
    settled.abort();
  }
}
