import type { AxisResult } from "../../main/contract/axis-result.ts";
import type { BenchErrorShape } from "../../main/contract/error-codes.ts";
import type { BenchEvent, BenchEventOf, LoggedCaller } from "../../main/contract/events.ts";
import type { BenchDescription, BudgetLeft, Dark, Measurement } from "../../main/contract/tools.ts";

/** One call of a tool with what came of it. */
export interface CallEntry {
  readonly kind: "call";
  readonly seq: number;
  readonly t_ms: number;
  readonly tool: string;
  readonly caller: LoggedCaller;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason: string | undefined;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly error?: BenchErrorShape;
  readonly ended_ms?: number;
  /** The picture that it gave, and whether the caller proved to have seen it. */
  readonly view?: string;
  readonly confirmed?: boolean;
}

/** Anything else that stands in the timeline. */
export interface NoteEntry {
  readonly kind: "note";
  readonly seq: number;
  readonly t_ms: number;
  readonly tone: "plain" | "good" | "warning" | "bad";
  readonly who: string | undefined;
  readonly text: string;
}

export type TimelineEntry = CallEntry | NoteEntry;

export interface FitState {
  readonly seq: number;
  readonly x: AxisResult;
  readonly y: AxisResult;
  readonly used: readonly string[];
  readonly left_out: readonly { readonly measurement: string; readonly why: string }[];
}

/** A run as its events up to `seq` tell it: the same for a run that goes on and for one of years ago. */
export interface RunState {
  /** Of the last event; −1 before the first. */
  readonly seq: number;
  readonly t_ms: number;
  readonly simulated: boolean;
  readonly description: BenchDescription | undefined;
  readonly budgets: BudgetLeft;
  readonly budgetLeft: BudgetLeft;
  readonly holder: LoggedCaller | undefined;
  readonly paused: boolean;
  readonly zRequested_mm: number | undefined;
  readonly zActual_mm: number | undefined;
  readonly moving: boolean;
  readonly limitState: "inside" | "at_lower_limit" | "at_upper_limit";
  readonly exposure_ms: number;
  readonly exposureRequested_ms: number;
  readonly beamBlocked: boolean;
  readonly measurements: readonly Measurement[];
  /** Event of each measurement, for going there. */
  readonly measurementSeq: ReadonlyMap<string, number>;
  readonly rejectedWhy: ReadonlyMap<string, string>;
  readonly darks: readonly Dark[];
  readonly fit: FitState | undefined;
  readonly timeline: readonly TimelineEntry[];
  readonly callers: readonly LoggedCaller[];
  readonly calls: number;
  readonly views: number;
  readonly viewsConfirmed: number;
  readonly refusedLimits: number;
  readonly finished: BenchEventOf<"finished"> | undefined;
  readonly closed: boolean;
}

export const EMPTY_RUN: RunState = {
  seq: -1,
  t_ms: 0,
  simulated: false,
  description: undefined,
  budgets: {},
  budgetLeft: {},
  holder: undefined,
  paused: false,
  zRequested_mm: undefined,
  zActual_mm: undefined,
  moving: false,
  limitState: "inside",
  exposure_ms: 0,
  exposureRequested_ms: 0,
  beamBlocked: false,
  measurements: [],
  measurementSeq: new Map(),
  rejectedWhy: new Map(),
  darks: [],
  fit: undefined,
  timeline: [],
  callers: [],
  calls: 0,
  views: 0,
  viewsConfirmed: 0,
  refusedLimits: 0,
  finished: undefined,
  closed: false,
};

type Draft = { -readonly [Key in keyof RunState]: RunState[Key] } & {
  timeline: TimelineEntry[];
  measurements: Measurement[];
  darks: Dark[];
  callers: LoggedCaller[];
  measurementSeq: Map<string, number>;
  rejectedWhy: Map<string, string>;
};

/** The state after further events, which follow on those that made `state`. Copies once, however many events there are. */
export function applyEvents(state: RunState, events: readonly BenchEvent[]): RunState {
  if (events.length === 0) return state;
  const draft: Draft = {
    ...state,
    timeline: [...state.timeline],
    measurements: [...state.measurements],
    darks: [...state.darks],
    callers: [...state.callers],
    measurementSeq: new Map(state.measurementSeq),
    rejectedWhy: new Map(state.rejectedWhy),
  };
  for (const event of events) apply(draft, event);
  return draft;
}

const ACTION_WORDS = {
  take_over: "took over",
  give_back: "gave control back",
  pause: "paused acting calls",
  resume: "let acting calls go on",
  note: "",
  home: "sent the stage home",
  beam_blocked: "blocked the beam",
  beam_unblocked: "freed the beam",
} as const;

