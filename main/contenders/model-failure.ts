import { Redirected } from "./model-fetch.ts";

/** A request that got no answer. Says nothing of the model's abilities, except `context_full`. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  /** `passing`: worth another attempt. `timed_out`: the same, and the answer may have been paid for. */
  readonly kind: "passing" | "timed_out" | "final" | "context_full";
  /** How long the provider asks to wait. */
  readonly retryAfter_ms: number | undefined;

  constructor(kind: ProviderFailure["kind"], message: string, retryAfter_ms?: number) {
    super(message);
    this.kind = kind;
    this.retryAfter_ms = retryAfter_ms;
  }
}

/** Longest part of a provider's own words that is passed on. */
const WORDS = 300;
/** How providers say that a conversation has become too long; a code where there is one. */
const TOO_LONG = /context_length_exceeded|prompt is too long|maximum context length|context window|request_too_large/i;
/** Too many requests that no waiting mends. */
const NO_MONEY = /insufficient_quota|billing|credit balance/i;

/**
 * What a client library's error means. `secret` is blotted out of the message, since some servers repeat the key that they
 * refuse; the error itself is not kept, since it holds headers.
 */
export function failureFrom(error: unknown, secret: string): ProviderFailure {
  const { status, headers } = error as { status?: unknown; headers?: unknown };
  const said = wordsOf(error);
  const words = blotted(said, secret);
  const { cause } = error as { cause?: unknown };
  if (cause instanceof Redirected) {
    return new ProviderFailure(
      "final",
      `the provider answers with a redirect, which is not followed; is --base-url right? (${blotted(cause.message, secret)})`,
    );
  }
  if (error instanceof SyntaxError) {
    return new ProviderFailure(
      "final",
      `the provider answered with something that is no JSON; is --base-url right? ${words}`,
    );
  }
  if (typeof status !== "number") return new ProviderFailure("passing", `the provider cannot be reached: ${words}`);
  const told = headers instanceof Headers ? headers : new Headers();
  const message = `the provider answered ${status}: ${words}`;
  if ((status === 400 || status === 413) && TOO_LONG.test(said)) return new ProviderFailure("context_full", message);
  const passing = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  const hopeless = told.get("x-should-retry") === "false" || (status === 429 && NO_MONEY.test(said));
  if (!passing || hopeless) return new ProviderFailure("final", message);
  return new ProviderFailure("passing", message, retryAfter_ms(told));
}

/** The provider's own words and code from the body of its answer, or else the library's. */
function wordsOf(error: unknown): string {
  type Body = { readonly error?: Body; readonly message?: unknown; readonly code?: unknown };
  const { error: outer } = error as { error?: Body };
  const body = typeof outer?.error === "object" ? outer.error : outer;
  const words =
    typeof body?.message === "string" ? body.message : error instanceof Error ? error.message : String(error);
  return typeof body?.code === "string" && !words.includes(body.code) ? `${words} (${body.code})` : words;
}

/** The text without the secret, shortened. */
export function blotted(text: string, secret: string): string {
  const clean = secret === "" ? text : text.replaceAll(secret, "[key]");
  return clean.length > WORDS ? `${clean.slice(0, WORDS)} …` : clean;
}

/** RFC 9110, 10.2.3: seconds or a date; and the finer header that some providers send. */
function retryAfter_ms(headers: Headers): number | undefined {
  const fine = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(fine) && fine >= 0) return fine;
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, 1000 * seconds);
  const until = Date.parse(text) - Date.parse(headers.get("date") ?? new Date().toUTCString());
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}
