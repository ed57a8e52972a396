import { z } from "zod";
import type { BenchDescription, Measurement } from "../../main/contract/tools.ts";
import type { ScanRequest } from "./scan.ts";
import { evenPositions } from "./scan-plan.ts";

const KEY = "caustic.scan";

const startedScanSchema = z.object({
  run: z.string(),
  /** Measurements of the run before the scan began. */
  before: z.number().int().nonnegative(),
  request: z.object({
    from_mm: z.number(),
    to_mm: z.number(),
    count: z.number().int().nonnegative(),
    frames: z.number(),
    exposure_ms: z.number().optional(),
    complete: z.boolean(),
  }),
});

/** A scan that this tab began, as it is kept over a reload of the page. */
export type StartedScan = Omit<z.infer<typeof startedScanSchema>, "request"> & { readonly request: ScanRequest };

/** Keeps for this tab that a scan is under way: a reload ends it with the page. */
export function keepStartedScan(scan: StartedScan): void {
  sessionStorage.setItem(KEY, JSON.stringify(scan));
}

export function forgetStartedScan(): void {
  sessionStorage.removeItem(KEY);
}

/** The scan of that run which this tab began and did not end; undefined where there is none. */
export function startedScan(run: string): StartedScan | undefined {
  try {
    const kept = startedScanSchema.safeParse(JSON.parse(sessionStorage.getItem(KEY) ?? "null")).data;
    if (kept?.run !== run) return undefined;
    const { exposure_ms, ...request } = kept.request;
    return { ...kept, request: { ...request, ...(exposure_ms === undefined ? {} : { exposure_ms }) } };
  } catch {
    return undefined;
  }
}

/** How far a scan came, and the request that measures what it did not. */
export interface ScanRest {
  readonly measured: number;
  readonly planned: number;
  readonly request: ScanRequest;
}

/** Positions closer than this are the same one. */
const SAME_mm = 0.002;

/** A scan goes through its positions from one end to the other, so that what is left is one stretch of them. */
export function restOfScan(
  { request, before }: StartedScan,
  measurements: readonly Measurement[],
  bench: BenchDescription,
): ScanRest {
  const { from_mm, to_mm, count } = request;
  const planned = evenPositions(from_mm, to_mm, count, bench);
  const done = measurements.slice(before).filter((one) => one.use === "used");
  const left = planned.filter((z_mm) => !done.some((one) => Math.abs(one.z_requested_mm - z_mm) < SAME_mm));
  const step_mm = (to_mm - from_mm) / Math.max(1, count - 1);
  const first_mm = left[0] ?? from_mm;
  const last_mm = left.at(-1) ?? from_mm;
  const steps = step_mm === 0 ? 0 : Math.round((last_mm - first_mm) / step_mm);
  return {
    measured: planned.length - left.length,
    planned: planned.length,
    request: { ...request, from_mm: first_mm, to_mm: last_mm, count: left.length === 0 ? 0 : steps + 1 },
  };
}
