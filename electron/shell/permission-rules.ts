import { isOwnPage } from "./navigation-rules.ts";

/** What a beam window may use of the system beside its own files: writing text to the clipboard. No camera, no serial port, no place. */
const GRANTED: ReadonlySet<string> = new Set(["clipboard-sanitized-write"]);

/** Whether a permission is given to who asks for it. */
export function mayUse(permission: string, address: string): boolean {
  return GRANTED.has(permission) && isOwnPage(address);
}
