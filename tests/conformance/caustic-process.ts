import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const CAUSTIC = fileURLToPath(new URL("../../bin/caustic.mjs", import.meta.url));

type Message = Readonly<Record<string, unknown>>;

/** A `caustic` command that keeps running, in a folder and with a runtime folder of its own. */
export interface CausticProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Lines of stdout so far. */
  readonly lines: string[];
  /** Everything on stderr so far. */
  stderr(): string;
  send(message: object | string): void;
  /** The first line, past or to come, that fits. */
  line(fits: (message: Message) => boolean): Promise<Message>;
  /** The answer to a request of the 2025 protocol. */
  ask(method: string, params?: object): Promise<Message>;
  readonly exit: Promise<number | null>;
}

export interface Workplace {
  readonly folder: string;
  start(...args: string[]): CausticProcess;
  leave(): Promise<void>;
}

export function createWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), "caustic-stdio-"));
  const running = new Set<CausticProcess>();
  return {
    folder,
    start(...args) {
      const started = startCaustic(folder, args);
      running.add(started);
      return started;
    },
    async leave() {
      for (const { child } of running) child.kill("SIGKILL");
      await Promise.all([...running].map(({ exit }) => exit));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startCaustic(folder: string, args: readonly string[]): CausticProcess {
  const child = spawn(process.execPath, [CAUSTIC, ...args], {
    cwd: folder,
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  let errors = "";
  let ids = 0;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    for (const look of waiting) look(line);
  });
  const line = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      const look = (text: string): void => {
        const message = JSON.parse(text) as Message;
        if (!fits(message)) return;
        waiting.delete(look);
        resolve(message);
      };
      waiting.add(look);
      for (const text of lines) look(text);
    });
  const send = (message: object | string): void => {
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  };
  return {
    child,
    lines,
    stderr: () => errors,
    send,
    line,
    ask(method, params = {}) {
      const id = `ask-${++ids}`;
      send({ jsonrpc: "2.0", id, method, params });
      return line((message) => message["id"] === id);
    },
    exit: new Promise((resolve) => child.on("close", resolve)),
  };
}

/** Shakes hands in the 2025 protocol and opens the bench. */
export async function openOver(process: CausticProcess): Promise<string> {
  const clientInfo = { name: "by hand", version: "1" };
  await process.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  process.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const opened = await process.ask("tools/call", { name: "bench_open", arguments: { bench: "bench-1", reason: "r" } });
  const { structuredContent } = opened["result"] as { structuredContent: { run: string } };
  return structuredContent.run;
}
