import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import type { Agreement, Repeatability } from "../../contract/evaluation-summary.ts";
import { counted, decimal } from "./figures-text.ts";
import type { ReportTable } from "./report-table.ts";

/** What stands above the tables of a bench. */
export const BENCH_COMPARISON =
  "Each contender against itself, and against the others on the same case. This shows how well runs repeat; what all of them get wrong alike, as a wrong pixel pitch, does not show.";

/** On which bench an evaluation ran, and what its figures can and cannot mean; nothing where all benches were simulated. */
export function benchSentences({ bench, rows }: EvaluationResults): string[] {
  if (bench === undefined) return [];
  const instruments = bench.instruments.map(({ role, what }) => `${role} ${what}`).join("; ");
  const kind =
    bench.kind === "hardware"
      ? "HARDWARE: every instrument of it is real"
      : "EMULATED: at least one instrument of it is simulated or emulated, and nothing measured on it is real";
  const references = new Map(
    rows.flatMap((row) => (row.held_against?.kind === "reference" ? [[row.case, row.held_against] as const] : [])),
  );
  const without = new Set(rows.filter((row) => row.held_against?.kind === "no_reference").map((row) => row.case));
  const stated = (known: { readonly value: number; readonly u: number } | undefined, axis: string): string[] =>
    known === undefined ? [] : [`M² on ${axis} ${known.value} ± ${known.u}`];
  return [
    `Bench ${bench.bench} (${bench.description}). ${kind}. Bench file SHA-256 ${bench.file_sha256}.`,
    `Instruments: ${instruments}.`,
    "The light of a bench cannot be made again: no run of this evaluation was recomputed, and nothing but its own records says that a run is that of its case.",
    ...[...references].map(
      ([name, { m2_x, m2_y, source }]) =>
        `Case ${name} is held against a reference, ${[...stated(m2_x, "x"), ...stated(m2_y, "y")].join(", ")} (${source}); pulls and the uncertainties of errors hold that of the reference too.`,
    ),
    ...(without.size === 0
      ? []
      : [
          `No reference: of ${counted(without.size, "case")} (${[...without].join(", ")}) nobody has told the true M², and no accuracy is stated.`,
        ]),
  ];
}

/** One line for each contender, case and axis. */
export function repeatabilityTable(all: readonly Repeatability[]): ReportTable {
  return {
    columns: ["case", "contender", "runs", "verdicts", "consistent", "M² x", "M² y"],
    rows: all.map((one) => [
      one.case,
      one.contender,
      counted(one.runs, "run"),
      Object.entries(one.verdicts)
        .map(([verdict, times]) => `${times} × ${verdict}`)
        .join(", "),
      one.consistent === undefined ? "–" : one.consistent ? "one verdict" : "verdicts differ",
      meanText(one, "x"),
      meanText(one, "y"),
    ]),
  };
}

function meanText({ m2 }: Repeatability, axis: "x" | "y"): string {
  const one = m2.find((mean) => mean.axis === axis);
  if (one === undefined) return "–";
  const spread = one.deviation === undefined ? "" : `, spread ${decimal(one.deviation, 4)} over ${one.runs}`;
  return `M² ${axis} ${decimal(one.mean, 4)} (stated u ${decimal(one.u_mean, 4)}${spread})`;
}

/** One line for each pair of contenders, case and axis. */
export function agreementTable(all: readonly Agreement[]): ReportTable {
  return {
    columns: ["case", "contenders", "axis", "difference of M²", "in stated u", "verdicts"],
    rows: all.map((one) => [
      one.case,
      `${one.first} – ${one.second}`,
      one.axis,
      `ΔM² ${decimal(one.difference, 4)} ± ${decimal(one.u, 4)}`,
      one.u > 0 ? `${decimal(one.difference / one.u, 1)} u` : "–",
      one.same_verdict ? "one verdict" : "verdicts differ",
    ]),
  };
}
