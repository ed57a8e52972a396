import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { WindowPort } from "../../contract/window-messages.ts";
import type { WindowHost } from "./window-host.ts";

/** Where the page connects. */
export const SOCKET_PATH = "/window";

/** Largest message of a page: a report to be printed. */
const MOST_BYTES = 16 * 1024 * 1024;
/** A silent connection is asked for a sign of life this often, and given up when none came until the next time. */
const HEARTBEAT_MS = 10_000;

/** One WebSocket as a port. */
function socketPort(socket: WebSocket): WindowPort {
  return {
    send: (message) => {
      if (socket.readyState === socket.OPEN) socket.send(message);
    },
    sendPieces: (head, samples, left) => {
      if (socket.readyState !== socket.OPEN) {
        left();
        return;
      }
      socket.send(head, { binary: true, fin: false });
      socket.send(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), { fin: true }, () => {
        left();
      });
    },
    receive: (onMessage, onClose) => {
      socket.on("message", (data: Buffer, isBinary: boolean) => {
        onMessage(isBinary ? new ArrayBuffer(0) : data.toString("utf8"));
      });
      socket.on("close", onClose);
    },
    get backlog_bytes() {
      return socket.bufferedAmount;
    },
    close: () => {
      socket.close();
    },
  };
}

export interface OpenSockets {
  /** Breaks every connection at once; pages may connect again. */
  cut(): void;
  /** Breaks every connection and takes no further one. */
  close(): void;
}

/**
 * Lets windows in browsers connect to `server` at `SOCKET_PATH`. Only pages that this server itself served may: the Origin must be
 * the Host, and the Host a name of this machine, so that neither a foreign page nor a rebound name gets in. The token is asked by
 * the host.
 */
export function acceptSockets(server: Server, host: WindowHost): OpenSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES, perMessageDeflate: false });
  const alive = new WeakSet<WebSocket>();
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if ((request.url ?? "").split("?", 1)[0] !== SOCKET_PATH) return;
    if (!isOwnPage(request.headers.host, request.headers.origin)) {
      stream.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      alive.add(socket);
      socket.on("pong", () => alive.add(socket));
      socket.on("error", () => {
        socket.terminate();
      });
      host.accept(socketPort(socket));
    });
  };
  server.on("upgrade", onUpgrade);
  const heartbeat = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, HEARTBEAT_MS);
  heartbeat.unref();
  const cut = (): void => {
    for (const socket of sockets.clients) socket.terminate();
  };
  return {
    cut,
    close() {
      clearInterval(heartbeat);
      server.off("upgrade", onUpgrade);
      cut();
      sockets.close();
    },
  };
}

/** Whether the request comes from a page of this very server on this machine. */
export function isOwnPage(host: string | undefined, origin: string | undefined): boolean {
  if (host === undefined || origin === undefined) return false;
  let page: URL;
  try {
    page = new URL(origin);
  } catch {
    return false;
  }
  if (page.protocol !== "http:" || page.host !== host) return false;
  return page.hostname === "127.0.0.1" || page.hostname === "localhost" || page.hostname === "[::1]";
}
