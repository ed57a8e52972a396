import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { WINDOW_PROTOCOL } from "../../main/contract/window-messages.ts";
import { readRun } from "../../main/store/run-folder.ts";
import { CAUSTIC, createWorkplace, openOver, type CausticProcess, type Workplace } from "./caustic-process.ts";

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.leave());

const PATIENT = { timeout: 60_000 };

/** The events of the only run in the workplace. */
function keptEvents(): { readonly type: string; readonly outcome?: string }[] {
  const [id = ""] = readdirSync(join(place.folder, "runs"));
  return readRun(join(place.folder, "runs", id)).events as unknown as { type: string; outcome?: string }[];
}

function moveFar(process: CausticProcess, run: string): void {
  const params = { name: "move_to", arguments: { run, z_mm: 250, reason: "far" } };
  process.send({ jsonrpc: "2.0", id: "move", method: "tools/call", params });
}

async function serving(...args: string[]): Promise<CausticProcess> {
  const host = place.start("serve", "--port", "0", "--json", ...args);
  await expect.poll(() => host.lines.join("\n"), PATIENT).toMatch(/\n\}$/);
  return host;
}

const document = (host: CausticProcess) =>
  JSON.parse(host.lines.join("\n")) as {
    mcp: string;
    page: string;
    client_configuration: {
      stdio: { mcpServers: { caustic: { command: string; args: string[]; env?: object } } };
      http: { mcpServers: { caustic: { url: string; headers: { Authorization: string } } } };
    };
  };

/** What the page's socket answers to somebody who shows that token. */
async function greetWindow(address: string, token: string): Promise<{ type?: string; why?: string }> {
  const { host, origin } = new URL(address);
  const socket = new WebSocket(`ws://${host}/window`, { origin });
  try {
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const answered = new Promise<string>((resolve) =>
      socket.once("message", (data: Buffer) => resolve(data.toString())),
    );
    const page = "0123456789abcdef";
    socket.send(JSON.stringify({ type: "hello", protocol: WINDOW_PROTOCOL, token, window: page, page }));
    return JSON.parse(await answered) as { type?: string; why?: string };
  } finally {
    socket.close();
  }
}

describe("caustic mcp", () => {
  it("writes nothing but protocol to stdout and answers every bad line", async () => {
    const server = place.start("mcp");
    const run = await openOver(server);
    server.send("{ not json");
    server.send('"a string"');
    server.send({ jsonrpc: "1.0", id: 7, method: "tools/list" });
    server.send(`{"jsonrpc":"2.0","id":8,"method":"${"x".repeat(1_200_000)}"}`);
    await server.line((message) => (message["error"] as { code?: number } | undefined)?.code === -32_700);
    await server.line((message) => message["id"] === 7 && message["error"] !== undefined);
    await server.line((message) => JSON.stringify(message["error"] ?? "").includes("longer than"));
    const status = await server.ask("tools/call", { name: "bench_status", arguments: { run } });
    expect(status["result"]).toMatchObject({ structuredContent: { state: "open" } });
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    server.child.stdin.end();
    expect(await server.exit).toBe(0);
  });

  it("stops the stage and ends when its client closes the pipe in the middle of a move", async () => {
    const server = place.start("mcp", "--real-time");
    const run = await openOver(server);
    moveFar(server, run);
    await expect.poll(() => keptEvents().map(({ type }) => type), PATIENT).toContain("move_started");
    server.child.stdin.end();
    expect(await server.exit).toBe(0);
    const events = keptEvents();
    expect(events.find(({ type }) => type === "move_ended")).toMatchObject({ outcome: "stopped" });
    expect(events.at(-1)).toMatchObject({ type: "run_closed" });
  });

  it.each([
    [["--seed", "3"], "--seed without --scenario"],
    [["--scenario", "nonsense"], 'no scenario "nonsense"'],
    [["--attach", "--scenario", "clean"], "--attach joins a bench that runs"],
    [["--attach"], "start one with caustic serve"],
  ])("refuses %j with one sentence and status 2", async (args, sentence) => {
    const server = place.start("mcp", ...args);
    expect(await server.exit).toBe(2);
    expect(server.lines).toEqual([]);
    expect(server.stderr()).toContain(sentence);
  });
});

