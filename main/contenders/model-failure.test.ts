import { describe, expect, it } from "vitest";
import { failureFrom } from "./model-failure.ts";

const KEY = "sk-secret";
const http = (status: number, message = "words", headers: Record<string, string> = {}, code?: string) =>
  Object.assign(new Error(message), {
    status,
    headers: new Headers(headers),
    error: { error: { message, ...(code === undefined ? {} : { code }) } },
  });

describe("what a provider's error means", () => {
  it.each([
    [http(429), "passing"],
    [http(500), "passing"],
    [http(529, "overloaded"), "passing"],
    [http(408), "passing"],
    [new TypeError("fetch failed"), "passing"],
    [http(400, "messages.3: unknown field"), "final"],
    [http(401, "invalid key"), "final"],
    [http(404, "no such model"), "final"],
    [http(429, "pay first", {}, "insufficient_quota"), "final"],
    [http(503, "stop it", { "x-should-retry": "false" }), "final"],
    [http(400, "prompt is too long: 300000 tokens"), "context_full"],
    [http(400, "too many", {}, "context_length_exceeded"), "context_full"],
    [http(413, "request_too_large"), "context_full"],
  ])("%s is %s", (error, kind) => expect(failureFrom(error, KEY).kind).toBe(kind));

  it.each([
    [{ "retry-after": "12" }, 12_000],
    [{ "retry-after-ms": "250", "retry-after": "12" }, 250],
    [{ date: "Tue, 01 Dec 2026 10:00:00 GMT", "retry-after": "Tue, 01 Dec 2026 10:00:30 GMT" }, 30_000],
    [{ date: "Tue, 01 Dec 2026 10:00:00 GMT", "retry-after": "Tue, 01 Dec 2026 09:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])("%o asks for a pause of %s ms", (headers, pause_ms) =>
    expect(failureFrom(http(429, "slow down", headers), KEY).retryAfter_ms).toBe(pause_ms),
  );

  it("holds the provider's words, shortened and without the key", () => {
    const { message } = failureFrom(http(401, `bad key ${KEY}, ${"x".repeat(1000)}`), KEY);
    expect(message).toMatch(/^the provider answered 401: bad key \[key\], x+ …$/);
    expect(message.length).toBeLessThan(400);
    expect(failureFrom(new Error(`connect ${KEY}`), KEY).message).not.toContain(KEY);
  });
});
