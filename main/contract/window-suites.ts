import { z } from "zod";
import { suiteResultsSchema } from "./suite-results.ts";

/** A suite's run in a list: questions, ladder or procedures, as its `results.json` tells. */
export const suiteListingSchema = z.object({
  suite_run: z.string().describe("Its folder below the folder of the runs"),
  suite: suiteResultsSchema.shape.suite,
  stamp: z.string(),
  contenders: z.array(z.string()),
  graded: z.number().int().nonnegative(),
  passed: z.number().int().nonnegative(),
});
export type SuiteListing = z.infer<typeof suiteListingSchema>;
