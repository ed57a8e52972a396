import { memo } from "react";
import { VirtualList } from "../../controls/virtual-list.tsx";
import type { CallEntry, NoteEntry, TimelineEntry } from "../../store/run-state.ts";
import { clockTime, plusMinus, significant } from "../../store/format.ts";
import { TOOL_WORDS, VERDICT_WORDS } from "../../store/words.ts";
import { ViewPicture } from "./view-picture.tsx";

/** Height of a usual row, until it was seen. */
const ROW_PX = 52;

/** What happened, oldest first: calls with reason and result, pictures, notes, refusals. */
export function Timeline(props: {
  source: string;
  entries: readonly TimelineEntry[];
  /** Stays at the newest entry while the reader is there. */
  follow?: boolean;
  onPick?: (seq: number) => void;
  current?: number | undefined;
}) {
  const { entries, follow = false, source, onPick, current } = props;
  return (
    <VirtualList
      items={entries}
      keyOf={(entry) => entry.seq}
      estimate_px={ROW_PX}
      label="Timeline"
      className="timeline"
      follow={follow}
    >
      {(entry) => <Entry entry={entry} source={source} onPick={onPick} current={entry.seq === current} />}
    </VirtualList>
  );
}

const Entry = memo(function Entry(props: {
  entry: TimelineEntry;
  source: string;
  onPick: ((seq: number) => void) | undefined;
  current: boolean;
}) {
  const { entry, onPick } = props;
  return (
    <div className={`entry ${props.current ? "entry-current" : ""}`} aria-current={props.current ? "step" : undefined}>
      <span className="entry-time number">
        {onPick === undefined ? (
          clockTime(entry.t_ms)
        ) : (
          <button
            type="button"
            className="quiet small number"
            title={`Event ${entry.seq}`}
            onClick={() => {
              onPick(entry.seq);
            }}
          >
            {clockTime(entry.t_ms)}
          </button>
        )}
      </span>
      {entry.kind === "call" ? <Call entry={entry} source={props.source} /> : <Note entry={entry} />}
    </div>
  );
});

function Note({ entry }: { entry: NoteEntry }) {
  const tone = { plain: "dim", good: "tone-good", warning: "tone-warning", bad: "tone-bad" }[entry.tone];
  return (
    <div className={tone}>
      {entry.who === undefined ? null : <strong>{entry.who} </strong>}
      {entry.text}
    </div>
  );
}

function Call({ entry, source }: { entry: CallEntry; source: string }) {
  const running = entry.output === undefined && entry.error === undefined;
  return (
    <div className="call">
      <div className="call-line">
        <span className={`caller caller-${entry.caller.kind}`}>{entry.caller.name}</span>
        <strong>{TOOL_WORDS[entry.tool] ?? entry.tool}</strong>
        <span className="number">{inputWords(entry)}</span>
        <span className="grow" />
        {running ? (
          <span className="tone-warning">running</span>
        ) : entry.error === undefined ? (
          <span className="number call-result">{outputWords(entry)}</span>
        ) : (
          <span className="tone-bad">{entry.error.code.replaceAll("_", " ")}</span>
        )}
      </div>
      {entry.error === undefined ? null : (
        <p className="tone-bad">
          {entry.error.message}. <span className="dim">{entry.error.hint}</span>
        </p>
      )}
      {entry.view === undefined ? null : (
        <ViewPicture source={source} view={entry.view} confirmed={entry.confirmed === true} />
      )}
      <details>
        <summary>{entry.reason ?? "details"}</summary>
        <pre className="scroll">
          {JSON.stringify({ input: entry.input, output: entry.output, error: entry.error }, null, 1)}
        </pre>
      </details>
    </div>
  );
}

function inputWords({ tool, input }: CallEntry): string {
  const number = (key: string, unit: string, digits = 5): string => {
    const value = input[key];
    return typeof value === "number" ? `${significant(value, digits)} ${unit}` : "";
  };
  const word = (key: string): string => {
    const value = input[key];
    return typeof value === "string" ? value : "";
  };
  switch (tool) {
    case "move_to":
      return number("z_mm", "mm");
    case "measure_at":
      return [number("z_mm", "mm"), number("exposure_ms", "ms", 3)].filter((text) => text !== "").join(", ");
    case "set_exposure":
    case "take_darks":
      return number("exposure_ms", "ms", 3);
    case "reject_measurement":
    case "restore_measurement":
      return word("measurement");
    case "view_frame":
      return input["live"] === true ? "live" : word("measurement");
    default:
      return "";
  }
}

function outputWords({ tool, output = {} }: CallEntry): string {
  const number = (key: string): number | undefined => (typeof output[key] === "number" ? output[key] : undefined);
  switch (tool) {
    case "move_to":
      return number("z_actual_mm") === undefined ? "" : `at ${significant(number("z_actual_mm"), 6)} mm`;
    case "measure_at":
      return number("d4sigma_x_um") === undefined
        ? output["grade"] === "refused"
          ? "refused"
          : ""
        : `${plusMinus(number("d4sigma_x_um"), number("u_x_um"))} × ${plusMinus(number("d4sigma_y_um"), number("u_y_um"))} µm`;
    case "set_exposure":
      return `${significant(number("exposure_ms"), 4)} ms`;
    case "take_darks":
      return typeof output["dark"] === "string" ? output["dark"] : "";
    case "fit_caustic":
      return ["x", "y"].map((axis) => `M² ${axis} ${axisWords(output[axis])}`).join(", ");
    case "finish":
      return verdictWords(output["verdict"]);
    default:
      return "";
  }
}

function axisWords(axis: unknown): string {
  if (typeof axis !== "object" || axis === null) return "–";
  const { m2, u_m2 } = axis as { m2?: unknown; u_m2?: unknown };
  return typeof m2 === "number" && typeof u_m2 === "number" ? plusMinus(m2, u_m2) : "not determined";
}

function verdictWords(verdict: unknown): string {
  const known = Object.entries(VERDICT_WORDS).find(([name]) => name === verdict);
  return known === undefined ? "" : known[1];
}
