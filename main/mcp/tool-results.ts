import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { BenchError } from "../contract/error-codes.ts";
import type { ToolOutput } from "../contract/tools.ts";

/** A result that a caller can mend. It has no structured content, since clients check that against the schema of success. */
export function refusal(error: BenchError): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(error.toWire()) }] };
}

/** What the client is told of a fault of the program; what happened stands in the program's own log. */
export function internalFault(tool: string): BenchError {
  return new BenchError(
    "internal",
    `${tool} failed through a fault of the program; what happened is in its log`,
    "Ask bench_status for the state of the bench, then try once more.",
  );
}

/** Structured content, the same as text, and what the tool shows beside it. */
export function success(output: object, beside: readonly ContentBlock[] = []): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(output) }, ...beside],
    structuredContent: { ...output },
  };
}

/** The picture of a view and the way to its raw frame. The text before them holds the same numbers, for clients that drop pictures. */
export function pictureContent(view: ToolOutput<"view_frame">, png: Uint8Array): ContentBlock[] {
  return [
    {
      type: "image",
      data: Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64"),
      mimeType: "image/png",
      annotations: { audience: ["user", "assistant"], priority: 1 },
    },
    {
      type: "resource_link",
      uri: view.frame_uri,
      name: `frame-${view.measurement ?? view.view}`,
      title: "Raw 16-bit frame",
      description: "The frame behind the picture, as a 16-bit TIFF",
      mimeType: "image/tiff",
      annotations: { audience: ["user"], priority: 0.2 },
    },
  ];
}
