import { Section } from "../../controls/controls.tsx";
import { Hands } from "../../controls/hands.tsx";
import { useDesk } from "../../store/desk.ts";
import { type FollowedRun, useWindow } from "../../store/window-store.ts";
import { saysNothing } from "../../store/words.ts";
import { ExportRow } from "./export-row.tsx";

/** Ways out: conclude the run, close it, take its results along. */
export function RunEnd({ followed, onFinish }: { followed: FollowedRun; onFinish: () => void }) {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const selected = useWindow((state) => state.selected);
  const { state } = followed;
  const open = !state.closed && state.finished === undefined;
  return (
    <Section title="Run">
      <Hands>
        {open ? (
          <div className="row">
            <button
              type="button"
              className="primary grow"
              disabled={state.measurements.length === 0}
              onClick={onFinish}
            >
              Finish …
            </button>
            <button
              type="button"
              title="Ends the run without a verdict"
              onClick={() => {
                if (run !== undefined) void desk.attempt(() => desk.call("close_run", { run }));
              }}
            >
              Abandon
            </button>
          </div>
        ) : (
          <>
            {state.finished === undefined || saysNothing(state.finished) ? null : (
              <p className="explanation">{state.finished.explanation}</p>
            )}
            <button
              type="button"
              onClick={() => {
                if (run === undefined) return;
                void desk.attempt(async () => {
                  if (!state.closed) await desk.call("close_run", { run });
                  desk.look(undefined);
                  desk.show("bench");
                });
              }}
            >
              Close and open another bench
            </button>
          </>
        )}
      </Hands>
      <ExportRow run={followed} selected={selected} />
    </Section>
  );
}
