import { isDeepStrictEqual } from "node:util";
import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { CallContext, Caller } from "../contract/bench-verbs.ts";
import type { BenchEvent, BenchEventOf, Journal, LoggedCaller } from "../contract/events.ts";
import { TOOLS, TOOL_NAMES, type ToolName } from "../contract/tools.ts";
import type { BenchSession, BenchSessionOptions } from "./bench-session.ts";

/** The part of a session's options that its own journal tells. Instruments, clocks and the canary's key come from elsewhere. */
export type RecordedOptions = Pick<
  BenchSessionOptions,
  | "bench"
  | "wavelength_nm"
  | "pixelPitch_um"
  | "limits"
  | "keepOutZones"
  | "budgets"
  | "rules"
  | "operatorNote"
  | "findings"
  | "tools"
  | "defaultFrames"
  | "simulated"
  | "uZ_mm"
  | "calibration"
  | "positionTolerance_mm"
>;

/** How the session was set up whose first event this is. */
export function recordedOptions(opened: BenchEventOf<"run_opened">): RecordedOptions {
  const { description, uncertainties = {}, position_tolerance_mm } = opened;
  const { z_mm, pixel_pitch, stage_scale, wavelength } = uncertainties;
  return {
    bench: description.bench,
    wavelength_nm: description.wavelength_nm,
    pixelPitch_um: description.pixel_pitch_um,
    limits: {
      z_min_mm: description.limits_mm.min,
      z_max_mm: description.limits_mm.max,
      exposure_min_ms: description.exposure_range_ms.min,
      exposure_max_ms: description.exposure_range_ms.max,
    },
    keepOutZones: description.keep_out_zones,
    budgets: opened.budgets,
    rules: description.rules,
    ...(description.operator_note === undefined ? {} : { operatorNote: description.operator_note }),
    findings: opened.findings,
    tools: TOOL_NAMES.filter((tool) => opened.tools.includes(tool)),
    defaultFrames: description.default_frames,
    simulated: opened.simulated,
    ...(z_mm === undefined ? {} : { uZ_mm: z_mm }),
    calibration: {
      ...(pixel_pitch === undefined ? {} : { pixelPitch: pixel_pitch }),
      ...(stage_scale === undefined ? {} : { stageScale: stage_scale }),
      ...(wavelength === undefined ? {} : { wavelength }),
    },
    ...(position_tolerance_mm === undefined ? {} : { positionTolerance_mm: position_tolerance_mm }),
  };
}

/** What a replay runs on: fresh instruments in the state in which the recorded run found them. */
export interface ReplayStage {
  readonly session: BenchSession;
  /** The session's bench clock. */
  readonly clock: Clock;
}

export interface ReplayDifference {
  readonly seq: number;
  readonly recorded: BenchEvent;
  /** Absent where the replay ended before. */
  readonly replayed?: BenchEvent;
}

export interface ReplayResult {
  /** Events that agree, from the first on. */
  readonly agreeing: number;
  /** The first event that does not agree; absent when all do. */
  readonly difference?: ReplayDifference;
}

/** Events that came from outside; all others follow from them. */
type Command = BenchEventOf<
  "tool_called" | "call_rejected" | "call_cancelled" | "caller_left" | "operator_acted" | "run_closed"
>;
/** Answers that host time decided: a call that became a job, a wait for a job that ended before the job did. */
type Timeout = BenchEventOf<"job_started" | "tool_returned">;

function isCommand(event: BenchEvent): event is Command {
  switch (event.type) {
    case "tool_called":
    case "call_rejected":
    case "call_cancelled":
    case "caller_left":
    case "operator_acted":
    case "run_closed":
      return true;
    default:
      return false;
  }
}

function isTimeout(event: BenchEvent): event is Timeout {
  return (
    event.type === "job_started" ||
    (event.type === "tool_returned" && event.tool === "job_status" && event.output?.["status"] === "running")
  );
}

