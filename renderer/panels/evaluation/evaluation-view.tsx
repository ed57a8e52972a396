import { useCallback, useEffect, useState } from "react";
import type { EvaluationListing, EvaluationState } from "../../../main/contract/window-evaluation.ts";
import { EmptyState, Toggle } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { EvaluationHead } from "./evaluation-head.tsx";
import { GroupMatrix } from "./group-matrix.tsx";
import { GroupResults } from "./group-results.tsx";
import { RunningCases } from "./running-cases.tsx";
import { blindNames } from "./blind-names.ts";

/** An evaluation as its folder tells it, while it runs and afterwards. */
export function EvaluationView() {
  const desk = useDesk();
  const [list, setList] = useState<readonly EvaluationListing[]>();
  const [chosen, setChosen] = useState<string>();
  const [shown, setShown] = useState<{ evaluation: string; state?: EvaluationState; failure?: string }>();
  const [blind, setBlind] = useState(false);
  const evaluation = chosen ?? list?.[0]?.evaluation;
  const load = useCallback((): void => {
    desk.call("list_evaluations", {}).then(
      (answer) => {
        setList(answer.evaluations);
      },
      (error: unknown) => {
        desk.tell(error);
      },
    );
  }, [desk]);
  useEffect(() => {
    load();
  }, [load]);
  useEffect(() => {
    let current = true;
    const read = (): void => {
      if (evaluation === undefined) return;
      desk.call("evaluation", { evaluation }).then(
        (answer) => {
          if (current) setShown({ evaluation, state: answer });
        },
        (error: unknown) => {
          if (current) setShown({ evaluation, failure: error instanceof Error ? error.message : String(error) });
        },
      );
    };
    read();
    const end = desk.onEvaluation((changed) => {
      if (changed === undefined || changed === evaluation) read();
      if (changed !== evaluation) load();
    });
    return () => {
      current = false;
      end();
    };
  }, [desk, evaluation, load]);
  if (list === undefined) return <EmptyState title="Reading the evaluations …" />;
  if (list.length === 0) {
    return (
      <EmptyState title="No evaluation yet">
        <p>
          An evaluation runs a pre-registered plan of cases against several contenders and judges them by what the log
          shows. Start one in a terminal; it appears here at once and can be watched live. Watching cannot change it.
        </p>
        <code>npx caustic eval tasks/plans/beam-quality.yaml --by scripted,naive --exploratory</code>
      </EmptyState>
    );
  }
  const choice = (
    <label className="row">
      <span className="visually-hidden">Evaluation</span>
      <select
        value={evaluation}
        onChange={(event) => {
          setChosen(event.currentTarget.value);
        }}
      >
        {list.map((one) => (
          <option key={one.evaluation} value={one.evaluation}>
            {one.evaluation} ({one.state})
          </option>
        ))}
      </select>
    </label>
  );
  if (shown === undefined || shown.evaluation !== evaluation || shown.state === undefined) {
    // Another one can be chosen while this one does not come.
    const failure = shown?.evaluation === evaluation ? shown?.failure : undefined;
    return (
      <EmptyState title={failure === undefined ? "Reading the evaluation …" : "This evaluation cannot be read"}>
        {failure === undefined ? null : <p>{failure}</p>}
        {list.length > 1 ? choice : null}
      </EmptyState>
    );
  }
  const { state } = shown;
  const names = blindNames(state, blind);
  return (
    <div className="evaluation">
      <EvaluationHead
        state={state}
        choice={
          <span className="row">
            {choice}
            <Toggle
              pressed={blind}
              onChange={setBlind}
              title="Hides which contender is which until all of a group is done"
            >
              Blind
            </Toggle>
          </span>
        }
      />
      <div className="evaluation-main scroll" tabIndex={0} role="region" aria-label="Cases">
        {state.groups.map((group) => (
          <GroupMatrix key={group.group} state={state} group={group} nameOf={names(group.group)} />
        ))}
      </div>
      <aside className="evaluation-side scroll" aria-label="Results" tabIndex={-1}>
        <RunningCases state={state} namesOf={names} />
        <GroupResults state={state} namesOf={names} />
      </aside>
    </div>
  );
}
