import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { BENCH_ERROR_CODES } from "../../main/contract/error-codes.ts";
import { TOOL_NAMES, TOOLS } from "../../main/contract/tools.ts";
import { createBenchServer } from "../../main/mcp/bench-server.ts";
import { createHttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import { serveConnection } from "../../main/mcp/serve-connection.ts";
import { createStdioTransport } from "../../main/mcp/stdio-transport.ts";
import { createFakeBenches, type FakeBenches } from "./fake-benches.ts";

/* Ten thousand inputs that no honest client sends. Whatever comes is answered with a clear error, and the server lives. */

const VERSION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "fuzzer", version: "1" },
};

/** Even numbers in [0, 1), the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

class Fuzzer {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = generator(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  value(depth = 0): unknown {
    const kind = this.below(depth > 3 ? 8 : 10);
    if (kind === 8) return Array.from({ length: this.below(4) }, () => this.value(depth + 1));
    if (kind === 9) {
      return Object.fromEntries(Array.from({ length: this.below(4) }, () => [this.text(), this.value(depth + 1)]));
    }
    return [null, true, -1, 1e308, 5e-324, this.#next() * 1000, this.text(), ""][kind];
  }

  text(): string {
    const words = [
      "__proto__",
      "constructor",
      "\u0000",
      "𝔐²",
      "../../etc/passwd",
      "NaN",
      "-0",
      "'; DROP",
      "\ud800",
      "run-",
      "x".repeat(300),
    ];
    return this.pick(words);
  }

  /** Arguments of a real tool with some of them wrong, missing or foreign. */
  argumentsOf(tool: string, run: string): unknown {
    if (this.below(10) === 0) return this.value();
    const shape = TOOLS[tool as keyof typeof TOOLS].input.shape as Record<string, unknown>;
    const given: Record<string, unknown> = {};
    for (const field of Object.keys(shape)) {
      if (this.below(4) > 0) given[field] = field === "run" && this.below(2) === 0 ? run : this.value();
    }
    if (this.below(3) === 0) given[this.text()] = this.value();
    return given;
  }

  message(run: string, id: number): unknown {
    const tool = this.pick(TOOL_NAMES);
    const call = { name: tool, arguments: this.argumentsOf(tool, run) };
    const request = { jsonrpc: "2.0", id, method: "tools/call", params: { ...call, _meta: META } };
    switch (this.below(8)) {
      case 0:
        return { ...request, method: this.text() };
      case 1:
        return { ...request, params: this.value() };
      case 2:
        return { ...request, params: { name: this.text(), arguments: this.value(), _meta: META } };
      case 3:
        return {
          ...request,
          method: this.pick(["resources/read", "prompts/get", "resources/subscribe"]),
          params: { uri: this.text(), name: this.text(), _meta: META },
        };
      default:
        return request;
    }
  }

  /** A line that is no message. */
  rubbish(run: string): string {
    const whole = JSON.stringify(this.message(run, 1));
    switch (this.below(5)) {
      case 0:
        return whole.slice(0, 1 + this.below(whole.length - 2));
      case 1:
        return "[".repeat(2000);
      case 2:
        return JSON.stringify(this.value());
      case 3:
        return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"9".repeat(this.below(5000))}`;
      default:
        return this.text();
    }
  }
}

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Every answer is a result, a refusal with a known code, or an error of the protocol with words. */
function judge(answer: Answer): void {
  if (answer.error !== undefined) {
    expect(answer.error.code).toBeLessThan(0);
    expect(answer.error.message.length).toBeGreaterThan(5);
    expect(answer.error.message).not.toMatch(/\n\s+at /);
    return;
  }
  expect(answer.result).toBeDefined();
  if (answer.result?.isError !== true) return;
  const refusal = JSON.parse(answer.result.content?.[0]?.text ?? "") as { code: string; message: string; hint: string };
  expect(BENCH_ERROR_CODES).toContain(refusal.code);
  expect(refusal.code, refusal.message).not.toBe("internal");
  expect(refusal.message.length).toBeGreaterThan(5);
}

const headerOf = (value: unknown): string => (typeof value === "string" ? value : "");

async function open(benches: FakeBenches): Promise<string> {
  const caller = { kind: "agent" as const, name: "opener", id: "opener" };
  const { run } = await benches.verbs.bench_open({ bench: "bench-1", reason: "r" }, { caller });
  return run;
}

describe("malformed input", () => {
  it("5000 requests over HTTP are answered, and the endpoint lives", async () => {
    const benches = createFakeBenches(true);
    const run = await open(benches);
    const endpoint = createHttpEndpoint({ factory: createBenchServer({ benches }).factory });
    const fuzzer = new Fuzzer(1);
    const post = (body: string, method: string, name: string): Promise<Response> => {
      const headers = new Headers({
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
      });
      // Header values are Latin-1; a client that cannot say a name in it leaves it out.
      for (const [key, value] of [
        ["mcp-method", method],
        ["mcp-name", name],
      ] as const) {
        if (/^[\x20-\x7e]+$/.test(value)) headers.set(key, value);
      }
      return endpoint.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
    };
    let whole = 0;
    for (let id = 1; id <= 5000; id++) {
      const rubbish = fuzzer.below(5) === 0;
      const message = fuzzer.message(run, id) as { method?: unknown; params?: { name?: unknown } | null };
      const body = rubbish ? fuzzer.rubbish(run) : JSON.stringify(message);
      const response = await post(body, headerOf(message.method), headerOf(message.params?.name));
      const text = await response.text();
      const json = text.startsWith("event:") ? (/^data: (.*)$/m.exec(text)?.[1] ?? "") : text;
      expect([200, 202, 400, 404, 405], body.slice(0, 200)).toContain(response.status);
      if (response.status === 202) continue;
      const answer = JSON.parse(json) as Answer;
      judge(answer);
      if (!rubbish && answer.id === id) whole += 1;
    }
    expect(whole).toBeGreaterThan(2000);
    await endpoint.close();
  });

  it("5000 lines on stdio are answered, one by one, and the connection lives", async () => {
    const benches = createFakeBenches(true);
    const run = await open(benches);
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    serveConnection(createBenchServer({ benches }), createStdioTransport(stdin, stdout));
    const answers: Answer[] = [];
    const waiting = new Map<unknown, () => void>();
    createInterface({ input: stdout }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      answers.push(answer);
      waiting.get(answer.id)?.();
    });
    const ask = (message: object & { readonly id: unknown }): Promise<void> =>
      new Promise((resolve) => {
        waiting.set(message.id, resolve);
        stdin.write(`${JSON.stringify(message)}\n`);
      });
    const status = (id: string) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "bench_status", arguments: { run }, _meta: META },
    });
    await ask(status("first"));
    const fuzzer = new Fuzzer(2);
    for (let batch = 0; batch < 50; batch++) {
      for (let i = 0; i < 100; i++) {
        const id = batch * 100 + i;
        const rubbish = fuzzer.below(5) === 0;
        stdin.write(
          `${rubbish ? fuzzer.rubbish(run).replaceAll("\n", " ") : JSON.stringify(fuzzer.message(run, id))}\n`,
        );
      }
      // What was sent before is answered before or soon after; the connection is alive.
      await ask(status(`batch ${batch}`));
    }
    stdin.write(`"${"x".repeat(3_000_000)}"\n`);
    await ask(status("last"));
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThan(4500);
    for (const answer of answers) judge(answer);
    const last = answers.find(({ id }) => id === "last");
    expect(last?.result?.isError).toBeFalsy();
    expect(answers.some(({ error }) => error?.message.includes("longer than"))).toBe(true);
    stdin.end();
  });
});
