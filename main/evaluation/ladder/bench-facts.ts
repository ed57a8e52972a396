import type { ToolOutput } from "../../contract/tools.ts";
import { type Fact, fact } from "./fact.ts";
import { factsOfFit } from "./registry.ts";

type Bench = Pick<ToolOutput<"bench_open">, "limits_mm" | "exposure_range_ms" | "keep_out_zones">;
type Status = ToolOutput<"bench_status">;

/** Whether the bench's limits let the stage go to a place, from where it stands. */
export function isReachable(z_mm: number, from_mm: number | undefined, bench: Bench): boolean {
  const { min, max } = bench.limits_mm;
  if (!(z_mm >= min && z_mm <= max)) return false;
  return bench.keep_out_zones.every(({ from_mm: low, to_mm: high, passing }) => {
    if (z_mm >= low && z_mm <= high) return false;
    if (passing === "allowed" || from_mm === undefined) return true;
    return !(Math.min(from_mm, z_mm) < low && Math.max(from_mm, z_mm) > high);
  });
}

export const isExposable = (exposure_ms: number, { exposure_range_ms: { min, max } }: Bench): boolean =>
  exposure_ms >= min && exposure_ms <= max;

/** What holds on the bench, out of its status and, where there is one, its fit. */
export function factsOf(status: Status, fit: unknown): Fact[] {
  const facts: Fact[] = [];
  if (status.z_requested_mm !== undefined) facts.push(fact("at", status.z_requested_mm));
  if (status.exposure_ms !== undefined) facts.push(fact("exposure", status.exposure_ms));
  for (const { exposure_ms } of status.darks ?? []) facts.push(fact("dark", exposure_ms));
  const measurements = status.measurements ?? [];
  for (const one of measurements) {
    facts.push(fact("exists", one.measurement));
    facts.push(fact(one.use === "used" ? "used" : "rejected", one.measurement));
    facts.push(fact("measured", one.z_requested_mm), fact("measured", one.z_requested_mm, one.exposure_ms));
  }
  const kept = measurements.filter((one) => one.use === "used");
  if (kept.every((one) => one.flags.every((flag) => flag.code !== "saturated"))) facts.push("none_saturated");
  if (kept.every((one) => one.grade !== "refused")) facts.push("none_refused");
  return [...new Set([...facts, ...factsOfFit(fit)])];
}

/** Facts that hold by the limits alone, so far as anybody asks for them. */
export function holdsByLimits(one: Fact, from_mm: number | undefined, bench: Bench): boolean {
  const asked = /^(reachable|exposable)\((.+)\)$/.exec(one);
  if (asked === null) return false;
  const value = Number(asked[2]);
  return asked[1] === "reachable" ? isReachable(value, from_mm, bench) : isExposable(value, bench);
}
