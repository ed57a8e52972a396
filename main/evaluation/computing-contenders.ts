import { SCRIPTS } from "../contenders/index.ts";

/**
 * Contenders that only compute: they run in processes of their own, as many at a time as there are jobs, and do the same each time.
 */
export const COMPUTING: ReadonlySet<string> = new Set([...Object.keys(SCRIPTS), "recorded"]);
