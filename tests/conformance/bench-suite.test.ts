import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import { listen } from "./http-server.ts";
import { runSuite } from "./run-suite.ts";
import { simulatedDesk } from "./simulated-desk.ts";

/** Scenarios that call nothing of the suite's own catalogue. */
const GENERIC: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "server-stateless",
    "tools-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
  ],
};

/** Checks of `server-stateless` that need tools of the suite's catalogue. */
const NEEDS_CATALOGUE = new Set([
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
  "sep-2575-server-tags-subscription-id",
]);

describe("the bench's own server in the official suite", () => {
  const desk = simulatedDesk();
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    server = await listen(createHttpEndpoint({ factory: desk.factory }));
  });
  afterAll(async () => {
    await server.close();
    await desk.close();
  });

  const cases = Object.entries(GENERIC).flatMap(([version, names]) => names.map((name) => [version, name] as const));
  it.each(cases)("%s %s", async (version, scenario) => {
    const run = await runSuite(server.url, ["--scenario", scenario, "--spec-version", version]);
    expect(run.checks.length, run.output).toBeGreaterThan(0);
    const bad = run.checks.filter(({ id, status }) => status === "FAILURE" && !NEEDS_CATALOGUE.has(id));
    expect(bad).toEqual([]);
  });
});