/** Longest wait that `job_status` takes; whatever waits longer decides about jobs. */
const LONGEST_STATUS_WAIT_MS = 30_000;

/** Host time of a replay: it stands, and waits end when the record says that they did. */
class RecordedHostClock implements Clock {
  readonly #waits = new Set<{ readonly duration_ms: number; readonly end: () => void }>();

  now_ms(): number {
    return 0;
  }

  wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    if (cancellation?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wait = {
        duration_ms,
        end: (): void => {
          this.#waits.delete(wait);
          resolve();
        },
      };
      this.#waits.add(wait);
      cancellation?.addEventListener("abort", wait.end, { once: true });
    });
  }

  end(which: (duration_ms: number) => boolean): void {
    for (const wait of [...this.#waits]) if (which(wait.duration_ms)) wait.end();
  }
}

/**
 * Issues every recorded command again, in its place in the log and at its instant on the bench clock, and compares what follows with
 * the record, event by event. Commands that came in the middle of an action (STOP, a cancelled call) come in the middle again.
 *
 * `open` makes a session on fresh instruments that writes to the journal and takes the host clock it is given. A change of control
 * because the holder was idle depends on host time alone and is not reproduced.
 */
export async function replayRun(
  recorded: readonly BenchEvent[],
  open: (journal: Journal, hostClock: Clock) => Promise<ReplayStage>,
): Promise<ReplayResult> {
  const replay = new Replay(recorded);
  return replay.run(open);
}

class Replay {
  readonly #recorded: readonly BenchEvent[];
  readonly #hostClock = new RecordedHostClock();
  readonly #cancellations = new Map<number, AbortController>();
  readonly #underWay = new Set<Promise<unknown>>();
  #replayed = 0;
  #openJobs = 0;
  #difference: ReplayDifference | undefined;
  #wake: () => void = () => undefined;

  constructor(recorded: readonly BenchEvent[]) {
    this.#recorded = recorded;
  }

  async run(open: (journal: Journal, hostClock: Clock) => Promise<ReplayStage>): Promise<ReplayResult> {
    const { session, clock } = await open({ append: (event) => this.#compare(event) }, this.#hostClock);
    try {
      await this.#drive(session, clock);
    } finally {
      await session.close("abandoned");
    }
    const difference = this.#difference;
    return difference === undefined ? { agreeing: this.#recorded.length } : { agreeing: difference.seq, difference };
  }

  #compare(event: BenchEvent): void {
    const recorded = this.#recorded[event.seq];
    // Beyond the record: what closes the replay, or what an interrupted run would have done next.
    if (recorded !== undefined && this.#difference === undefined) {
      const replayed = JSON.parse(JSON.stringify(event)) as BenchEvent;
      if (!isDeepStrictEqual(recorded, replayed)) this.#difference = { seq: event.seq, recorded, replayed };
    }
    if (event.type === "job_started") this.#openJobs += 1;
    if (event.type === "job_ended") this.#openJobs -= 1;
    this.#replayed = event.seq + 1;
    this.#wake();
  }

  #isOver(): boolean {
    return this.#replayed >= this.#recorded.length;
  }

  async #drive(session: BenchSession, clock: Clock): Promise<void> {
    while (this.#difference === undefined && !this.#isOver()) {
      const seq = this.#replayed;
      const due = this.#recorded[seq];
      if (due !== undefined && (isCommand(due) || isTimeout(due))) {
        await this.#reach(due.t_ms, clock);
        // Something else may have come first; the comparison has seen it then.
        if (this.#replayed !== seq) continue;
        const next = this.#nextEvent();
        if (isCommand(due)) this.#issue(due, session);
        else this.#endWait(due);
        await this.#untilSomething(next);
      } else {
        await this.#untilSomething(this.#nextEvent());
      }
    }
  }

  /** Waits for that instant, and for whatever else happens at it. */
  async #reach(t_ms: number, clock: Clock): Promise<void> {
    const missing_ms = t_ms - clock.now_ms();
    if (missing_ms > 0) await clock.wait(missing_ms);
    for (let turn = 0; turn < 2; turn++) await clock.wait(0);
  }

  #nextEvent(): Promise<void> {
    const before = this.#replayed;
    return new Promise((resolve) => {
      this.#wake = () => {
        if (this.#replayed > before) resolve();
      };
    });
  }

  /** Waits for the next event, or finds that none can come any more. */
  async #untilSomething(next: Promise<void>): Promise<void> {
    const before = this.#replayed;
    const all = Promise.allSettled([...this.#underWay]);
    await (this.#openJobs > 0 ? next : Promise.race([next, all]));
    if (this.#replayed > before || this.#openJobs > 0 || this.#underWay.size > 0) return;
    const recorded = this.#recorded[before];
    if (recorded !== undefined && !isCommand(recorded) && !isTimeout(recorded)) {
      this.#difference ??= { seq: before, recorded };
    }
  }

  #endWait(due: Timeout): void {
    const ofJob = due.type === "job_started";
    this.#hostClock.end((duration_ms) => duration_ms > LONGEST_STATUS_WAIT_MS === ofJob);
  }

  #issue(command: Command, session: BenchSession): void {
    switch (command.type) {
      case "tool_called":
        this.#follow(this.#call(command, session));
        return;
      case "call_rejected":
        session.callRejected(command.tool, asCaller(command.caller), command.error);
        return;
      case "call_cancelled":
        this.#cancellations.get(command.call)?.abort();
        return;
      case "caller_left":
        this.#follow(session.releaseCaller(idOf(command.caller)));
        return;
      case "run_closed":
        this.#follow(session.close(command.why));
        return;
      case "operator_acted":
        this.#follow(operate(command, session));
        return;
    }
  }

  #follow(work: Promise<unknown>): void {
    const settled: Promise<unknown> = work.then(
      () => this.#underWay.delete(settled),
      () => this.#underWay.delete(settled),
    );
    this.#underWay.add(settled);
  }

  async #call(command: BenchEventOf<"tool_called">, session: BenchSession): Promise<unknown> {
    const tool = TOOL_NAMES.find((name) => name === command.tool);
    if (tool === undefined) throw new Error(`${command.tool} is no tool of this version`);
    const cancel = new AbortController();
    this.#cancellations.set(command.seq, cancel);
    const next = this.#recorded[command.seq + 1];
    // Cancelled before anything could begin.
    if (next?.type === "call_cancelled" && next.call === command.seq) cancel.abort();
    const verb = session.verbs[tool] as (input: unknown, context: CallContext) => Promise<unknown>;
    const input = {
      ...command.input,
      ...(takesRun(tool) ? { run: session.handle } : {}),
      ...(command.reason === undefined ? {} : { reason: command.reason }),
    };
    const { heard_events } = command;
    return verb(input, {
      caller: asCaller(command.caller),
      cancellation: cancel.signal,
      ...(heard_events === undefined ? {} : { heardEvents: heard_events }),
    });
  }
}

const takesRun = (tool: ToolName): boolean => "run" in TOOLS[tool].input.shape;

const idOf = (caller: LoggedCaller): string => `caller ${caller.number}`;

const asCaller = (caller: LoggedCaller): Caller => ({ kind: caller.kind, name: caller.name, id: idOf(caller) });

async function operate(command: BenchEventOf<"operator_acted">, session: BenchSession): Promise<void> {
  const operator = asCaller(command.caller);
  switch (command.action) {
    case "take_over":
      return session.takeOver(operator);
    case "give_back":
      session.giveBack(operator);
      return;
    case "pause":
      session.pause(operator);
      return;
    case "resume":
      session.resume(operator);
      return;
    case "note":
      session.note(operator, command.text ?? "");
      return;
    case "home":
      return session.home(operator, command.heard_events);
    case "beam_blocked":
    case "beam_unblocked":
      session.setBeamBlocked(operator, command.action === "beam_blocked");
  }
}
