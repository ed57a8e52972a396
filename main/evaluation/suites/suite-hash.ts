import { createHash } from "node:crypto";
import { canonicalJson } from "../../store/canonical-json.ts";

/**
 * SHA-256, in 64 hexadecimal digits, of the tasks of a suite or of one of them: of their canonical JSON. What JSON leaves out, such as
 * members that are undefined, counts for nothing.
 *
 * @throws TypeError for what JSON cannot say at all.
 */
export const suiteHash = (tasks: unknown): string =>
  createHash("sha256")
    .update(canonicalJson(JSON.parse(JSON.stringify(tasks))))
    .digest("hex");
