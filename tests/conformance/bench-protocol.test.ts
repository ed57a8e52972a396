import type { Client } from "@modelcontextprotocol/client";
import type { Client as ClientOf2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, describe, expect, it } from "vitest";
import { TOOL_NAMES, TOOLS } from "../../main/contract/tools.ts";
import { type BenchServer, type BenchServerOptions, createBenchServer } from "../../main/mcp/bench-server.ts";
import { createHttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import { type AnyClient, connect, connectHttp, ERAS, type Era, refusalIn } from "./clients.ts";
import { createFakeBenches, type FakeBenches } from "./fake-benches.ts";
import { listen } from "./http-server.ts";

/** For what happens by itself, on a machine that has other things to do. */
const PATIENT = { timeout: 30_000 };

const TOKEN = "token-for-tests";

interface Rig {
  readonly benches: FakeBenches;
  readonly server: BenchServer;
  readonly client: (name?: string) => Promise<AnyClient>;
}

const ANY_BOOLEAN: unknown = expect.any(Boolean);
const ANY_STRING: unknown = expect.any(String);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Way = "memory" | "http";
const WAYS: readonly (readonly [Era, Way])[] = ERAS.flatMap((era) => [
  [era, "memory"] as const,
  [era, "http"] as const,
]);

async function rig(era: Era, way: Way, options: Partial<BenchServerOptions> = {}, quick = true): Promise<Rig> {
  const benches = createFakeBenches(quick);
  const server = createBenchServer({ benches, frameFile: () => Uint8Array.of(0x49, 0x49, 42, 0), ...options });
  ends.push(() => server.close());
  if (way === "memory") return { benches, server, client: (name) => connect(server, era, name) };
  const endpoint = createHttpEndpoint({ factory: server.factory, token: TOKEN });
  server.onResourceUpdated((uri) => endpoint.notify.resourceUpdated(uri));
  const http = await listen(endpoint);
  ends.push(() => http.close());
  return {
    benches,
    server,
    client: async (name) => {
      const client = await connectHttp(http.url, era, TOKEN, name);
      ends.push(() => client.close());
      return client;
    },
  };
}

async function open(client: AnyClient): Promise<string> {
  const answer = await client.callTool({ name: "bench_open", arguments: { bench: "bench-1", reason: "to measure" } });
  return String(answer.structuredContent?.["run"]);
}

describe.each(WAYS)("protocol %s over %s", (era, way) => {
  it("lists every tool with schemas, title and all four annotations", async () => {
    const { tools } = await (await (await rig(era, way)).client()).listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: TOOLS[tool.name as keyof typeof TOOLS].title,
        inputSchema: { type: "object", additionalProperties: false },
        outputSchema: { type: "object" },
        annotations: {
          readOnlyHint: ANY_BOOLEAN,
          destructiveHint: ANY_BOOLEAN,
          idempotentHint: ANY_BOOLEAN,
          openWorldHint: ANY_BOOLEAN,
        },
      });
    }
  });

  it("lists only what is offered, and has no frames where pictures are not", async () => {
    const offered = TOOL_NAMES.filter((name) => name !== "view_frame");
    const { client, benches } = await rig(era, way, { offered });
    const one = await client();
    expect((await one.listTools()).tools.map(({ name }) => name)).toEqual(offered);
    const { resourceTemplates } = await one.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).not.toContain("bench://run/{run}/frame/{id}");
    const run = await open(one);
    await one.callTool({ name: "measure_at", arguments: { run, z_mm: 1, reason: "look" } });
    await expect(one.readResource({ uri: `bench://run/${run}/frame/m001` })).rejects.toThrow();
    await expect(one.callTool({ name: "view_frame", arguments: { run, reason: "look" } })).rejects.toThrow(
      /Unknown tool "view_frame"/,
    );
    expect(benches.rejected).toMatchObject([{ tool: "view_frame" }]);
  });

  it("gives the same JSON as structure and as text, and a picture with its numbers and its raw frame", async () => {
    const one = await (await rig(era, way)).client();
    const run = await open(one);
    await one.callTool({ name: "measure_at", arguments: { run, z_mm: 3, reason: "look" } });
    const answer = await one.callTool({
      name: "view_frame",
      arguments: { run, measurement: "m001", reason: "look" },
    });
    expect(JSON.parse(answer.content[0]?.text ?? "")).toEqual(answer.structuredContent);
    expect(answer.structuredContent?.["run"]).toBe(run);
    expect(answer.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(answer.content[2]).toMatchObject({ type: "resource_link", mimeType: "image/tiff" });
    expect(String(answer.content[2]?.["uri"])).toBe(`bench://run/${run}/frame/v001`);
  });

  it("names the field that does not fit and what was expected", async () => {
    const { client, benches } = await rig(era, way);
    const one = await client();
    const run = await open(one);
    const answer = await one.callTool({
      name: "measure_at",
      arguments: { run, z_mm: "12", frames: 0, reason: "look", speed: 3 },
    });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toBeUndefined();
    const { code, message, hint } = refusalIn(answer);
    expect(code).toBe("bad_argument");
    expect(message).toContain("z_mm: expected number, received string");
    expect(message).toContain("frames: ");
    expect(message).toContain('unknown argument "speed"');
    expect(hint).toContain("exposure_ms (number, optional)");
    expect(benches.rejected).toMatchObject([{ tool: "measure_at", error: { code: "bad_argument", message } }]);
  });

  it("gives refusals without structured content, so that strict clients pass them on", async () => {
    const one = await (await rig(era, way)).client();
    await one.listTools();
    for (const [name, args, code] of [
      ["move_to", { run: "run-none", z_mm: 1, reason: "r" }, "unknown_run"],
      ["bench_open", { bench: "elsewhere", reason: "r" }, "unknown_bench"],
      ["fit_caustic", {}, "bad_argument"],
    ] as const) {
      const answer = await one.callTool({ name, arguments: args });
      expect(answer.isError).toBe(true);
      expect(answer.structuredContent).toBeUndefined();
      expect(refusalIn(answer)).toMatchObject({ code, message: ANY_STRING, hint: ANY_STRING });
    }
  });

  it("keeps faults of the program to itself", async () => {
    const { client, benches } = await rig(era, way);
    const one = await client();
    const run = await open(one);
    Object.assign(benches.verbs, { stop: async () => ({ run, secret: "M² is 1.234" }) });
    Object.assign(benches.verbs, { fit_caustic: () => Promise.reject(new Error("the waist is at 71.3 mm")) });
    for (const name of ["stop", "fit_caustic"]) {
      const answer = await one.callTool({ name, arguments: { run } });
      expect(refusalIn(answer).code).toBe("internal");
      expect(JSON.stringify(answer)).not.toMatch(/1\.234|71\.3/);
    }
  });

  it("tells progress to who asked for it and to nobody else", async () => {
    const one = await (await rig(era, way)).client();
    const run = await open(one);
    const heard: number[] = [];
    const call = { name: "move_to", arguments: { run, z_mm: 3, reason: "go" } };
    await one.callTool(call, { onprogress: ({ progress }) => void heard.push(progress) });
    expect(heard).toEqual([0]);
    await expect(one.callTool(call)).resolves.toMatchObject({ structuredContent: { status: "done" } });
    expect(heard).toEqual([0]);
  });

  it("stops a move whose call is cancelled; the run goes on", async () => {
    const { client, benches } = await rig(era, way, {}, false);
    const one = await client();
    const run = await open(one);
    const cancel = new AbortController();
    const begun = benches.nextMove();
    const call = one.callTool(
      { name: "move_to", arguments: { run, z_mm: 3, reason: "go" } },
      { signal: cancel.signal },
    );
    const move = await begun;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => move.outcome, PATIENT).toBe("stopped");
    const status = await one.callTool({ name: "bench_status", arguments: { run } });
    expect(status.structuredContent).toMatchObject({ state: "open", z_actual_mm: 0 });
  });

  it("stops a move whose client goes away, and leaves what was measured readable", async () => {
    const { client, benches } = await rig(era, way, {}, false);
    const one = await client();
    const other = await client();
    const run = await open(one);
    const first = benches.nextMove();
    const measuring = one.callTool({ name: "measure_at", arguments: { run, z_mm: 3, reason: "go" } });
    (await first).arrive();
    await measuring;
    const begun = benches.nextMove();
    const lost = one.callTool({ name: "move_to", arguments: { run, z_mm: 9, reason: "go" } });
    const settled = lost.catch((error: unknown) => error);
    const move = await begun;
    await one.close();
    await expect.poll(() => move.outcome, PATIENT).toBe("stopped");
    await settled;
    const status = await other.callTool({ name: "bench_status", arguments: { run } });
    expect(status.structuredContent?.["measurements"]).toHaveLength(1);
    if (way === "memory") expect(benches.released).toHaveLength(1);
  });

  it("tells two clients of the same name apart", async () => {
    const { client } = await rig(era, way);
    const one = await client("twin");
    const two = await client("twin");
    const mine = await open(one);
    const theirs = await open(two);
    const driven = await one.callTool({ name: "set_exposure", arguments: { run: mine, exposure_ms: 2, reason: "r" } });
    expect(driven.isError).toBeFalsy();
    const refused = await two.callTool({
      name: "set_exposure",
      arguments: { run: theirs, exposure_ms: 3, reason: "r" },
    });
    expect(refusalIn(refused).code).toBe("control_held");
    const looked = await two.callTool({ name: "bench_status", arguments: { run: theirs } });
    expect(looked.structuredContent).toMatchObject({ exposure_ms: 2, run: theirs });
  });

  it("exposes once for a measurement that is asked for twice", async () => {
    const { client, benches } = await rig(era, way);
    const one = await client();
    const run = await open(one);
    const call = { name: "measure_at", arguments: { run, z_mm: 3, idempotency_key: "k1", reason: "lost reply" } };
    const first = await one.callTool(call);
    const second = await one.callTool(call);
    expect(second.structuredContent?.["measurement"]).toBe(first.structuredContent?.["measurement"]);
    expect(benches.exposures()).toBe(1);
  });

  it("reads frame, newest frame, caustic and log of a run, and says not found of everything else", async () => {
    const one = await (await rig(era, way)).client();
    const run = await open(one);
    const base = `bench://run/${run}`;
    await expect(one.readResource({ uri: `${base}/frame/latest` })).rejects.toThrow();
    await one.callTool({ name: "measure_at", arguments: { run, z_mm: 3, reason: "r" } });
    for (const uri of [`${base}/frame/m001`, `${base}/frame/latest`]) {
      expect((await one.readResource({ uri })).contents).toEqual([
        { uri, mimeType: "image/tiff", blob: Buffer.from([0x49, 0x49, 42, 0]).toString("base64") },
      ]);
    }
    const caustic = await one.readResource({ uri: `${base}/caustic` });
    expect(JSON.parse(caustic.contents[0]?.text ?? "")).toMatchObject({ x: { determined: false } });
    const log = (await one.readResource({ uri: `${base}/log` })).contents[0]?.text ?? "";
    const events = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(events.map(({ type }) => type)).toEqual(["measurement_taken", "caustic_fitted"]);
    for (const uri of [`${base}/frame/m999`, `${base}/truth`, "bench://run/run-none/log", "file:///etc/hosts"]) {
      await expect(one.readResource({ uri })).rejects.toThrow(/not found/i);
    }
  });

  it("tells subscribers that caustic and newest frame changed", async () => {
    const { client } = await rig(era, way);
    const one = await client();
    const run = await open(one);
    const wanted = [`bench://run/${run}/caustic`, `bench://run/${run}/frame/latest`];
    const heard: string[] = [];
    await listenTo(one, era, wanted, (uri) => heard.push(uri));
    await one.callTool({ name: "measure_at", arguments: { run, z_mm: 3, reason: "r" } });
    await expect.poll(() => [...heard].sort(), PATIENT).toEqual(wanted);
  });

  it("offers the operator's guide and the plan's prompt, or the prompts that it was given instead", async () => {
    const one = await (await rig(era, way)).client();
    expect((await one.listPrompts()).prompts.map(({ name }) => name)).toEqual(["measure-m2", "measure-m2-plan"]);
    const plan = { name: "plan", title: "Plan", description: "The plan's words", text: "Measure." };
    const two = await (await rig(era, way, { prompts: [plan] })).client();
    expect(await two.getPrompt({ name: "plan" })).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "Measure." } }],
    });
    await expect(two.getPrompt({ name: "measure-m2" })).rejects.toThrow(/expected one of plan/);
  });

  it("logs callers under the name that their client gave, cleaned", async () => {
    const { client, benches } = await rig(era, way, { callerKind: "script" });
    await open(await client(`odd\u0000\u001b[31m name ${"x".repeat(200)}`));
    const [caller] = benches.callers;
    expect(caller?.kind).toBe("script");
    expect(caller?.name).toMatch(/^odd\[31m name x+$/);
    expect(caller?.name.length).toBeLessThanOrEqual(60);
  });
});

