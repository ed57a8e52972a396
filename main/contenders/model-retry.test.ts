import { describe, expect, it } from "vitest";
import { ProviderFailure } from "./model-failure.ts";
import type { ModelAnswer, ModelProvider, ModelRequest } from "./model-provider.ts";
import { askPatiently, type Wait } from "./model-retry.ts";

const REQUEST: ModelRequest = { system: "", tools: [], messages: [], max_output_tokens: 1 };
const ANSWER: ModelAnswer = { text: "yes", calls: [], stop: "said" };
const TIMEOUT_MS = 999;

/** A provider that fails in these ways, one after the other, and then answers. `undefined` never answers. */
function failing(...failures: (ProviderFailure | undefined)[]): ModelProvider {
  const left = [...failures];
  return {
    provider: "anthropic",
    model: "m",
    ask: (_request, signal) => {
      if (left.length === 0) return Promise.resolve(ANSWER);
      const failure = left.shift();
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    },
  };
}

const passing = (retryAfter_ms?: number) => new ProviderFailure("passing", "busy", retryAfter_ms);

async function ask(provider: ModelProvider, attempts = 5) {
  const pauses: number[] = [];
  let timeouts = 0;
  const wait: Wait = (duration_ms) => {
    if (duration_ms !== TIMEOUT_MS) pauses.push(duration_ms);
    // Time limits expire after everything that is ready has been dealt with.
    return duration_ms === TIMEOUT_MS ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve();
  };
  const result = await askPatiently({
    provider,
    request: REQUEST,
    patience: { wait, timeout_ms: TIMEOUT_MS, attempts },
    onTimeout: () => (timeouts += 1),
  }).catch((error: unknown) => error);
  return { result, pauses, timeouts };
}

describe("asking patiently", () => {
  it("pauses longer and longer, and as long as the provider asks for", async () => {
    const { result, pauses } = await ask(failing(passing(), passing(10_000), passing(), passing(10)));
    expect(result).toEqual({ answer: ANSWER, attempts: 5 });
    expect(pauses).toEqual([1000, 10_000, 4000, 8000]);
  });

  it("never pauses longer than a minute by itself", async () => {
    const { pauses } = await ask(failing(...Array.from({ length: 9 }, () => passing())), 10);
    expect(pauses.at(-1)).toBe(60_000);
  });

  it("gives up after its attempts", async () => {
    const { result, pauses } = await ask(failing(...Array.from({ length: 9 }, () => passing())), 3);
    expect(result).toMatchObject({ kind: "final", message: "no answer in 3 attempts; at last busy" });
    expect(pauses).toHaveLength(2);
  });

  it.each(["final", "context_full"] as const)("does not try again what is %s", async (kind) => {
    const { result, pauses } = await ask(failing(new ProviderFailure(kind, "no")));
    expect(result).toMatchObject({ kind, message: "no" });
    expect(pauses).toEqual([]);
  });

  it("tells of every request that was not answered in time, and asks again", async () => {
    const { result, timeouts } = await ask(failing(undefined, undefined));
    expect(result).toEqual({ answer: ANSWER, attempts: 3 });
    expect(timeouts).toBe(2);
  });

  it("passes on what is no failure of the provider", async () => {
    const provider = failing();
    const { result } = await ask({ ...provider, ask: () => Promise.reject(new RangeError("a fault of ours")) });
    expect(result).toBeInstanceOf(RangeError);
  });
});
