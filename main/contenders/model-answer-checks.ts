import type { TokensByKind } from "../contract/model-usage.ts";
import { blotted, ProviderFailure } from "./model-failure.ts";
import type { ModelAnswer } from "./model-provider.ts";

/* What a server says with status 200 is handed on by the vendors' libraries as it comes, so it is checked here. */

/** A number of tokens as it can be counted and paid; undefined for anything else, which is then not known. */
function tokenCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** A kind of tokens that servers may leave out. */
const optionalCount = (value: unknown): number | undefined =>
  value === undefined || value === null ? 0 : tokenCount(value);

/** Tokens by kind as a server tells them, unchecked. */
type ToldTokens = Readonly<Record<keyof TokensByKind, unknown>>;

/** The use that a server tells; undefined as soon as one number of it is none: half a bill is no bill. */
export function toldTokens(told: ToldTokens): TokensByKind | undefined {
  const input = tokenCount(told.input);
  const output = tokenCount(told.output);
  const cached_input = optionalCount(told.cached_input);
  const cache_write = optionalCount(told.cache_write);
  const reasoning = optionalCount(told.reasoning);
  if (
    input === undefined ||
    output === undefined ||
    cached_input === undefined ||
    cache_write === undefined ||
    reasoning === undefined
  ) {
    return undefined;
  }
  return { input, cached_input, cache_write, output, reasoning };
}

/** An answer that is not of the form of the interface: another address, or a server that does not keep to it. */
export function notAnAnswer(what: string, answer: unknown, secret: string): ProviderFailure {
  // Some servers say so when they are overloaded.
  if (isObject(answer) && isObject(answer["error"])) {
    return new ProviderFailure(
      "passing",
      `the provider answered 200 with an error: ${blotted(JSON.stringify(answer["error"]), secret)}`,
    );
  }
  const said = typeof answer === "string" ? answer : (JSON.stringify(answer) as string | undefined);
  return new ProviderFailure(
    "final",
    `the provider answered 200 with something that is no ${what}; is --base-url right? ${blotted(said ?? "nothing", secret)}`,
  );
}

/** The answer without the secret, wherever a server has put it: everything of it may be kept or logged. */
export function withoutSecret(answer: ModelAnswer, secret: string): ModelAnswer {
  return secret === "" ? answer : (scrubbed(answer, secret) as ModelAnswer);
}

function scrubbed(value: unknown, secret: string): unknown {
  if (typeof value === "string") return value.replaceAll(secret, "[key]");
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, secret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replaceAll(secret, "[key]"), scrubbed(member, secret)]),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
