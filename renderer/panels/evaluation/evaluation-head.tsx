import { type ReactNode, useState } from "react";
import type { EvaluationState } from "../../../main/contract/window-evaluation.ts";
import { Dialog } from "../../controls/dialog.tsx";
import { fixed } from "../../store/format.ts";

const STATE_WORDS = { running: "running", complete: "complete", stopped: "stopped" } as const;

/** The plan, whether it is registered, how far it is, what it cost. */
export function EvaluationHead({ state, choice }: { state: EvaluationState; choice: ReactNode }) {
  const [open, setOpen] = useState(false);
  const running = state.open.filter((one) => one.state === "running").length;
  return (
    <header className="evaluation-head">
      <div className="row wrap">
        {choice}
        <strong>{state.plan}</strong>
        <code className="dim" title="SHA-256 of the plan">
          {state.plan_hash.slice(0, 12)}
        </code>
        {state.registered ? (
          <span className="badge evaluation-registered">REGISTERED</span>
        ) : (
          <span className="badge evaluation-exploratory" title={state.why_not_registered.join("\n")}>
            NOT REGISTERED
          </span>
        )}
        <span className="grow" />
        <button
          type="button"
          onClick={() => {
            setOpen(true);
          }}
        >
          {state.deviations.length === 0
            ? "No deviations"
            : state.deviations.length === 1
              ? "1 deviation"
              : `${state.deviations.length} deviations`}
        </button>
      </div>
      <p className="dim evaluation-question">{state.question}</p>
      {state.stop_rule === undefined ? null : <p className="dim">Stop rule: {state.stop_rule}</p>}
      <div className="row evaluation-progress">
        <progress value={state.done} max={Math.max(1, state.total)} aria-label="Units done" />
        <span className="number">
          {state.done}/{state.total}
        </span>
        <span className={state.state === "running" ? "tone-warning" : state.state === "complete" ? "tone-good" : "dim"}>
          {STATE_WORDS[state.state]}
          {running > 0 ? `, ${running} at work` : ""}
        </span>
        <span className="dim">
          cost {state.usd_spent === undefined ? "not known" : `$${fixed(state.usd_spent, 2)}`}
          {state.usd_limit === undefined ? "" : ` of $${fixed(state.usd_limit, 0)}`}
        </span>
      </div>
      {open ? (
        <Dialog
          title="Registration and deviations"
          wide
          onClose={() => {
            setOpen(false);
          }}
        >
          <p>
            {state.registered
              ? `Registered: frozen ${state.frozen_on ?? ""}, commit ${state.commit?.slice(0, 12) ?? ""}.`
              : `Not registered: ${state.why_not_registered.join("; ")}.`}
          </p>
          <p className="dim">Stop rule: {state.stop_rule ?? "none"}</p>
          {state.deviations.length === 0 ? <p>No deviations from the plan are recorded.</p> : null}
          <ul className="stack">
            {state.deviations.map((deviation) => (
              <li key={`${deviation.date} ${deviation.what}`}>
                <strong>{deviation.date}</strong> {deviation.what} <span className="dim">{deviation.why}</span>{" "}
                {deviation.results_seen ? <span className="tone-warning">results had been seen</span> : null}
              </li>
            ))}
          </ul>
        </Dialog>
      ) : null}
    </header>
  );
}
