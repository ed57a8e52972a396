import { useEffect, useState } from "react";
import type { BenchEvent } from "../../../main/contract/events.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import type { EvaluationState } from "../../../main/contract/window-evaluation.ts";
import { Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { applyEvents, EMPTY_RUN, type RunState } from "../../store/run-state.ts";
import { TOOL_WORDS } from "../../store/words.ts";
import { CausticPlot } from "../caustic/caustic-plot.tsx";
import type { NameOf } from "./blind-names.ts";

/** Runs that are watched at once; the others are in the matrix. */
const MOST = 3;
const LOOK_EVERY_MS = 1500;

/** Cases at work, with their caustic as it grows. `namesOf` may hide whose they are. */
export function RunningCases({ state, namesOf }: { state: EvaluationState; namesOf: (group: string) => NameOf }) {
  const running = state.open.filter((one) => one.state === "running" && one.record !== undefined).slice(0, MOST);
  if (running.length === 0) return null;
  return (
    <Section title="At work">
      {running.map((one) => (
        <RunningCase
          key={one.record}
          record={one.record ?? ""}
          title={`${one.case} ${namesOf(groupOf(state, one.case))(one.contender)}`}
        />
      ))}
    </Section>
  );
}

const groupOf = (state: EvaluationState, name: string): string =>
  state.groups.find((group) => group.cases.some((one) => one.case === name))?.group ?? "";

function RunningCase({ record, title }: { record: string; title: string }) {
  const desk = useDesk();
  const [run, setRun] = useState<RunState>(EMPTY_RUN);
  const [caustic, setCaustic] = useState<CausticDrawing>();
  useEffect(() => {
    const source = `record:${record}`;
    const events: BenchEvent[] = [];
    let end: (() => void) | undefined;
    // Another process writes the log: it is read again from where the last look ended.
    const look = (): void => {
      end?.();
      end = desk.connection.watch(
        source,
        events.length,
        (next, more) => {
          events.push(...next);
          if (more) return;
          setRun(applyEvents(EMPTY_RUN, events));
          desk.call("caustic", { source }).then(setCaustic, () => undefined);
        },
        // The run has ended and moved: the matrix shows its row.
        () => undefined,
      );
    };
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      end?.();
    };
  }, [desk, record]);
  const last = run.timeline.findLast((entry) => entry.kind === "call");
  return (
    <div className="running-case">
      <CausticPlot state={run} caustic={caustic} selected={undefined} onSelect={() => undefined} title={title} />
      <p className="dim">
        {run.calls} calls, {run.measurements.length} measured
        {last?.kind === "call" ? `, ${TOOL_WORDS[last.tool] ?? last.tool}` : ""}
      </p>
    </div>
  );
}
