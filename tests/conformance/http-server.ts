import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpEndpoint } from "../../main/mcp/http-endpoint.ts";

/** An endpoint on a free port of the loopback interface. */
export async function listen(endpoint: HttpEndpoint): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void endpoint.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await endpoint.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
