import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWindow, type CreateWindowOptions, type WindowBench } from "../../../main/app/window/create-window.ts";
import type { WindowFrame } from "../../../main/contract/window-frame.ts";
import type { Overview } from "../../../main/contract/window-verbs.ts";
import { Connection, type ConnectionState } from "../../../renderer/host/connection.ts";
import { type PortPair, portPair } from "./port-pair.ts";

export interface TestHost {
  readonly window: WindowBench;
  readonly runsFolder: string;
  close(): Promise<void>;
}

/** A host over a folder of its own, without a network. */
export function testHost(options: Partial<CreateWindowOptions> = {}): TestHost {
  const runsFolder = mkdtempSync(join(tmpdir(), "caustic-window-"));
  const window = createWindow("out/page", { version: "test", desktop: false, runsFolder, ...options });
  return {
    window,
    runsFolder,
    async close() {
      await window.close();
      rmSync(runsFolder, { recursive: true, force: true });
    },
  };
}

export interface TestPage {
  readonly connection: Connection;
  readonly states: ConnectionState[];
  readonly frames: WindowFrame[];
  readonly overviews: Overview[];
  /** The line that is in use. */
  readonly line: () => PortPair;
  /** Resolves when the condition holds; looked at whenever something arrives. */
  until(condition: () => boolean): Promise<void>;
}

let pages = 0;

/** A page's end of the conversation, connected to the host over linked ports. */
export function testPage(host: TestHost, options: { token?: string; window?: string } = {}): TestPage {
  const states: ConnectionState[] = [];
  const frames: WindowFrame[] = [];
  const overviews: Overview[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const check of [...waiting]) check();
  };
  const lines: PortPair[] = [];
  const number = pages++;
  const connection = new Connection({
    window: options.window ?? `window-${number}`,
    page: `page-000${number}`,
    ...(options.token === undefined ? {} : { token: options.token }),
    open: async () => {
      const line = portPair();
      lines.push(line);
      host.window.host.accept(line.host);
      return line.page;
    },
    listener: {
      onState: (state) => {
        states.push(state);
        look();
      },
      onOverview: (overview) => {
        overviews.push(overview);
        look();
      },
      onFrame: (frame) => {
        frames.push(frame);
        look();
      },
      onStage: look,
      onWork: look,
      onRecordsChanged: look,
      onEvaluationChanged: look,
    },
  });
  connection.start();
  return {
    connection,
    states,
    frames,
    overviews,
    line: () => {
      const line = lines.at(-1);
      if (line === undefined) throw new Error("no line yet");
      return line;
    },
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
