import type { BenchSession, BenchSessionOptions } from "./bench-session.ts";

/** Opens a run on a bench: reads the instruments' state and writes the first event. */
export async function createBenchSession(options: BenchSessionOptions): Promise<BenchSession> {
  throw new Error(`${options.bench}: not there yet`);
}
