import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { z } from "zod";

/*
 * A page in Chromium that is asked and not listened to. Test drivers have every message of the page's sockets repeated to themselves as
 * text, which at ten megabytes a frame is more work than the page's own; here the debugger hears nothing that it did not ask for.
 */

const answerSchema = z.object({
  id: z.number().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});

export interface QuietPage {
  /** The value of an expression in the page; promises are waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Resolves when the expression is true, asked ten times a second. */
  until(expression: string): Promise<void>;
  /** Objects and buffers of the page after a collection, bytes. */
  heap_bytes(): Promise<number>;
  /** Resident memory of the process that draws the page, bytes; undefined where the system does not tell. */
  process_bytes(): Promise<number | undefined>;
  /** Processor time that all processes of the browser took so far, seconds. */
  processor_s(): Promise<number>;
  close(): Promise<void>;
}

export async function openQuietPage(chromium: string, address: string, size: string): Promise<QuietPage> {
  const profile = mkdtempSync(join(tmpdir(), "caustic-quiet-"));
  const child = spawn(
    chromium,
    [
      "--headless=new",
      "--no-sandbox",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      `--window-size=${size}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const listening = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`${chromium} ended at once: ${said}`)));
  });
  const browser = await Debugger.connect(listening);
  const { targetInfos } = z
    .object({ targetInfos: z.array(z.object({ type: z.string(), targetId: z.string() })) })
    .parse(await browser.send("Target.getTargets"));
  const target = targetInfos.find(({ type }) => type === "page");
  if (target === undefined) throw new Error("Chromium opened no page");
  const page = await Debugger.connect(
    `${new URL(listening).origin.replace("http", "ws")}/devtools/page/${target.targetId}`,
  );
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await page.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails } = z
      .object({ result: z.object({ value: z.unknown().optional() }), exceptionDetails: z.unknown() })
      .partial({ exceptionDetails: true })
      .parse(answer);
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  };
  const processes = async () =>
    z
      .object({ processInfo: z.array(z.object({ type: z.string(), id: z.number(), cpuTime: z.number() })) })
      .parse(await browser.send("SystemInfo.getProcessInfo")).processInfo;
  await page.send("Page.navigate", { url: address });
  return {
    evaluate,
    async until(expression) {
      while ((await evaluate(`Boolean(${expression})`)) !== true)
        await new Promise((resolve) => setTimeout(resolve, 100));
    },
    async heap_bytes() {
      await page.send("HeapProfiler.collectGarbage");
      const usage = z
        .object({ usedSize: z.number(), backingStorageSize: z.number().default(0) })
        .parse(await page.send("Runtime.getHeapUsage"));
      return usage.usedSize + usage.backingStorageSize;
    },
    async processor_s() {
      return (await processes()).reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    },
    async process_bytes() {
      const sizes = (await processes())
        .filter(({ type }) => type === "renderer")
        .flatMap(({ id }) => residentBytes(id) ?? []);
      return sizes.length === 0 ? undefined : Math.max(...sizes);
    },
    async close() {
      page.close();
      browser.close();
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function residentBytes(pid: number): number | undefined {
  try {
    const kibibytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Commands and their answers over one socket of Chromium's debugger. */
class Debugger {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const { id, result, error } = answerSchema.parse(JSON.parse(data.toString("utf8")));
      const waiting = this.#waiting.get(id ?? -1);
      if (id === undefined || waiting === undefined) return;
      this.#waiting.delete(id);
      if (error === undefined) waiting.resolve(result);
      else waiting.reject(new Error(error.message));
    });
  }

  static async connect(address: string): Promise<Debugger> {
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return new Debugger(socket);
  }

  send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  close(): void {
    this.#socket.close();
  }
}
