import type { Client } from "@modelcontextprotocol/client";
import type { Picture, ToolAnswer } from "./model-provider.ts";

const MEDIA_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

type Content = Awaited<ReturnType<Client["callTool"]>>["content"];

/** Text and pictures of a result. Links to resources are left out: a model cannot follow them. */
export function contentOf(content: Content, structured: unknown, prefix = ""): Pick<ToolAnswer, "text" | "pictures"> {
  const texts: string[] = [];
  const pictures: Picture[] = [];
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image" && MEDIA_TYPES.includes(block.mimeType)) {
      pictures.push({ media_type: block.mimeType as Picture["media_type"], base64: block.data });
    } else if (block.type === "image" || block.type === "audio") {
      texts.push(`[${block.mimeType} that cannot be shown]`);
    }
  }
  if (texts.length === 0 && structured !== undefined) texts.push(JSON.stringify(structured));
  return { text: prefix + texts.join("\n"), pictures };
}
