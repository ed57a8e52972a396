import { accessSync, constants } from "node:fs";

/** Whether this user may read and write there; Windows says so only when the port is opened. */
export function mayUse(path: string): boolean {
  if (process.platform === "win32") return true;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
