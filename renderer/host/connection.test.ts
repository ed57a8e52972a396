import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WINDOW_PROTOCOL, type WindowPort } from "../../main/contract/window-messages.ts";
import { Connection, type ConnectionState } from "./connection.ts";

/** A host that welcomes every page and answers signs of life as long as it lives. */
class Host {
  alive = true;
  lines = 0;
  closed = 0;

  open(): WindowPort {
    this.lines++;
    let answer: (message: string) => void = () => undefined;
    return {
      send: (raw) => {
        const { type } = JSON.parse(raw as string) as { type: string };
        if (!this.alive) return;
        if (type === "hello") answer(JSON.stringify(WELCOME));
        if (type === "ping") answer(JSON.stringify({ type: "pong" }));
      },
      receive: (onMessage) => {
        answer = onMessage;
      },
      close: () => {
        this.closed++;
      },
      backlog_bytes: 0,
    };
  }
}

const WELCOME = {
  type: "welcome",
  protocol: WINDOW_PROTOCOL,
  resumed: true,
  overview: {
    version: "1",
    desktop: false,
    benches: [],
    open_runs: [],
    scenarios: [],
    contenders: [],
    drives: [],
    bench_files: [],
  },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a host that hangs with its line open is lost after the silence, and found again when it answers", async () => {
  const host = new Host();
  const states: ConnectionState[] = [];
  const nothing = (): void => undefined;
  const connection = new Connection({
    open: async () => host.open(),
    window: "window-1",
    page: "page-0001",
    silence_ms: 5000,
    listener: {
      onState: (state) => void states.push(state),
      onOverview: nothing,
      onFrame: nothing,
      onStage: nothing,
      onWork: nothing,
      onRecordsChanged: nothing,
      onEvaluationChanged: nothing,
    },
  });
  connection.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(states.map(({ kind }) => kind)).toEqual(["connecting", "open"]);
  host.alive = false;
  await vi.advanceTimersByTimeAsync(4000);
  expect(states.at(-1)?.kind).toBe("open");
  await vi.advanceTimersByTimeAsync(4000);
  expect(states.at(-1)?.kind).toBe("lost");
  expect(host.closed).toBe(1);
  // A line that opens to a host that still hangs is given up in the same way.
  await vi.advanceTimersByTimeAsync(30_000);
  expect(host.lines).toBeGreaterThan(2);
  host.alive = true;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(states.at(-1)?.kind).toBe("open");
  connection.close();
});
