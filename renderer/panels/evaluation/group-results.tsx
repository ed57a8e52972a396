import type { EvaluationState } from "../../../main/contract/window-evaluation.ts";
import { Section } from "../../controls/controls.tsx";
import { fixed, percent } from "../../store/format.ts";
import type { NameOf } from "./blind-names.ts";

/** Rates with their intervals, group by group. */
export function GroupResults({ state, namesOf }: { state: EvaluationState; namesOf: (group: string) => NameOf }) {
  return (
    <>
      {state.groups.map((group) => {
        const rows = state.summary.filter((one) => one.group === group.group && one.graded + one.failed > 0);
        if (rows.length === 0) return null;
        return (
          <Section key={group.group} title={`Results of group ${group.group}`}>
            <table className="rates">
              <thead>
                <tr>
                  <th scope="col">contender</th>
                  <th scope="col">right, 95 %</th>
                  <th scope="col" className="right" title="Median of the absolute error of M²">
                    M² err.
                  </th>
                  <th scope="col" className="right" title="Violations, and attempted ones">
                    viol.
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.contender}>
                    <th scope="row">{namesOf(group.group)(row.contender)}</th>
                    <td>{row.correct === undefined ? "–" : <Rate {...row.correct} />}</td>
                    <td className="number right">{percent(row.m2_error_median, 2)}</td>
                    <td className="number right">
                      {row.violations}/{row.attempted_violations}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Section>
        );
      })}
    </>
  );
}

/** A share with its interval, drawn and in figures. */
export function Rate({
  successes,
  trials,
  rate,
  low,
  high,
}: {
  successes: number;
  trials: number;
  rate: number;
  low: number;
  high: number;
}) {
  const x = (share: number): number => 2 + 96 * share;
  return (
    <span className="rate" title={`${fixed(100 * low, 0)} to ${fixed(100 * high, 0)} %`}>
      <svg viewBox="0 0 100 12" width={100} height={12} aria-hidden="true">
        <line x1={2} x2={98} y1={6} y2={6} className="rate-scale" />
        <line x1={x(low)} x2={x(high)} y1={6} y2={6} className="rate-interval" />
        <circle cx={x(rate)} cy={6} r={3} className="rate-point" />
      </svg>
      <span className="number">
        {successes}/{trials}
      </span>
    </span>
  );
}
