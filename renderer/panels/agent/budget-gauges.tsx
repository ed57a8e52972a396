import type { BudgetLeft } from "../../../main/contract/tools.ts";
import { Reading, Section } from "../../controls/controls.tsx";
import { clockTime, significant } from "../../store/format.ts";
import type { RunState } from "../../store/run-state.ts";

const BUDGETS: readonly { readonly key: keyof BudgetLeft; readonly label: string; readonly unit?: string }[] = [
  { key: "calls", label: "Calls" },
  { key: "positions", label: "Positions" },
  { key: "darks", label: "Darks" },
  { key: "exposure_s", label: "Exposure", unit: "s" },
  { key: "travel_mm", label: "Travel", unit: "mm" },
  { key: "views", label: "Pictures" },
];

/** What the run may still use up, and how the callers behaved. */
export function BudgetGauges({ state }: { state: RunState }) {
  const limited = BUDGETS.filter(({ key }) => state.budgets[key] !== undefined);
  return (
    <Section title="Budgets">
      {limited.length === 0 ? <p className="dim">Nothing is limited in this run.</p> : null}
      {limited.map(({ key, label, unit }) => {
        const whole = state.budgets[key] ?? 0;
        const left = state.budgetLeft[key] ?? whole;
        const share = whole > 0 ? left / whole : 0;
        return (
          <div key={key} className="gauge">
            <span>{label}</span>
            <meter value={share} min={0} max={1} low={0.2} optimum={1} aria-label={`${label} left`} />
            <span className="number">
              {significant(left, 3)} of {significant(whole, 3)} {unit ?? ""}
            </span>
          </div>
        );
      })}
      <dl className="readings">
        <Reading label="Calls" value={String(state.calls)} />
        <Reading label="Bench time" value={clockTime(state.t_ms)} />
        <Reading
          label="Pictures seen"
          value={`${state.viewsConfirmed}/${state.views}`}
          tone={state.viewsConfirmed < state.views ? "warning" : undefined}
          title="Pictures whose code came back, of those that were given"
        />
        <Reading
          label="Refused"
          value={String(state.refusedLimits)}
          tone={state.refusedLimits > 0 ? "warning" : undefined}
          title="Calls that a limit, zone or budget refused"
        />
      </dl>
    </Section>
  );
}