describe("caustic serve", () => {
  it("prints configurations that work, keeps its token from others, and takes the record away", async () => {
    const host = await serving();
    const { mcp, client_configuration: configuration } = document(host);
    const { stdio, http } = configuration;
    const record = join(place.folder, "caustic", "host.json");
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.folder, "caustic")).mode & 0o777).toBe(0o700);
    expect(stdio.mcpServers.caustic.args).toContain(CAUSTIC);
    expect(stdio.mcpServers.caustic.env).toEqual({ CAUSTIC_RUNTIME: join(place.folder, "caustic") });
    expect(JSON.stringify(stdio)).not.toMatch(/Bearer/);
    const { url, headers } = http.mcpServers.caustic;
    expect(url).toBe(mcp);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    expect((await fetch(url, { method: "POST", headers: json, body })).status).toBe(401);
    expect(
      (await fetch(url, { method: "POST", headers: { ...json, authorization: headers.Authorization }, body })).status,
    ).toBe(400);
    expect((await fetch(new URL("/elsewhere", url))).status).toBe(404);
    host.child.kill("SIGTERM");
    expect(await host.exit).toBe(0);
    expect(readdirSync(join(place.folder, "caustic"))).toEqual([]);
    expect(host.stderr()).not.toContain(headers.Authorization.replace("Bearer ", ""));
  });

  it("lets nobody act as the operator with the token of the tools, nor use the tools with the operator's", async () => {
    const { mcp, page, client_configuration: configuration } = document(await serving());
    const ofTools = configuration.http.mcpServers.caustic.headers.Authorization.replace("Bearer ", "");
    const ofPage = new URL(page).hash.replace("#token=", "");
    expect(await greetWindow(page, ofTools)).toMatchObject({ type: "refused", why: "token" });
    expect(await greetWindow(page, ofPage)).toMatchObject({ type: "welcome" });
    const { status } = await fetch(mcp, { method: "POST", headers: { authorization: `Bearer ${ofPage}` }, body: "{}" });
    expect(status).toBe(401);
  });

  it("is joined by clients of both eras on stdio, who see one bench", async () => {
    await serving();
    const bridge = place.start("mcp", "--attach");
    const run = await openOver(bridge);
    const client = new Client(
      { name: "modern", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [CAUSTIC, "mcp", "--attach"],
        cwd: place.folder,
        env: { ...(process.env as Record<string, string>), XDG_RUNTIME_DIR: place.folder },
      }),
    );
    const { structuredContent } = await client.callTool({
      name: "bench_open",
      arguments: { bench: "bench-1", reason: "to look" },
    });
    const held = (structuredContent as { run: string }).run;
    expect(held.split("~")[0]).toBe(run.split("~")[0]);
    expect(held).not.toBe(run);
    const heard: number[] = [];
    const mine = await bridge.ask("tools/call", {
      name: "set_exposure",
      arguments: { run, exposure_ms: 2, reason: "r" },
    });
    expect(mine["result"]).toMatchObject({ structuredContent: { exposure_requested_ms: 2 } });
    const status = await client.callTool(
      { name: "bench_status", arguments: { run: held } },
      { onprogress: ({ progress }) => void heard.push(progress) },
    );
    expect(status.structuredContent).toMatchObject({ control: { holder: "by hand", yours: false } });
    await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow(/Unknown tool/);
    await client.close();
    bridge.child.stdin.end();
    expect(await bridge.exit).toBe(0);
  });

  it("stops the stage when the bridge is cut, and when a call through it is cancelled", async () => {
    const host = await serving("--real-time");
    const bridge = place.start("mcp", "--attach");
    const run = await openOver(bridge);
    const moves = () => keptEvents().filter(({ type }) => type === "move_ended");
    moveFar(bridge, run);
    await expect.poll(() => keptEvents().map(({ type }) => type), PATIENT).toContain("move_started");
    bridge.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "move" } });
    await expect.poll(moves, PATIENT).toMatchObject([{ outcome: "stopped" }]);
    moveFar(bridge, run);
    await expect.poll(() => keptEvents().filter(({ type }) => type === "move_started"), PATIENT).toHaveLength(2);
    bridge.child.kill("SIGKILL");
    await expect.poll(moves, PATIENT).toMatchObject([{ outcome: "stopped" }, { outcome: "stopped" }]);
    host.child.kill("SIGTERM");
    expect(await host.exit).toBe(0);
  });

  it("is not trusted through a record that others could have written", async () => {
    await serving();
    chmodSync(join(place.folder, "caustic", "host.json"), 0o666);
    const bridge = place.start("mcp", "--attach");
    expect(await bridge.exit).toBe(2);
    expect(bridge.stderr()).toContain("open to other users");
  });
});
