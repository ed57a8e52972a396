import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpEndpoint, type HttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import { fixtureCatalogue } from "./fixture-catalogue.ts";
import { listen } from "./http-server.ts";
import { runSuite } from "./run-suite.ts";

describe("the transport stack in front of the official suite's fixture catalogue", () => {
  let endpoint: HttpEndpoint;
  let server: Awaited<ReturnType<typeof listen>>;

  beforeAll(async () => {
    endpoint = createHttpEndpoint({ factory: fixtureCatalogue(() => endpoint.notify) });
    server = await listen(endpoint);
  });
  afterAll(() => server.close());

  it.each([
    ["2025-11-25", 30],
    ["2026-07-28", 37],
  ])("passes every server scenario that %s requires", async (revision, scenarios) => {
    const run = await runSuite(server.url, ["--requirements", revision]);
    const bad = run.checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    expect(run.exitStatus, JSON.stringify(bad, null, 2) + run.output.slice(-3000)).toBe(0);
    expect(new Set(run.checks.map(({ scenario }) => scenario)).size).toBeGreaterThanOrEqual(scenarios);
  });
});
