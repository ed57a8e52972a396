import { useCallback, useEffect, useMemo, useState } from "react";
import { VirtualList } from "../../controls/virtual-list.tsx";
import type { RecordSummary } from "../../../main/contract/window-verbs.ts";
import { useDesk } from "../../store/desk.ts";
import { plusMinus } from "../../store/format.ts";
import { useRuns } from "../../store/runs-store.ts";
import { VERDICT_WORDS } from "../../store/words.ts";

/** Height of a usual row, until it was seen. */
const ROW_PX = 86;
const STATES = ["finished", "abandoned", "open", "interrupted", "expired", "damaged"] as const;

/** Kept runs, newest first, with a search over everything that a row says. */
export function RecordList() {
  const desk = useDesk();
  const { records, record, compared } = useRuns();
  const [search, setSearch] = useState("");
  const [state, setState] = useState<string>("all");
  const load = useCallback((): void => {
    desk.call("list_records", {}).then(
      (answer) => {
        useRuns.setState({ records: answer.records });
      },
      (error: unknown) => {
        desk.tell(error);
      },
    );
  }, [desk]);
  useEffect(() => {
    load();
    return desk.onRecords(load);
  }, [desk, load]);
  const canCompare = records?.some((one) => one.record === record && one.state !== "damaged") === true;
  const shown = useMemo(() => {
    const words = search
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    return (records ?? []).filter(
      (one) => (state === "all" || one.state === state) && words.every((word) => textOf(one).includes(word)),
    );
  }, [records, search, state]);
  return (
    <section className="record-list" aria-label="Kept runs">
      <div className="record-filter">
        <input
          type="search"
          aria-label="Search runs"
          placeholder="Bench, driver, verdict, date …"
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
          }}
        />
        <select
          aria-label="State of the runs"
          value={state}
          onChange={(event) => {
            setState(event.currentTarget.value);
          }}
        >
          <option value="all">all states</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <button
          type="button"
          title="A run that lies elsewhere: a copy from another machine, an archive (O)"
          onClick={() => void desk.openRecord()}
        >
          Open a folder …
        </button>
      </div>
      {records !== undefined && shown.length === 0 ? (
        <p className="dim record-none">
          {records.length === 0
            ? "No run is kept yet. Finish one on the bench, or open the folder of a run."
            : "No run fits the search."}
        </p>
      ) : (
        <VirtualList items={shown} keyOf={(one) => one.record} estimate_px={ROW_PX} label="Runs" className="records">
          {(one) => (
            <div className={one.record === record ? "record record-chosen" : "record"}>
              <button
                type="button"
                className="record-main"
                aria-pressed={one.record === record}
                onClick={() => {
                  useRuns.setState({ record: one.record, compared: undefined });
                }}
              >
                <RecordRow record={one} />
              </button>
              {canCompare && one.record !== record && one.state !== "damaged" ? (
                <button
                  type="button"
                  className="small record-compare"
                  aria-pressed={one.record === compared}
                  onClick={() => {
                    useRuns.setState({ compared: one.record === compared ? undefined : one.record });
                  }}
                >
                  {one.record === compared ? "Compared" : "Compare"}
                </button>
              ) : null}
            </div>
          )}
        </VirtualList>
      )}
      <p className="record-count dim">
        {records === undefined ? "Reading …" : `${shown.length} of ${records.length} runs`}
      </p>
    </section>
  );
}

function RecordRow({ record }: { record: RecordSummary }) {
  const tone =
    record.state === "damaged"
      ? "tone-bad"
      : record.verdict === "iso_compliant"
        ? "tone-good"
        : record.verdict === undefined
          ? "dim"
          : "tone-warning";
  return (
    <>
      <span className="record-top">
        <span className="number">{when(record)}</span>
        <span className="dim">{record.state === "damaged" ? "" : record.drivers.join(", ") || "nobody"}</span>
        <Origin simulated={record.simulated} />
      </span>
      <span className="record-middle">
        <span className={tone}>{record.verdict === undefined ? record.state : VERDICT_WORDS[record.verdict]}</span>
        {record.m2_x === undefined && record.m2_y === undefined ? null : (
          <span className="number">
            <span className="tone-x">{plusMinus(record.m2_x, record.u_m2_x)}</span>{" "}
            <span className="tone-y">{plusMinus(record.m2_y, record.u_m2_y)}</span>
          </span>
        )}
      </span>
      <span className="record-bottom dim">
        {record.state === "damaged"
          ? [record.bench, record.record].filter((word) => word !== "").join(" · ")
          : `${record.case === undefined ? record.bench : `${record.plan ?? ""} ${record.case}`} · ${record.measurements} measured · ${record.events} events`}
      </span>
      {record.problem === undefined ? null : <span className="tone-bad">{record.problem}</span>}
    </>
  );
}

const ORIGIN_WORDS = { simulated: "simulated", real: "real", unknown: "origin unknown" } as const;

function originOf(simulated: boolean | undefined): keyof typeof ORIGIN_WORDS {
  return simulated === undefined ? "unknown" : simulated ? "simulated" : "real";
}

function Origin({ simulated }: { simulated: boolean | undefined }) {
  const origin = originOf(simulated);
  const words = ORIGIN_WORDS[origin];
  if (origin === "real") return <strong>{words}</strong>;
  return <span className={origin === "simulated" ? "record-simulated" : "dim"}>{words}</span>;
}

/** Local time, to the minute. */
export function when({ started }: Pick<RecordSummary, "started">): string {
  if (started === undefined) return "–";
  const date = new Date(started);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function textOf(record: RecordSummary): string {
  const { bench, drivers, verdict, state, note = "", plan = "", problem = "" } = record;
  const words = verdict === undefined ? "" : `${verdict} ${VERDICT_WORDS[verdict]}`;
  return [
    record.record,
    when(record),
    bench,
    ...drivers,
    words,
    state,
    note,
    plan,
    record.case ?? "",
    problem,
    ORIGIN_WORDS[originOf(record.simulated)],
  ]
    .join(" ")
    .toLowerCase();
}
