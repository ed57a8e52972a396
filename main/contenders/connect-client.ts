import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { compiledSchemas } from "./compiled-schemas.ts";

/** Stands in a URL that is never looked up: requests are answered inside the process. */
const ADDRESS = new URL("http://bench.invalid/mcp");

/** A client of a bench's server over Streamable HTTP, the transport that an agent uses, with the sockets left out. */
export async function connectClient(name: string, answer: (request: Request) => Promise<Response>): Promise<Client> {
  const client = new Client(
    { name, version: "1" },
    { versionNegotiation: { mode: "auto" }, jsonSchemaValidator: compiledSchemas },
  );
  await client.connect(
    new StreamableHTTPClientTransport(ADDRESS, { fetch: (url, init) => answer(new Request(url, init)) }),
  );
  return client;
}
