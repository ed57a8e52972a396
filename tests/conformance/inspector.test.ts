import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOOL_NAMES, type ToolName } from "../../main/contract/tools.ts";
import { CAUSTIC, createWorkplace, type Workplace } from "./caustic-process.ts";

/* The official Inspector's command line against a running `caustic serve`, over HTTP and through the stdio bridge. */

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const { bin } = createRequire(import.meta.url)(manifest) as { bin: Record<string, string> };
const INSPECTOR = join(dirname(manifest), bin["mcp-inspector"] ?? "");

const ARGUMENTS: Readonly<Record<Exclude<ToolName, "bench_open">, Record<string, unknown>>> = {
  bench_status: {},
  move_to: { z_mm: 100, reason: "r" },
  stop: { reason: "r" },
  set_exposure: { exposure_ms: 0.5, reason: "r" },
  take_darks: { exposure_ms: 0.5, frames: 2, reason: "r" },
  measure_at: { z_mm: 100, frames: 1, reason: "r" },
  job_status: { job: "j001" },
  reject_measurement: { measurement: "m001", reason: "r" },
  restore_measurement: { measurement: "m001", reason: "r" },
  view_frame: { measurement: "m001", reason: "r" },
  estimate_scan: { positions_mm: [90, 110] },
  fit_caustic: {},
  suggest_positions: { count: 3 },
  finish: { verdict: "measurement_failed", explanation: "Only a look at the tools." },
};
/** Refused for good reasons: no job has been started, one measurement makes no caustic. */
const REFUSED: Partial<Record<ToolName, string>> = {
  job_status: "unknown_id",
  suggest_positions: "not_enough_data",
};

interface Shown {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let place: Workplace;
let ways: Readonly<Record<"http" | "stdio", readonly string[]>>;

function inspect(way: readonly string[], args: readonly string[]): Promise<Shown> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [INSPECTOR, "--cli", ...way, ...args], {
      cwd: place.folder,
      env: { ...process.env, XDG_RUNTIME_DIR: place.folder, HOME: place.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

async function callTool(way: readonly string[], name: string, args: object): Promise<Record<string, unknown>> {
  const json = JSON.stringify(args);
  const shown = await inspect(way, ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json]);
  expect(shown.stdout, shown.stderr).not.toBe("");
  return JSON.parse(shown.stdout) as Record<string, unknown>;
}

beforeAll(async () => {
  place = createWorkplace();
  const host = place.start("serve", "--port", "0", "--json");
  await vi.waitFor(() => expect(host.lines.join("\n")).toMatch(/\n\}$/), { timeout: 60_000 });
  const printed = JSON.parse(host.lines.join("\n")) as {
    client_configuration: { http: { mcpServers: { caustic: { url: string; headers: { Authorization: string } } } } };
  };
  const { url, headers } = printed.client_configuration.http.mcpServers.caustic;
  ways = {
    http: [url, "--transport", "http", "--header", `Authorization: ${headers.Authorization}`],
    stdio: ["-e", `CAUSTIC_RUNTIME=${join(place.folder, "caustic")}`, process.execPath, CAUSTIC, "mcp", "--attach"],
  };
});
afterAll(() => place.leave());

describe.each(["http", "stdio"] as const)("the Inspector over %s", (way) => {
  it("lists every tool, template and prompt", async () => {
    const tools = await inspect(ways[way], ["--method", "tools/list"]);
    const listed = JSON.parse(tools.stdout) as { tools: { name: string }[] };
    expect(listed.tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    const templates = await inspect(ways[way], ["--method", "resources/templates/list"]);
    expect(templates.stdout).toContain("bench://run/{run}/caustic");
    const prompts = await inspect(ways[way], ["--method", "prompts/list"]);
    expect(prompts.stdout).toContain("measure-m2");
  });

  it("calls every tool", async () => {
    const opened = await callTool(ways[way], "bench_open", { bench: "bench-1", reason: "r" });
    const { run } = opened["structuredContent"] as { run: string };
    const caller = { run };
    for (const [name, args] of Object.entries(ARGUMENTS)) {
      const answer = await callTool(ways[way], name, { ...caller, ...args });
      const code = REFUSED[name as ToolName];
      if (code === undefined) expect(answer, name).toMatchObject({ structuredContent: { run } });
      else expect(JSON.stringify(answer), name).toContain(code);
    }
  });
});
