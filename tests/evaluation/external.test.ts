import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EvaluationResults } from "../../main/contract/evaluation-results.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openAddress } from "../../main/app/one-address.ts";
import { externalDriver, type OfferedUnit } from "../../main/evaluation/external-driver.ts";
import { PLAN_PATH } from "./run-case.ts";
import { evaluate, PROJECT, smallPlan, temporaryFolder } from "./small-evaluation.ts";

const CAUSTIC = join(PROJECT, "bin/caustic.mjs");
const INSPECTOR = join(PROJECT, "node_modules/.bin/mcp-inspector");

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
});

/** `caustic eval … --by external` in its own process, as in a first terminal. */
function offerCase(name: string, timeLimit_s: number) {
  const child = spawn(
    process.execPath,
    [
      ...[CAUSTIC, "eval", PLAN_PATH, "--by", "external", "--case", name, "--exploratory", "--json"],
      ...["--time-limit", String(timeLimit_s), "--out", join(temporaryFolder(), "out")],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  started.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  const configuration = new Promise<{ url: string; header: string }>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const url = /"url": "([^"]+)"/.exec(stderr)?.[1];
      const header = /"Authorization": "([^"]+)"/.exec(stderr)?.[1];
      if (url !== undefined && header !== undefined) resolve({ url, header });
    });
    child.on("exit", () => reject(new Error(stderr)));
  });
  const closed = once(child, "close");
  const results = async () => {
    const [status] = (await closed) as [number];
    return { status, results: JSON.parse(stdout) as EvaluationResults, stderr };
  };
  configuration.catch(() => undefined);
  return { configuration, results };
}

/** One call by the Inspector's command line, as in a second terminal. */
async function inspect(
  { url, header }: { url: string; header: string },
  tool: string,
  args: Record<string, string | number | object> = {},
): Promise<Record<string, unknown>> {
  const words = Object.entries(args).flatMap(([name, value]) => [
    "--tool-arg",
    `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`,
  ]);
  const child = spawn(
    process.execPath,
    [
      ...[INSPECTOR, "--cli", url, "--transport", "http", "--header", `Authorization: ${header}`],
      ...["--method", "tools/call", "--tool-name", tool, ...words],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const [status] = (await once(child, "close")) as [number];
  if (status !== 0) throw new Error(`${tool}: the Inspector ended with ${status}: ${stderr}${stdout}`);
  const answer = JSON.parse(stdout) as { structuredContent?: Record<string, unknown>; isError?: boolean };
  if (answer.structuredContent === undefined) throw new Error(`${tool}: ${stdout}`);
  return answer.structuredContent;
}

describe("a case that is opened to a client from outside", () => {
  it("is measured by hand with the Inspector's command line, and graded as right", async () => {
    const { configuration, results } = offerCase("C2", 280);
    const client = await configuration;
    const status = await inspect(client, "bench_status");
    const [offer] = status["benches"] as { bench: string }[];
    const opened = await inspect(client, "bench_open", { bench: offer?.bench ?? "", reason: "measure this beam" });
    const run = opened["run"] as string;
    const darks = new Set<number>();
    const measure = async (z_mm: number, exposure_ms: number): Promise<string> => {
      const reason = "by hand";
      if (!darks.has(exposure_ms)) await inspect(client, "take_darks", { run, exposure_ms, reason });
      darks.add(exposure_ms);
      return (await inspect(client, "measure_at", { run, z_mm, exposure_ms, reason }))["measurement"] as string;
    };
    for (const z_mm of [118, 123, 129, 135, 141]) await measure(z_mm, 1);
    for (const z_mm of [85, 78, 70]) await measure(z_mm, 8);
    for (const z_mm of [55, 45]) await measure(z_mm, 16);
    const odd = await measure(200, 16);
    await inspect(client, "reject_measurement", { run, measurement: odd, reason: "a ghost: x is wider than y here" });
    const { x, y } = (await inspect(client, "fit_caustic", { run })) as Record<"x" | "y", { m2: number; u_m2: number }>;
    await inspect(client, "finish", {
      run,
      verdict: "iso_compliant",
      m2_x: { value: x.m2, u: x.u_m2 },
      m2_y: { value: y.m2, u: y.u_m2 },
      fault: { kind: "second_spot", z_min_mm: 170, z_max_mm: 250, evidence: [odd] },
      explanation: "A second spot beside the beam near 200 mm; the far positions are below the waist.",
    });
    const { status: exit, results: graded, stderr } = await results();
    expect(exit, stderr).toBe(0);
    expect(graded.rows).toHaveLength(1);
    expect(graded.rows[0]).toMatchObject({
      case: "C2",
      contender: "external",
      status: "finished",
      verdict: "iso_compliant",
      correct: true,
      fault_noticed: true,
      fault_claim: "right",
      exploratory: true,
      positions: 11,
      bad_calls: 0,
    });
    expect(Math.abs(graded.rows[0]?.m2_error_x ?? 1)).toBeLessThan(0.03);
    expect(Math.abs(graded.rows[0]?.m2_error_y ?? 1)).toBeLessThan(0.03);
  });

  it("turns away a client without its token", async () => {
    const { configuration } = offerCase("C2", 60);
    const { url } = await configuration;
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect(answer.status).toBe(401);
    await answer.arrayBuffer();
  });

  /** The same in this process, with a limit that is worth waiting for. */
  const withLimit = async (timeLimit_s: number, visit: (offered: OfferedUnit) => Promise<void>) => {
    const visits: Promise<void>[] = [];
    const driver = externalDriver({
      listen: openAddress,
      announce: (offered) => void visits.push(visit(offered)),
      timeLimit_s,
    });
    const { results } = await evaluate(smallPlan(["C2"]), join(temporaryFolder(), "out"), {
      by: ["external"],
      waiting: { external: { parallel: 1, driver } },
    });
    await Promise.all(visits);
    return results.rows[0];
  };

  it("is graded as it stands when the time is over", async () => {
    const row = await withLimit(5, async ({ url, token }) => {
      const client = new Client({ name: "visitor", version: "1" }, { versionNegotiation: { mode: "auto" } });
      const headers = { Authorization: `Bearer ${token}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      await client.callTool({ name: "bench_open", arguments: { bench: "bench-1", reason: "begin and leave" } });
      await client.close();
    });
    expect(row).toMatchObject({ status: "no_verdict", correct: false, calls: 1 });
    expect(row?.note).toContain("not finished within 5 s");
  });

  it("counts as a failure of the infrastructure when nobody came", async () => {
    const row = await withLimit(0.1, async () => undefined);
    expect(row).toMatchObject({ status: "failed", correct: false });
    expect(row?.note).toContain("nobody opened the bench");
  });
});
