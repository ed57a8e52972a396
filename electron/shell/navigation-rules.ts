import { APP_ORIGIN } from "./app-scheme.ts";

/** Whether the window may go there: nowhere but to its own page. */
export function mayNavigate(address: string): boolean {
  return isOwnPage(address);
}

/** Whether a frame, worker or message comes from the window's own page. Compared as a whole origin, never by a part of it. */
export function isOwnPage(address: string): boolean {
  try {
    const url = new URL(address);
    // A scheme that is not built in has the origin "null" outside Chromium, so it is put together from its parts.
    return `${url.protocol}//${url.host}` === APP_ORIGIN;
  } catch {
    return false;
  }
}

/** Hosts whose pages the program's own texts link to. */
const LINKED_HOSTS: ReadonlySet<string> = new Set(["modelcontextprotocol.io", "www.iso.org"]);

/** What becomes of a request for a new window: never a window; known addresses open in the person's browser. */
export function newWindowRule(address: string): "browser" | "nothing" {
  try {
    const url = new URL(address);
    return url.protocol === "https:" && url.username === "" && LINKED_HOSTS.has(url.host) ? "browser" : "nothing";
  } catch {
    return "nothing";
  }
}
