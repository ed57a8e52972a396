import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { fromThisMachine } from "../mcp/http-guards.ts";

/** Answers a request, or says false and leaves it to the next route. */
export type Route = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** One HTTP server on the loopback interface: the MCP endpoint, the page, the page's socket. */
export interface Host {
  readonly server: Server;
  /** `http://127.0.0.1:6328` */
  readonly origin: string;
  /** Routes are asked in the order in which they were added. Only requests of this machine reach them. */
  addRoute(route: Route): void;
  close(): Promise<void>;
}

export interface HostOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly log?: Pick<Logger, "error">;
}

/** Starts the server. Rejects with the system's error where the port is taken. */
export async function startHost({ port, log }: HostOptions): Promise<Host> {
  const routes: Route[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!fromThisMachine(request, response)) return;
    for (const route of routes) {
      if (await route(request, response)) return;
    }
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    response.end("There is nothing at this address.\n");
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log?.error({ err: error }, "a request failed");
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    server,
    origin: `http://127.0.0.1:${taken}`,
    addRoute: (route) => void routes.push(route),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
