import { z } from "zod";

const timing = z.object({
  runs: z.number().int().positive(),
  least_ms: z.number().nonnegative(),
  lower_quartile_ms: z.number().nonnegative(),
  median_ms: z.number().nonnegative(),
  upper_quartile_ms: z.number().nonnegative(),
  p99_ms: z.number().nonnegative(),
});

const entrySchema = z.object({
  name: z.string(),
  timing,
  /**
   * Over the reference, which ran in turn with it: of the fastest runs, which other work on the machine disturbs least, or of the medians of
   * tool calls.
   */
  ratio: z.object({ to: z.string(), value: z.number().positive() }).optional(),
  /** What a time does not tell, by name with its unit. */
  figures: z.record(z.string(), z.number()).optional(),
});

/** One line of the table. */
export type Entry = z.infer<typeof entrySchema>;

/** What `caustic bench --json` prints and `--baseline` reads. */
export const benchReportSchema = z.object({
  version: z.string(),
  node: z.string(),
  processor: z.string(),
  /** Runnable processes per core in the minute before, as the system counts them. */
  load_per_core: z.number().nonnegative(),
  kernel: z.string(),
  entries: z.array(entrySchema),
});
export type BenchReport = z.infer<typeof benchReportSchema>;
