import { useEffect, useState } from "react";
import { SUITE_TITLES } from "../../../main/contract/suite-check-text.ts";
import type { SuiteListing } from "../../../main/contract/window-suites.ts";
import { useDesk } from "../../store/desk.ts";
import { EvaluationView } from "./evaluation-view.tsx";
import { SuiteView } from "./suite-view.tsx";

/** Evaluations by plan, and the results of suites where there are any. */
export function EvaluationPanel() {
  const desk = useDesk();
  const [suites, setSuites] = useState<readonly SuiteListing[]>([]);
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    let current = true;
    const load = (): void => {
      desk.call("list_suites", {}).then(
        (answer) => {
          if (current) setSuites(answer.suites);
        },
        (error: unknown) => {
          desk.tell(error);
        },
      );
    };
    load();
    // Suites are run in a terminal: who comes back from there sees what is new.
    window.addEventListener("focus", load);
    return () => {
      current = false;
      window.removeEventListener("focus", load);
    };
  }, [desk]);
  if (suites.length === 0) return <EvaluationView />;
  return (
    <div className="evaluation-panel">
      <div className="row evaluation-kind">
        <span className="dim" aria-hidden="true">
          Show
        </span>
        <select
          aria-label="What is shown"
          value={chosen}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
          }}
        >
          <option value="">Evaluation by plan</option>
          {suites.map((one) => (
            <option key={one.suite_run} value={one.suite_run}>
              {`${SUITE_TITLES[one.suite]}, ${one.stamp} (${one.passed} of ${one.graded} passed)`}
            </option>
          ))}
        </select>
      </div>
      {chosen === "" ? <EvaluationView /> : <SuiteView key={chosen} suiteRun={chosen} />}
    </div>
  );
}
