import { contentSecurityPolicy } from "../../main/app/window/content-security-policy.ts";
import { pageFile } from "../../main/app/window/page-files.ts";

/** The page's own scheme: a real origin without a port that others could reach, and without the powers of `file:`. */
export const APP_SCHEME = "app";
export const APP_HOST = "caustic";
export const APP_ORIGIN = `${APP_SCHEME}://${APP_HOST}`;

/** What a request of the page gets: a file, or a refusal. */
export type AppAnswer =
  | { readonly status: 200; readonly file: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly status: 403 | 404 | 405 };

/** Decides about one request for `app://caustic/…`. Only files of the built page are served. */
export function answerFor(pageFolder: string, method: string, address: string): AppAnswer {
  if (method !== "GET" && method !== "HEAD") return { status: 405 };
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return { status: 403 };
  }
  if (url.protocol !== `${APP_SCHEME}:` || url.host !== APP_HOST) return { status: 403 };
  const found = pageFile(pageFolder, url.pathname);
  if (found === undefined) return { status: 404 };
  return {
    status: 200,
    file: found.file,
    headers: {
      "content-type": found.type,
      "content-security-policy": contentSecurityPolicy([]),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "same-origin",
    },
  };
}
