import { setTimeout } from "node:timers/promises";
import type { Wait } from "./model-retry.ts";

/** Real time. */
export const realWait: Wait = async (duration_ms, signal) => {
  await setTimeout(duration_ms, undefined, { signal }).catch(() => undefined);
};
