import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/*
 * A server that is not ours, on the 2025 line of the official SDK, with some tools of the reference "everything" server under the same
 * names, so that questions can be put to it where that one is not installed.
 */

const server = new McpServer(
  { name: "foreign", version: "1.0.0" },
  { instructions: "Some tools to try clients with." },
);

server.registerTool("echo", { inputSchema: { message: z.string() } }, ({ message }) => ({
  content: [{ type: "text", text: `Echo: ${message}` }],
}));

server.registerTool("get-sum", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
  content: [{ type: "text", text: `The sum of ${a} and ${b} is ${a + b}.` }],
}));

const weather = { temperature: 33, conditions: "Cloudy", humidity: 82 };
server.registerTool(
  "get-structured-content",
  {
    inputSchema: { location: z.enum(["New York", "Chicago", "Los Angeles"]) },
    outputSchema: { temperature: z.number(), conditions: z.string(), humidity: z.number() },
  },
  () => ({ content: [{ type: "text", text: JSON.stringify(weather) }], structuredContent: weather }),
);

server.registerTool("get-annotated-message", { inputSchema: { messageType: z.enum(["error", "success"]) } }, () => ({
  content: [{ type: "text", text: "Error: Operation failed" }],
}));

server.registerTool("get-env", {}, () => ({
  content: [{ type: "text", text: JSON.stringify(process.env, null, 2) }],
}));

server.registerResource("notes", "notes://one", { mimeType: "text/plain" }, (uri) => ({
  contents: [{ uri: uri.href, text: "The spare key is under the mat." }],
}));

await server.connect(new StdioServerTransport());
