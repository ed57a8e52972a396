import { parentPort, workerData } from "node:worker_threads";
import { WebSocket } from "ws";
import { SOCKET_PATH } from "../window/socket-port.ts";
import { WINDOW_PROTOCOL } from "../../contract/window-messages.ts";

/** Where the stand-in for a page connects, and to which run. */
export interface PageClientData {
  readonly origin: string;
  readonly token: string;
  readonly run: string;
  readonly reduction: number;
}

/** A frame that has arrived whole. */
export interface Arrival {
  readonly sequence: number;
  /** On the clock that all threads of a process share. */
  readonly at_ms: number;
  readonly analysis_ms: number | undefined;
}

// A page that only receives: it reads the head of each frame and asks for the next one.
const { origin, token, run, reduction } = workerData as PageClientData;
const socket = new WebSocket(`${origin.replace("http", "ws")}${SOCKET_PATH}`, { origin });
const say = (message: object): void => {
  socket.send(JSON.stringify(message));
};
socket.on("open", () => {
  say({ type: "hello", protocol: WINDOW_PROTOCOL, token, window: "benchmark-window", page: "benchmark-page" });
  say({ type: "frame_detail", reduction });
  say({ type: "live", run });
});
socket.on("message", (data: Buffer, isBinary: boolean) => {
  if (!isBinary) return;
  const at_ms = performance.timeOrigin + performance.now();
  const length = data.readUInt32LE(4);
  const head = JSON.parse(data.toString("latin1", 8, 8 + length)) as {
    number: number;
    sequence: number;
    analysis_ms?: number;
  };
  say({ type: "frame_shown", number: head.number });
  parentPort?.postMessage({ sequence: head.sequence, at_ms, analysis_ms: head.analysis_ms } satisfies Arrival);
});
