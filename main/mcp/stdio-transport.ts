import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { LineFilter } from "./line-filter.ts";

const MIB = 1024 * 1024;

/** One message a line on the two streams; lines that are no messages are answered and otherwise ignored. */
export function createStdioTransport(
  stdin: Readable = process.stdin,
  stdout: Writable = process.stdout,
  longestMessage_bytes = MIB,
): StdioServerTransport {
  const messages = new LineFilter(longestMessage_bytes, (refusal) => stdout.write(`${JSON.stringify(refusal)}\n`));
  stdin.pipe(messages);
  stdin.on("close", () => messages.end());
  return new StdioServerTransport(messages, stdout, { maxBufferSize: 4 * longestMessage_bytes });
}
