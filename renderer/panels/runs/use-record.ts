import { useEffect, useMemo, useRef, useState } from "react";
import type { BenchEvent } from "../../../main/contract/events.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { useDesk } from "../../store/desk.ts";
import { type RunState, RunStates } from "../../store/run-state.ts";

export interface OpenRecord {
  readonly source: string;
  readonly events: readonly BenchEvent[];
  readonly loading: boolean;
  readonly failure: string | undefined;
  /** The run after event `seq`. */
  readonly at: (seq: number) => RunState;
}

/** The events of a kept run, fetched once. They arrive in parts; the states are those of what has arrived. */
export function useRecord(record: string | undefined): OpenRecord | undefined {
  const desk = useDesk();
  const [events, setEvents] = useState<readonly BenchEvent[]>([]);
  const [loading, setLoading] = useState(true);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    setEvents([]);
    setLoading(true);
    setFailure(undefined);
    if (record === undefined) return;
    const arrived: BenchEvent[] = [];
    return desk.connection.watch(
      `record:${record}`,
      0,
      (next, more) => {
        arrived.push(...next);
        // Drawn once at the end: a long run comes in dozens of parts.
        if (more) return;
        setEvents([...arrived]);
        setLoading(false);
      },
      (error) => {
        setFailure(error.message);
        setLoading(false);
      },
    );
  }, [desk, record]);
  const states = useMemo(() => new RunStates(events), [events]);
  return useMemo(
    () =>
      record === undefined
        ? undefined
        : { source: `record:${record}`, events, loading, failure, at: (seq: number) => states.at(seq) },
    [record, events, loading, failure, states],
  );
}

/** Events after which a caustic is drawn anew. */
function lastChange(events: readonly BenchEvent[], seq: number): number {
  for (let index = Math.min(seq, events.length - 1); index >= 0; index--) {
    const type = events[index]?.type;
    if (type === "measurement_taken" || type === "measurement_use_changed") return index;
  }
  return -1;
}

/** The caustic as it stood at an event; while another one is fetched, the one before stays. */
export function useCausticAt(record: OpenRecord | undefined, seq: number): CausticDrawing | undefined {
  const desk = useDesk();
  const kept = useRef(new Map<string, CausticDrawing>());
  const [drawing, setDrawing] = useState<CausticDrawing>();
  const source = record?.source;
  const change = record === undefined ? -1 : lastChange(record.events, seq);
  useEffect(() => {
    if (source === undefined || change < 0) {
      setDrawing(undefined);
      return;
    }
    const key = `${source} ${change}`;
    const known = kept.current.get(key);
    if (known !== undefined) {
      setDrawing(known);
      return;
    }
    let current = true;
    desk.call("caustic", { source, seq: change }).then(
      (caustic) => {
        kept.current.set(key, caustic);
        if (current) setDrawing(caustic);
      },
      (error: unknown) => {
        desk.tell(error);
      },
    );
    return () => {
      current = false;
    };
  }, [desk, source, change]);
  return drawing;
}
