import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { contentSecurityPolicy } from "./content-security-policy.ts";

/** The kinds of file that a built page consists of; anything else is not served. */
export const PAGE_FILE_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** The file below `folder` that a path of the page's address means; undefined when it leaves the folder or is of no known kind. */
export function pageFile(folder: string, path: string): { readonly file: string; readonly type: string } | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (decoded.includes("\0") || decoded.includes("\\")) return undefined;
  const relative = normalize(decoded === "/" || decoded === "" ? "index.html" : decoded.replace(/^\/+/, ""));
  if (relative === ".." || relative.startsWith(`..${sep}`)) return undefined;
  const type = PAGE_FILE_TYPES[extname(relative)];
  return type === undefined ? undefined : { file: join(folder, relative), type };
}

/** Serves the built page. Returns false where the request is not for it, so that another route may answer. */
export async function servePage(folder: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const path = (request.url ?? "/").split(/[?#]/, 1)[0] ?? "/";
  const found = pageFile(folder, path);
  if (found === undefined) return false;
  let size: number;
  try {
    const facts = await stat(found.file);
    if (!facts.isFile()) return false;
    size = facts.size;
  } catch {
    return false;
  }
  const host = request.headers.host ?? "";
  response.writeHead(200, {
    "content-type": found.type,
    "content-length": size,
    // Names of built files carry the hash of their content; the page itself does not.
    "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": contentSecurityPolicy([`ws://${host}`]),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
  });
  if (request.method === "HEAD") response.end();
  else
    createReadStream(found.file)
      .on("error", () => response.destroy())
      .pipe(response);
  return true;
}
