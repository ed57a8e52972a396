import type { AxisResult } from "../contract/axis-result.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { ToolInput } from "../contract/tools.ts";

type Claim = Omit<ToolInput<"finish">, "run" | "image_code">;

/** What keeps an axis from being ISO compliant, in words. */
function lacking(axis: AxisResult): string[] {
  if (!axis.determined) return [`M² is not determined: ${axis.why}`];
  const below = axis.flags.some((flag) => flag.code === "m2_below_one") ? ["M² lies below 1, which no beam has"] : [];
  return [...(axis.iso_coverage ? [] : axis.missing), ...below];
}

/**
 * Refuses a verdict that the measurements do not carry. `iso_compliant` needs both axes determined and covered
 * (ISO 11146-1:2021, 9); other verdicts are the caller's own judgement. Throws `finish_refused` or `bad_argument`.
 */
export function checkFinish(claim: Claim, fit: { readonly x: AxisResult; readonly y: AxisResult }): void {
  const { z_min_mm, z_max_mm } = claim.fault ?? {};
  if (z_min_mm !== undefined && z_max_mm !== undefined && z_min_mm > z_max_mm) {
    throw new BenchError(
      "bad_argument",
      `fault: z_min_mm = ${z_min_mm} exceeds z_max_mm = ${z_max_mm}`,
      "Exchange the two.",
    );
  }
  if (claim.verdict !== "iso_compliant") return;
  const missing = (["x", "y"] as const).flatMap((axis) => lacking(fit[axis]).map((what) => `axis ${axis}: ${what}`));
  if (missing.length === 0) return;
  throw new BenchError(
    "finish_refused",
    `iso_compliant is refused. Missing: ${missing.join("; ")}`,
    "Measure what is missing, or finish with another verdict.",
  );
}
