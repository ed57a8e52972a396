import { useEffect, useState } from "react";
import type { PageOutput } from "../../../main/contract/window-verbs.ts";
import { EmptyState } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { clockTime, fixed } from "../../store/format.ts";
import { useRuns } from "../../store/runs-store.ts";
import { CausticPlot } from "../caustic/caustic-plot.tsx";
import { ExportRow } from "../caustic/export-row.tsx";
import { MeasurementFrame } from "../caustic/measurement-frame.tsx";
import { MeasurementTable } from "../caustic/measurement-table.tsx";
import { ResultCard } from "../caustic/result-card.tsx";
import { Timeline } from "../timeline/timeline.tsx";
import { GradeDialog } from "./grade-dialog.tsx";
import { useCausticAt, useRecord } from "./use-record.ts";

/** Events per second while it plays. */
const PLAY_HZ = 12;

/** One kept run, event by event. */
export function Replay({ record }: { record: string }) {
  const desk = useDesk();
  const opened = useRecord(record);
  const started = useRuns(({ records }) => records?.find((one) => one.record === record)?.started);
  const [cursor, setCursor] = useState<number>();
  const [playing, setPlaying] = useState(false);
  const [selected, setSelected] = useState<string>();
  /** Which frame of which measurement is looked at, where it is not the last one. */
  const [frame, setFrame] = useState<{ readonly of: string; readonly index: number }>();
  const [graded, setGraded] = useState<PageOutput<"grade_record">>();
  const last = (opened?.events.length ?? 0) - 1;
  const seq = Math.min(cursor ?? last, last);
  const caustic = useCausticAt(opened, seq);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      setCursor((before) => Math.min(last, (before ?? last) + 1));
    }, 1000 / PLAY_HZ);
    return () => {
      clearInterval(timer);
    };
  }, [playing, last]);
  useEffect(() => {
    if (playing && seq >= last) setPlaying(false);
  }, [playing, seq, last]);
  if (opened === undefined || opened.loading) return <EmptyState title="Reading the run …" />;
  if (opened.failure !== undefined)
    return (
      <EmptyState title="This run cannot be read">
        <p>{opened.failure}</p>
      </EmptyState>
    );
  if (opened.events.length === 0)
    return (
      <EmptyState title="This run holds no event">
        <p>Whoever wrote it ended before anything was done. There is nothing to walk through.</p>
      </EmptyState>
    );
  const state = opened.at(seq);
  const shown = selected ?? state.measurements.at(-1)?.measurement;
  const index = frame !== undefined && frame.of === shown ? frame.index : undefined;
  const go = (next: number): void => {
    setPlaying(false);
    setCursor(Math.max(0, Math.min(last, next)));
  };
  const jump = (by: 1 | -1): void => {
    for (let index = seq + by; index >= 0 && index <= last; index += by) {
      if (opened.events[index]?.type === "measurement_taken") {
        go(index);
        return;
      }
    }
    go(by > 0 ? last : 0);
  };
  return (
    <div className="replay">
      <div className="scrubber">
        <button
          type="button"
          aria-label="Measurement before"
          title="Measurement before"
          onClick={() => {
            jump(-1);
          }}
        >
          «
        </button>
        <button
          type="button"
          className="scrub-play"
          onClick={() => {
            if (!playing && seq >= last) setCursor(0);
            setPlaying(!playing);
          }}
        >
          {playing ? "Pause" : "Play"}
        </button>
        <button
          type="button"
          aria-label="Next measurement"
          title="Next measurement"
          onClick={() => {
            jump(1);
          }}
        >
          »
        </button>
        <input
          type="range"
          className="grow"
          aria-label="Event"
          aria-valuetext={`Event ${seq} of ${last}, ${clockTime(state.t_ms)}`}
          min={0}
          max={last}
          value={seq}
          onChange={(event) => {
            go(event.currentTarget.valueAsNumber);
          }}
        />
        <span className="number scrub-place">
          {clockTime(state.t_ms)}{" "}
          <span className="dim">
            event {seq} of {last}
          </span>
        </span>
        <button
          type="button"
          title="Checks that every line of the log follows from the one before"
          onClick={() =>
            void desk.attempt(async () => {
              const answer = await desk.call("verify_record", { record });
              desk.tell(`${answer.sound ? "Sound" : "Damaged"}: ${answer.message}`, answer.sound ? "good" : "bad");
            })
          }
        >
          Verify
        </button>
        <button
          type="button"
          title="Holds the run against what was expected of it, by today's grader"
          onClick={() =>
            void desk.attempt(async () => {
              setGraded(await desk.call("grade_record", { record }));
            })
          }
        >
          Grade again
        </button>
      </div>
      <div className="replay-now">
        <CausticPlot
          state={state}
          caustic={caustic}
          selected={shown}
          onSelect={setSelected}
          title={`As it was at ${clockTime(state.t_ms)}`}
        />
        <div className="replay-lower">
          <MeasurementTable state={state} caustic={caustic} selected={shown} onSelect={setSelected} onUse={undefined} />
          <MeasurementFrame
            source={opened.source}
            measurement={state.measurements.find((one) => one.measurement === shown)}
            index={index}
            onIndex={(next) => {
              if (shown !== undefined) setFrame({ of: shown, index: next });
            }}
          />
        </div>
      </div>
      <div className="replay-side">
        <dl className="replay-facts">
          <div>
            <dt>Stage</dt>
            <dd className="number">{fixed(state.zActual_mm, 3)} mm</dd>
          </div>
          <div>
            <dt>Exposure</dt>
            <dd className="number">{fixed(state.exposure_ms, 2)} ms</dd>
          </div>
          <div>
            <dt>Driver</dt>
            <dd>{state.holder?.name ?? "nobody"}</dd>
          </div>
        </dl>
        <ResultCard state={state} caustic={caustic} />
        <div className="section">
          <ExportRow
            run={{
              source: opened.source,
              kept: { record, ...(started === undefined ? {} : { started }) },
              state,
              caustic,
            }}
            selected={shown}
            index={index}
          />
        </div>
        <Timeline
          source={opened.source}
          entries={state.timeline}
          follow
          onPick={go}
          current={state.timeline.at(-1)?.seq}
        />
      </div>
      {graded === undefined ? null : (
        <GradeDialog
          graded={graded}
          onClose={() => {
            setGraded(undefined);
          }}
        />
      )}
    </div>
  );
}