function apply(draft: Draft, event: BenchEvent): void {
  draft.seq = event.seq;
  draft.t_ms = event.t_ms;
  const note = (tone: NoteEntry["tone"], who: string | undefined, text: string): void => {
    draft.timeline.push({ kind: "note", seq: event.seq, t_ms: event.t_ms, tone, who, text });
  };
  switch (event.type) {
    case "run_opened":
      draft.simulated = event.simulated;
      draft.description = event.description;
      draft.budgets = event.budgets;
      draft.budgetLeft = event.budgets;
      draft.zActual_mm = event.z_actual_mm;
      draft.zRequested_mm = event.z_actual_mm;
      draft.exposure_ms = event.exposure_ms;
      draft.exposureRequested_ms = event.exposure_ms;
      note("plain", undefined, `Run opened on ${event.description.bench}`);
      break;
    case "tool_called":
      draft.calls++;
      if (!draft.callers.some((caller) => caller.number === event.caller.number)) draft.callers.push(event.caller);
      draft.timeline.push({
        kind: "call",
        seq: event.seq,
        t_ms: event.t_ms,
        tool: event.tool,
        caller: event.caller,
        input: event.input,
        reason: event.reason,
      });
      break;
    case "tool_returned": {
      const budget = event.output?.["budget"];
      if (typeof budget === "object" && budget !== null) draft.budgetLeft = budget;
      changeCall(draft, event.call, {
        ended_ms: event.t_ms,
        ...(event.output === undefined ? {} : { output: event.output }),
        ...(event.error === undefined ? {} : { error: event.error }),
      });
      break;
    }
    case "call_rejected":
      note("bad", event.caller.name, `${event.tool}: ${event.error.message}`);
      break;
    case "call_cancelled":
      note("warning", event.caller.name, "called it off");
      break;
    case "caller_left":
      note("plain", event.caller.name, "left");
      break;
    case "operator_acted":
      if (event.action === "pause") draft.paused = true;
      else if (event.action === "resume") draft.paused = false;
      else if (event.action === "beam_blocked") draft.beamBlocked = true;
      else if (event.action === "beam_unblocked") draft.beamBlocked = false;
      note(
        event.action === "note" ? "good" : "plain",
        event.caller.name,
        event.action === "note" ? `Note: ${event.text ?? ""}` : ACTION_WORDS[event.action],
      );
      break;
    case "control_changed":
      draft.holder = event.holder;
      note("plain", undefined, event.holder === undefined ? "Nobody drives" : `${event.holder.name} drives`);
      break;
    case "job_started":
      break;
    case "job_ended":
      changeCall(draft, event.call, {
        ended_ms: event.t_ms,
        ...(event.output === undefined ? {} : { output: event.output }),
        ...(event.error === undefined ? {} : { error: event.error }),
      });
      break;
    case "move_started":
      draft.moving = true;
      draft.zRequested_mm = event.z_requested_mm;
      break;
    case "move_ended":
      draft.moving = false;
      draft.zRequested_mm = event.z_requested_mm;
      draft.zActual_mm = event.z_actual_mm;
      draft.limitState = event.limit_state ?? "inside";
      break;
    case "exposure_set":
      draft.exposure_ms = event.exposure_ms;
      draft.exposureRequested_ms = event.exposure_requested_ms;
      break;
    case "frames_exposed":
      break;
    case "dark_taken":
      draft.darks.push(event.dark);
      break;
    case "measurement_taken":
      draft.measurements.push(event.measurement);
      draft.measurementSeq.set(event.measurement.measurement, event.seq);
      break;
    case "measurement_use_changed": {
      const at = draft.measurements.findIndex((one) => one.measurement === event.measurement);
      const before = draft.measurements[at];
      if (before !== undefined) draft.measurements[at] = { ...before, use: event.use };
      if (event.use === "rejected") draft.rejectedWhy.set(event.measurement, event.reason ?? "");
      else draft.rejectedWhy.delete(event.measurement);
      break;
    }
    case "caustic_fitted":
      draft.fit = { seq: event.seq, x: event.x, y: event.y, used: event.used, left_out: event.left_out };
      break;
    case "view_made":
      draft.views++;
      changeCall(draft, event.call, { view: event.view, confirmed: false });
      break;
    case "image_confirmed": {
      draft.viewsConfirmed++;
      const at = draft.timeline.findLastIndex((entry) => entry.kind === "call" && entry.view === event.view);
      const entry = draft.timeline[at];
      if (entry?.kind === "call") draft.timeline[at] = { ...entry, confirmed: true };
      break;
    }
    case "image_code_unknown":
      note("warning", undefined, "A picture code was echoed that no picture of this run carries");
      break;
    case "limit_refused":
      draft.refusedLimits++;
      note("warning", undefined, `Refused: ${event.message}`);
      break;
    case "stopped":
      draft.moving = false;
      if (event.z_actual_mm !== undefined) draft.zActual_mm = event.z_actual_mm;
      note("warning", undefined, event.stopped.length === 0 ? "STOP" : `Stopped: ${event.stopped.join(", ")}`);
      break;
    case "instrument_failed":
      draft.moving = false;
      note("bad", undefined, `${event.instrument}: ${event.message}`);
      break;
    case "finished":
      draft.finished = event;
      break;
    case "run_closed":
      draft.closed = true;
      draft.holder = undefined;
      note("plain", undefined, `Run closed (${event.why})`);
      break;
  }
}

function changeCall(draft: Draft, seq: number, change: Partial<CallEntry>): void {
  const at = draft.timeline.findLastIndex((entry) => entry.seq === seq);
  const entry = draft.timeline[at];
  if (entry?.kind === "call") draft.timeline[at] = { ...entry, ...change };
}

/** Steps between which states are kept, so that scrubbing never replays a long run from its start. */
const STEP = 256;

/** The states of a run at any of its events. */
export class RunStates {
  readonly #events: readonly BenchEvent[];
  readonly #kept: RunState[] = [EMPTY_RUN];

  constructor(events: readonly BenchEvent[]) {
    this.#events = events;
  }

  /** After event `seq`, counted from 0; −1 is before the first. */
  at(seq: number): RunState {
    const count = Math.max(0, Math.min(this.#events.length, seq + 1));
    const step = Math.floor(count / STEP);
    while (this.#kept.length <= step) {
      const from = (this.#kept.length - 1) * STEP;
      const before = this.#kept.at(-1) ?? EMPTY_RUN;
      this.#kept.push(applyEvents(before, this.#events.slice(from, from + STEP)));
    }
    return applyEvents(this.#kept[step] ?? EMPTY_RUN, this.#events.slice(step * STEP, count));
  }
}