/** Subscribes in the way of the era. */
async function listenTo(client: AnyClient, era: Era, uris: string[], hear: (uri: string) => void): Promise<void> {
  const note = (notification: { params: { uri: string } }): void => hear(notification.params.uri);
  if (era === "2026") {
    const modern = client as unknown as Client;
    modern.setNotificationHandler("notifications/resources/updated", note);
    const subscription = await modern.listen({ resourceSubscriptions: uris });
    ends.push(() => subscription.close());
    return;
  }
  const { ResourceUpdatedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const legacy = client as unknown as ClientOf2025;
  legacy.setNotificationHandler(ResourceUpdatedNotificationSchema, note);
  for (const uri of uris) await legacy.subscribeResource({ uri });
}

it("a 2025-era client that vanishes without a word frees the bench for the next", async () => {
  const benches = createFakeBenches(true);
  const server = createBenchServer({ benches });
  const http = await listen(createHttpEndpoint({ factory: server.factory, goneAfter_ms: 20 }));
  ends.push(() => http.close());
  const [one, two] = [await connectHttp(http.url, "2025"), await connectHttp(http.url, "2025")];
  ends.push(() => two.close());
  const drive = async (client: AnyClient, run: string) =>
    client.callTool({ name: "set_exposure", arguments: { run, exposure_ms: 2, reason: "r" } });
  const [mine, theirs] = [await open(one), await open(two)];
  await drive(one, mine);
  expect(refusalIn(await drive(two, theirs)).code).toBe("control_held");
  await one.close();
  await expect.poll(() => benches.released.length, PATIENT).toBe(1);
  expect((await drive(two, theirs)).isError).toBeFalsy();
});

describe("what the HTTP endpoint turns away", () => {
  const post = (url: string, headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body,
    });
  const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

  async function serve(): Promise<string> {
    const server = createBenchServer({ benches: createFakeBenches(true) });
    const http = await listen(createHttpEndpoint({ factory: server.factory, token: TOKEN }));
    ends.push(() => http.close());
    return http.url;
  }

  it.each([
    ["no token", {}, 401],
    ["a wrong token", { authorization: "Bearer nonsense" }, 401],
    ["the token in another scheme", { authorization: `Basic ${TOKEN}` }, 401],
    ["a foreign origin", { authorization: `Bearer ${TOKEN}`, origin: "https://evil.example" }, 403],
    ["an opaque origin", { authorization: `Bearer ${TOKEN}`, origin: "null" }, 403],
  ])("%s", async (_what, headers, status) => {
    const answer = await post(await serve(), headers, LIST);
    expect(answer.status).toBe(status);
    const body = await answer.text();
    expect(body).not.toContain(TOKEN);
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: "2.0", error: { message: ANY_STRING } });
  });

  it("a request under a rebound name", async () => {
    const url = new URL(await serve());
    const { request } = await import("node:http");
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: "evil.example", authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const sent = request({ host: "127.0.0.1", port: url.port, path: "/mcp", method: "POST", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject);
      sent.end(LIST);
    });
    expect(status).toBe(403);
  });

  it("a request larger than a megabyte", async () => {
    const answer = await post(
      await serve(),
      { authorization: `Bearer ${TOKEN}` },
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { filler: "x".repeat(1_100_000) } }),
    );
    expect(answer.status).toBe(413);
  });

  it("a session that does not exist", async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, "mcp-session-id": "3b2a" };
    expect((await post(await serve(), headers, LIST)).status).toBe(404);
  });
});
