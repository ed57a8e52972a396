import type { AxisResult } from "../contract/axis-result.ts";

/** Whether there is an M² and a beam can have it. */
export function isResult(axis: AxisResult): boolean {
  return axis.determined && !axis.flags.some((flag) => flag.code === "m2_below_one");
}

const FLAG_WORDS = {
  m2_below_one: "not a valid result: M² + 2 u is below 1, which no beam can have; check widths, units and positions",
  general_astigmatism: "the axes turn along the beam (general astigmatism)",
  waist_outside_positions: "the waist lies outside the positions",
  poor_fit: "the widths scatter more than their uncertainties allow",
} as const;

/** An axis in words and figures, for a person at a terminal. */
export function axisText(name: string, axis: AxisResult): string {
  const warnings = axis.flags.map(
    ({ code, value, limit }) => `   ! ${FLAG_WORDS[code]} (${rounded(value)}, limit ${rounded(limit)})`,
  );
  if (!axis.determined) return [`${name}  M² not determined: ${axis.why}`, ...warnings].join("\n");
  const head = isResult(axis) ? `M² ${measured(axis.m2, axis.u_m2)}` : `no valid M² (${measured(axis.m2, axis.u_m2)})`;
  const coverage = axis.iso_coverage
    ? "ISO positions complete"
    : `ISO positions incomplete: ${axis.missing.join("; ")}`;
  return [
    `${name}  ${head}   d0 ${measured(axis.d0_um, axis.u_d0_um)} µm   z0 ${measured(axis.z0_mm, axis.u_z0_mm)} mm   Θ ${measured(axis.divergence_mrad, axis.u_divergence_mrad)} mrad   zR ${measured(axis.rayleigh_mm, axis.u_rayleigh_mm)} mm`,
    `   weights ${axis.weights}${axis.chi2_ndf === undefined ? "" : `, χ²/ν ${rounded(axis.chi2_ndf)}`}; ${axis.positions} positions, ${axis.near} near, ${axis.far} far`,
    `   ${coverage}`,
    ...warnings,
  ].join("\n");
}

/** Value and standard uncertainty to two digits of the uncertainty. */
function measured(value: number, u: number): string {
  if (!(u > 0)) return rounded(value);
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(u))));
  return `${value.toFixed(decimals)} ± ${u.toFixed(decimals)}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(4)));
}
