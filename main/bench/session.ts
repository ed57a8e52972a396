import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { analyzeFrames } from "../analysis/analyze-frame.ts";
import { toWidthFields } from "../analysis/to-width-fields.ts";
import type { BenchVerbs, CallContext, Caller } from "../contract/bench-verbs.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { BenchEvent } from "../contract/events.ts";
import {
  type BenchDescription,
  type Dark,
  type Measurement,
  TOOLS,
  TOOL_NAMES,
  type ToolInput,
  type ToolName,
  type ToolOutput,
} from "../contract/tools.ts";
import { FRAME_FLAGS } from "../contract/vocabulary.ts";
import type { WidthFields } from "../contract/width-fields.ts";
import { type Action, ActionLock } from "./action-lock.ts";
import type { BenchSession, BenchSessionOptions, BenchSnapshot, LiveSignal } from "./bench-session.ts";
import { BudgetLedger } from "./budgets.ts";
import { CallerRegister } from "./caller-register.ts";
import { COLOUR_MAP_NAME } from "./colour-map.ts";
import { ControlLease } from "./control-lease.ts";
import { DarkLibrary } from "./dark-library.ts";
import { checkFinish } from "./finish-guard.ts";
import { FrameKeep } from "./frame-keep.ts";
import { Jobs } from "./jobs.ts";
import { type Limits, createLimits } from "./limits.ts";
import { type CausticOfRun, MeasurementList } from "./measurement-list.ts";
import { LimitError, Operations, framesHash } from "./operations.ts";
import { drawPicture } from "./picture.ts";
import { type PlanningState, estimateScan, suggestPositions } from "./plan.ts";
import { RepeatedCalls } from "./repeated-calls.ts";
import { Listeners, RunLog } from "./run-log.ts";
import { Views } from "./views.ts";

const DEFAULT_FRAMES = 5;
const DEFAULT_DARK_FRAMES = 20;
const LONG_CALL_MS = 45_000;
const HANDLE_LIFETIME_S = 86_400;
const LEASE_IDLE_S = 600;
const POSITION_TOLERANCE_MM = 0.1;
const FRAMES_KEPT_BYTES = 256 * 2 ** 20;
/** Live frames of the window draw their noise from here on, those of `view_frame` from 0. */
const WINDOW_FRAMES = 1_000_000;

/** They need control of the bench. `view_frame` with a live frame exposes but leaves no trace in what is measured. */
const ACTING: ReadonlySet<ToolName> = new Set([
  "move_to",
  "set_exposure",
  "take_darks",
  "measure_at",
  "reject_measurement",
  "restore_measurement",
  "finish",
]);
/** Not counted against the budget of calls: a run must be able to stop, to wait and to end. */
const UNCOUNTED: ReadonlySet<ToolName> = new Set(["bench_open", "stop", "job_status", "finish"]);
/** Flags that reach every caller; the rest are findings. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(FRAME_FLAGS.slice(0, 7));

/** What a verb computes; the session adds what all results have in common. */
type Body<Name extends ToolName> = Omit<ToolOutput<Name>, "run" | "seq" | "simulated" | "budget">;

/** Arguments that fit their schema, whichever tool they are for. */
type ParsedInput = Readonly<Record<string, unknown>> & {
  readonly run?: string;
  readonly reason?: string;
  readonly image_code?: string;
  readonly idempotency_key?: string;
};

/** One call under way. */
interface Call<Name extends ToolName = ToolName> {
  readonly tool: Name;
  /** seq of its `tool_called` event. */
  readonly seq: number;
  readonly caller: Caller;
  readonly reason: string | undefined;
  readonly report: (fraction: number, message: string) => void;
}

/** Opens a run on a bench: reads the instruments' state and writes the first event. Instrument errors pass through. */
export async function createBenchSession(options: BenchSessionOptions): Promise<BenchSession> {
  const { stage, camera } = options.instruments;
  const state = await stage.readState();
  const exposure_ms = await camera.readExposure();
  const limits = createLimits(stage.info, camera.info, options.limits, options.keepOutZones);
  const log = new RunLog(options.clock, options.journal);
  const budgets = new BudgetLedger(options.budgets ?? {});
  const signals = new Listeners<LiveSignal>();
  const operations = new Operations(
    {
      instruments: options.instruments,
      clock: options.clock,
      limits,
      budgets,
      log,
      signals,
      positionTolerance_mm: options.positionTolerance_mm ?? POSITION_TOLERANCE_MM,
    },
    state,
    exposure_ms,
  );
  return new Session(options, { limits, log, budgets, signals, operations });
}

interface SessionParts {
  readonly limits: Limits;
  readonly log: RunLog;
  readonly budgets: BudgetLedger;
  readonly signals: Listeners<LiveSignal>;
  readonly operations: Operations;
}

class Session implements BenchSession {
  readonly handle: string;
  readonly bench: string;
  readonly simulated: boolean;
  readonly handleLifetime_s: number;
  readonly description: BenchDescription;
  readonly tools: readonly ToolName[];
  readonly verbs: BenchVerbs;

  readonly #options: BenchSessionOptions;
  readonly #limits: Limits;
  readonly #log: RunLog;
  readonly #budgets: BudgetLedger;
  readonly #signals: Listeners<LiveSignal>;
  readonly #operations: Operations;
  readonly #callers = new CallerRegister();
  readonly #lease: ControlLease;
  readonly #lock: ActionLock;
  readonly #jobs: Jobs;
  readonly #darks = new DarkLibrary();
  readonly #measurements: MeasurementList;
  readonly #views: Views;
  readonly #repeated = new RepeatedCalls();
  readonly #frames: FrameKeep;
  readonly #pixelPitch_um: number;
  readonly #opened_ms: number;
  #state: "open" | "paused" | "finished" | "closed" = "open";
  #beamBlocked = false;
  #shutterMayBeClosed = false;
  #glances = 0;
  #lastCall_ms: number;

  constructor(options: BenchSessionOptions, parts: SessionParts) {
    const { bench, instruments, clock, hostClock } = options;
    const { stage, camera } = instruments;
    this.#options = options;
    this.#limits = parts.limits;
    this.#log = parts.log;
    this.#budgets = parts.budgets;
    this.#signals = parts.signals;
    this.#operations = parts.operations;
    this.bench = bench;
    this.handle = options.newHandle();
    this.simulated = options.simulated ?? (stage.info.simulated && camera.info.simulated);
    this.handleLifetime_s = options.handleLifetime_s ?? HANDLE_LIFETIME_S;
    this.tools = options.tools ?? TOOL_NAMES;
    this.#pixelPitch_um = options.pixelPitch_um ?? camera.info.pixelPitch_um;
    this.#lock = new ActionLock(hostClock);
    this.#jobs = new Jobs(hostClock);
    this.#views = new Views(options.canary);
    this.#frames = new FrameKeep(options.framesKept_bytes ?? FRAMES_KEPT_BYTES);
    this.#measurements = new MeasurementList({
      wavelength_nm: options.wavelength_nm,
      ...(options.uZ_mm === undefined ? {} : { uZ_mm: options.uZ_mm }),
      ...(options.calibration === undefined ? {} : { calibration: options.calibration }),
    });
    this.#lease = new ControlLease((options.leaseIdle_s ?? LEASE_IDLE_S) * 1000, (holder, why) => {
      this.#log.emit("control_changed", {
        ...(holder === undefined ? {} : { holder: this.#callers.logged(holder) }),
        why,
      });
    });
    this.#opened_ms = clock.now_ms();
    this.#lastCall_ms = hostClock.now_ms();
    this.description = {
      bench,
      wavelength_nm: options.wavelength_nm,
      sensor_width_px: camera.info.width_px,
      sensor_height_px: camera.info.height_px,
      pixel_pitch_um: this.#pixelPitch_um,
      bit_depth: camera.info.bitDepth,
      full_scale_counts: 2 ** camera.info.bitDepth - 1,
      stage_travel_mm: { min: stage.info.travelMin_mm, max: stage.info.travelMax_mm },
      stage_velocity_mm_s: stage.info.velocity_mm_s,
      exposure_range_ms: { ...this.#limits.exposure_ms },
      limits_mm: { ...this.#limits.position_mm },
      keep_out_zones: this.#limits.zones.map((zone) => ({ ...zone })),
      default_frames: options.defaultFrames ?? DEFAULT_FRAMES,
      rules: [...(options.rules ?? [])],
      ...(options.operatorNote === undefined ? {} : { operator_note: options.operatorNote }),
    };
    this.verbs = Object.fromEntries(
      TOOL_NAMES.map((tool) => [
        tool,
        (input: ToolInput<ToolName>, context: CallContext) => this.#invoke(tool, input, context),
      ]),
    ) as unknown as BenchVerbs;
    const { z_actual_mm, exposure_ms } = this.#operations;
    this.#log.emit("run_opened", {
      format: 1,
      simulated: this.simulated,
      description: this.description,
      budgets: { ...(options.budgets ?? {}) },
      tools: [...this.tools],
      findings: options.findings ?? "standard",
      ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
      exposure_ms,
    });
  }

  // ---- looking ----

  get expired(): boolean {
    return this.#options.hostClock.now_ms() - this.#lastCall_ms > this.handleLifetime_s * 1000;
  }

  snapshot(): BenchSnapshot {
    const { z_requested_mm, z_actual_mm, exposure_ms } = this.#operations;
    const holder = this.#lease.holder;
    const running = this.#lock.running?.what;
    return {
      seq: this.#log.nextSeq - 1,
      state: this.#state,
      ...(holder === undefined ? {} : { holder: { kind: holder.kind, name: holder.name } }),
      ...(running === undefined ? {} : { running }),
      ...(z_requested_mm === undefined ? {} : { z_requested_mm }),
      ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
      exposure_ms,
      measurements: this.#measurements.list(),
      darks: this.#darks.list(this.#measurements.count),
      budget: this.#budgets.left(),
    };
  }

  events(from?: number): readonly BenchEvent[] {
    return this.#log.events(from);
  }

  subscribe(listener: (event: BenchEvent) => void): () => void {
    return this.#log.subscribe(listener);
  }

  watch(listener: (signal: LiveSignal) => void): () => void {
    return this.#signals.add(listener);
  }

  picture(view: string): Uint8Array<ArrayBuffer> {
    return this.#views.png(view);
  }

  frame(id: string): Frame {
    return this.#frames.get(id);
  }

  caustic(): CausticOfRun["wire"] {
    return this.#measurements.fit().wire;
  }

  async liveFrame(cancellation?: Cancellation): Promise<Frame | undefined> {
    if (!this.#lock.free || this.#state === "closed" || cancellation?.aborted === true) return undefined;
    const index = WINDOW_FRAMES + this.#glances++;
    const stop = (): void => {
      this.#lock.interrupt(new BenchError("stopped", "The live frame was called off", "Ask again."), isGlance);
    };
    const isGlance = (action: Action): boolean => action.what === "live frame";
    cancellation?.addEventListener("abort", stop, { once: true });
    try {
      return await this.#lock.perform({ what: "live frame", callerId: "", yields: true }, (action) =>
        this.#operations.glance(this.#measurements.count, index, action),
      );
    } catch (error) {
      if (error instanceof InstrumentError && error.code !== "cancelled") throw instrumentFailed(error);
      return undefined;
    } finally {
      cancellation?.removeEventListener("abort", stop);
    }
  }

  // ---- what only the operator does ----

  async takeOver(operator: Caller): Promise<void> {
    this.#operatorActs(operator, "take_over");
    this.#lease.takeOver(operator, this.#options.hostClock.now_ms());
    const lost = new BenchError(
      "control_lost",
      `The operator (${operator.name}) took control of the bench while this ran`,
      "What was measured before is kept. Wait until the operator gives control back.",
    );
    await this.#halt("taken_over", undefined, lost, (action) => action.callerId !== operator.id);
  }

  giveBack(operator: Caller): void {
    this.#checkOperator(operator);
    this.#checkOpen();
    if (this.#lease.holder?.id === operator.id) this.#operatorActs(operator, "give_back");
    this.#lease.giveBack(operator, this.#options.hostClock.now_ms());
  }

  pause(operator: Caller): void {
    this.#checkOperator(operator);
    if (this.#state !== "open") return;
    this.#operatorActs(operator, "pause");
    this.#state = "paused";
  }

  resume(operator: Caller): void {
    this.#checkOperator(operator);
    if (this.#state !== "paused") return;
    this.#operatorActs(operator, "resume");
    this.#state = "open";
  }

  note(operator: Caller, text: string): void {
    this.#operatorActs(operator, "note", text);
  }

  async home(operator: Caller): Promise<void> {
    this.#operatorActs(operator, "home");
    const { stage } = this.#options.instruments;
    this.#lease.claim(operator, this.#options.hostClock.now_ms(), this.#lock.running !== undefined);
    try {
      await this.#lock.perform({ what: "home", callerId: operator.id }, async (action) => {
        try {
          await stage.home({
            cancellation: action.signal,
            onProgress: ({ current_mm, target_mm }) =>
              this.#signals.tell({ type: "stage", z_mm: current_mm, target_mm }),
          });
        } finally {
          await this.#operations.locate();
        }
      });
    } catch (error) {
      throw this.#recordFailure(error, "home", undefined);
    }
    const { z_actual_mm } = this.#operations;
    if (z_actual_mm === undefined) return;
    this.#operations.z_requested_mm = z_actual_mm;
    this.#log.emit("move_ended", {
      outcome: "arrived",
      z_requested_mm: z_actual_mm,
      z_actual_mm,
      travel_mm: 0,
      duration_s: 0,
      limit_state: this.#limits.limitState(z_actual_mm),
    });
  }

  setBeamBlocked(operator: Caller, blocked: boolean): void {
    this.#operatorActs(operator, blocked ? "beam_blocked" : "beam_unblocked");
    this.#beamBlocked = blocked;
  }

  #operatorActs(
    operator: Caller,
    action: "take_over" | "give_back" | "pause" | "resume" | "note" | "home" | "beam_blocked" | "beam_unblocked",
    text?: string,
  ): void {
    this.#checkOperator(operator);
    this.#checkOpen();
    this.#log.emit("operator_acted", {
      caller: this.#callers.logged(operator),
      action,
      ...(text === undefined ? {} : { text }),
    });
  }

  #checkOperator(caller: Caller): void {
    if (caller.kind === "operator") return;
    throw new BenchError(
      "control_held",
      `${caller.name} is not the operator of the bench`,
      "Only the operator may do this.",
    );
  }

  // ---- coming and going ----

  async releaseCaller(callerId: string): Promise<void> {
    const caller = this.#callers.known(callerId);
    if (caller === undefined || this.#state === "closed") return;
    this.#log.emit("caller_left", { caller: this.#callers.logged(caller) });
    this.#lease.release(callerId, this.#options.hostClock.now_ms());
    const reason = new BenchError("stopped", `${caller.name} is gone, so what it started was stopped`, "Call again.");
    await this.#halt("caller_left", undefined, reason, (action) => action.callerId === callerId);
  }

  callRejected(tool: string, caller: Caller, message: string): void {
    if (this.#state === "closed") return;
    const error = new BenchError("bad_argument", message, "Look at the list of tools and their schemas.").toWire();
    this.#log.emit("call_rejected", { tool, caller: this.#callers.logged(caller), error });
  }

  async close(why: "finished" | "abandoned" | "expired"): Promise<void> {
    if (this.#state === "closed") return;
    const reason = new BenchError("stopped", "The run was closed", "Open the bench again.");
    try {
      await this.#halt("closing", undefined, reason, () => true);
      await this.#lock.settled();
    } finally {
      this.#log.emit("run_closed", { why });
      this.#state = "closed";
    }
  }

  // ---- one call, from its arguments to its answer ----

  async #invoke<Name extends ToolName>(
    tool: Name,
    given: ToolInput<Name>,
    context: CallContext,
  ): Promise<ToolOutput<Name>> {
    const { caller } = context;
    const input = this.#parse(tool, given, caller);
    if (tool === "bench_status" && input.run === undefined) {
      return { benches: [this.#offer()] } as unknown as ToolOutput<Name>;
    }
    this.#checkOpen();
    if (tool !== "bench_open") this.#checkHandle(input.run);
    this.#lastCall_ms = this.#options.hostClock.now_ms();
    if (!this.tools.includes(tool)) {
      const error = new BenchError("not_offered", `${tool} is not offered here`, `On offer: ${this.tools.join(", ")}.`);
      this.#log.emit("call_rejected", { tool, caller: this.#callers.logged(caller), error: error.toWire() });
      throw error;
    }
    const { run: _run, reason, ...logged } = input;
    const seq = this.#log.emit("tool_called", {
      tool,
      caller: this.#callers.logged(caller),
      input: logged,
      ...(reason === undefined ? {} : { reason }),
    });
    const call: Call<Name> = { tool, seq, caller, reason, report: this.#reporter(tool, seq, context) };
    const cancel = (): void => {
      this.#cancelled(call);
    };
    context.cancellation?.addEventListener("abort", cancel, { once: true });
    try {
      if (context.cancellation?.aborted === true) {
        throw new BenchError("stopped", `${tool} was cancelled before it began`, "Call again.");
      }
      this.#confirmImage(input.image_code, seq);
      return await this.#answer(call, input as unknown as ToolInput<Name>, input.idempotency_key);
    } catch (error) {
      const failure = this.#recordFailure(error, tool, seq);
      this.#log.emit("tool_returned", {
        call: seq,
        tool,
        caller: this.#callers.logged(caller),
        error: failure.toWire(),
      });
      throw failure;
    } finally {
      context.cancellation?.removeEventListener("abort", cancel);
    }
  }

  /** The answer of a call, or of an earlier one with the same idempotency key. */
  async #answer<Name extends ToolName>(
    call: Call<Name>,
    input: ToolInput<Name>,
    key: string | undefined,
  ): Promise<ToolOutput<Name>> {
    const { tool, seq, caller } = call;
    if (key !== undefined) {
      const { run: _run, reason: _reason, image_code: _code, ...same } = input as Record<string, unknown>;
      const fingerprint = JSON.stringify(same, Object.keys(same).sort());
      const earlier = await this.#repeated.answer(key, fingerprint, (job) => this.#jobs.status(job, 0));
      if (earlier !== undefined) {
        const output = earlier as ToolOutput<Name> & Record<string, unknown>;
        this.#log.emit("tool_returned", {
          call: seq,
          tool,
          caller: this.#callers.logged(caller),
          output: this.#withoutHandle(output),
          repeated: true,
        });
        return output;
      }
      return this.#repeated.first(key, fingerprint, () => this.#carryOut(call, input));
    }
    return this.#carryOut(call, input);
  }

  async #carryOut<Name extends ToolName>(call: Call<Name>, input: ToolInput<Name>): Promise<ToolOutput<Name>> {
    const { tool, seq, caller } = call;
    this.#mayCall(call, input);
    const handler = this.#handlers[tool] as (
      input: ToolInput<Name>,
      call: Call<Name>,
    ) => Promise<Body<Name>> | Body<Name>;
    const body = await handler(input, call);
    this.#log.checkWritable();
    const output = this.#completed(body, this.#log.nextSeq);
    this.#log.emit("tool_returned", {
      call: seq,
      tool,
      caller: this.#callers.logged(caller),
      output: this.#withoutHandle(output),
    });
    return output as unknown as ToolOutput<Name>;
  }

  #completed(body: object, seq: number): Record<string, unknown> {
    return { ...body, run: this.handle, seq, simulated: this.simulated, budget: this.#budgets.left() };
  }

  /** As it stands in the log: handles are secrets. */
  #withoutHandle(output: object): Record<string, unknown> {
    const { run: _run, ...rest } = output as Record<string, unknown>;
    const { frame_uri } = rest;
    return typeof frame_uri === "string" ? { ...rest, frame_uri: frame_uri.replace(this.handle, "{run}") } : rest;
  }

  /** Everything that decides whether a call may go on, apart from what it asks for. */
  #mayCall<Name extends ToolName>({ tool, caller }: Call<Name>, input: ToolInput<Name>): void {
    const acts = ACTING.has(tool) || (tool === "view_frame" && "live" in input && input.live === true);
    if (acts) {
      this.#log.checkWritable();
      if (this.#state === "finished") {
        throw new BenchError("run_finished", "The run has ended", "Open the bench again for another run.");
      }
      if (this.#state === "paused" && this.#lease.holder?.kind !== "operator") {
        throw new BenchError("paused", "The operator has paused the run", "Wait; looking and STOP still work.");
      }
    }
    if (ACTING.has(tool)) {
      this.#lease.claim(caller, this.#options.hostClock.now_ms(), this.#lock.running !== undefined);
    }
    if (UNCOUNTED.has(tool)) return;
    const refusal = this.#budgets.refusal("calls", 1);
    if (refusal !== undefined) throw new LimitError(refusal);
    this.#budgets.spend("calls", 1);
  }

  #parse<Name extends ToolName>(tool: Name, given: ToolInput<Name>, caller: Caller): ParsedInput {
    const parsed = TOOLS[tool].input.safeParse(given);
    if (parsed.success) return parsed.data as ParsedInput;
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
    const error = new BenchError(
      "bad_argument",
      `${tool}: ${problems.join("; ")}`,
      "Call again with arguments that fit the schema.",
    );
    if (this.#state !== "closed") {
      this.#log.emit("call_rejected", { tool, caller: this.#callers.logged(caller), error: error.toWire() });
    }
    throw error;
  }

  #checkOpen(): void {
    if (this.#state === "closed" || this.expired) {
      throw new BenchError("unknown_run", "The run is closed or its handle has expired", "Open the bench again.");
    }
  }

  #checkHandle(run: string | undefined): void {
    if (run === this.handle) return;
    throw new BenchError(
      "unknown_run",
      "That run handle names no open run",
      "Use the handle that bench_open returned.",
    );
  }

  #reporter(tool: ToolName, seq: number, context: CallContext): Call["report"] {
    let reached = 0;
    return (fraction, message) => {
      // Whoever waits for progress must see it grow.
      if (!(fraction > reached)) return;
      reached = fraction;
      this.#jobs.progress(seq, fraction);
      this.#signals.tell({ type: "progress", tool, fraction, message });
      try {
        context.onProgress?.({ fraction, message });
      } catch {
        // A caller that cannot take progress still gets its answer.
      }
    };
  }

  #cancelled(call: Call): void {
    const mine = (action: Action): boolean => action.call === call.seq;
    const reason = new BenchError("stopped", `${call.tool} was cancelled by its caller`, "Call again.");
    this.#log.emit("call_cancelled", { call: call.seq, caller: this.#callers.logged(call.caller) });
    // Failures of the stage are recorded inside; nobody is left to be told.
    this.#halt("call_cancelled", undefined, reason, mine).catch(() => undefined);
  }

  /** Interrupts the actions meant, if any run, and stops the stage. */
  async #halt(
    why: "stop" | "call_cancelled" | "caller_left" | "taken_over" | "closing",
    call: number | undefined,
    reason: BenchError,
    meant: (action: Action) => boolean,
  ): Promise<string[]> {
    const interrupted = this.#lock.interrupt(reason, meant);
    if (interrupted === undefined && why !== "stop") return [];
    const stopped = interrupted === undefined ? [] : [interrupted.what];
    try {
      const { position_mm } = await this.#options.instruments.stage.stop();
      if (position_mm === undefined || Number.isFinite(position_mm)) this.#operations.z_actual_mm = position_mm;
    } catch (error) {
      throw this.#recordFailure(error, "stop", call);
    } finally {
      const { z_actual_mm } = this.#operations;
      this.#log.emit("stopped", {
        ...(call === undefined ? {} : { call }),
        why,
        stopped,
        ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
      });
    }
    return stopped;
  }

  /** Turns what was thrown into what the caller is told, and records what the log must know of it. */
  #recordFailure(error: unknown, during: string, call: number | undefined): BenchError {
    if (error instanceof LimitError) {
      const { code, name, value, unit, message } = error.refusal;
      if (call !== undefined) this.#log.emit("limit_refused", { call, code, name, value, unit, message });
      return error;
    }
    if (error instanceof BenchError) return error;
    if (!(error instanceof InstrumentError)) {
      return new BenchError(
        "internal",
        `${during} failed by a fault of the program`,
        "Tell whoever looks after the bench.",
      );
    }
    this.#log.emit("instrument_failed", {
      ...(call === undefined ? {} : { call }),
      instrument: error.instrument,
      code: error.code,
      message: error.message,
      during,
    });
    return instrumentFailed(error);
  }

  #confirmImage(code: string | undefined, call: number): void {
    if (code === undefined) return;
    const found = this.#views.confirm(code);
    if (found === "unknown") this.#log.emit("image_code_unknown", { call });
    else if (found !== "again") this.#log.emit("image_confirmed", { call, view: found.view });
  }

  /** Work with the instruments on behalf of a call. A stop wins over whatever the instrument says because of it. */
  async #act<Result>(call: Call, work: (action: Action) => Promise<Result>, yields = false): Promise<Result> {
    return this.#lock.perform({ what: call.tool, callerId: call.caller.id, call: call.seq, yields }, async (action) => {
      try {
        return await work(action);
      } catch (error) {
        if (!action.signal.aborted || error instanceof LimitError) throw error;
        const obeyed = error instanceof InstrumentError && OBEYED.has(error.code);
        if (error instanceof InstrumentError && !obeyed) this.#recordFailure(error, call.tool, call.seq);
        throw action.signal.reason;
      }
    });
  }

  /** Answers with a job when the work takes longer than a caller is likely to wait. */
  async #long<Result extends object>(call: Call, work: Promise<Result>, meanwhile: object): Promise<Result | object> {
    const enough = new AbortController();
    const longCall_ms = this.#options.longCall_ms ?? LONG_CALL_MS;
    const LATE = Symbol("late");
    const first = await Promise.race([
      work,
      this.#options.hostClock.wait(longCall_ms, enough.signal).then((): typeof LATE => LATE),
    ]).finally(() => enough.abort());
    if (first !== LATE) return first;
    const { tool, seq } = call;
    const job = this.#jobs.start(tool, seq, 0);
    this.#log.emit("job_started", { call: seq, job, tool });
    work.then(
      (body) => {
        const output = this.#completed(body, this.#log.nextSeq);
        this.#log.emit("job_ended", { call: seq, job, tool, output: this.#withoutHandle(output) });
        this.#jobs.end(job, { output });
      },
      (error: unknown) => {
        const failure = this.#recordFailure(error, tool, seq).toWire();
        this.#log.emit("job_ended", { call: seq, job, tool, error: failure });
        this.#jobs.end(job, { error: failure });
      },
    );
    return { status: "running", job, ...meanwhile };
  }

  #offer() {
    return {
      bench: this.bench,
      description: `${this.#options.instruments.stage.info.model} with ${this.#options.instruments.camera.info.model}`,
      simulated: this.simulated,
      in_use: this.#state !== "closed",
    };
  }

  #control(caller: Caller): { holder?: string; yours: boolean } {
    const holder = this.#lease.holder;
    return { ...(holder === undefined ? {} : { holder: holder.name }), yours: holder?.id === caller.id };
  }

  // ---- the verbs ----

  readonly #handlers: { readonly [Name in ToolName]: (input: ToolInput<Name>, call: Call<Name>) => Promise<object> } = {
    bench_open: async ({ bench }, { caller }) => {
      if (bench !== this.bench) {
        throw new BenchError(
          "unknown_bench",
          `There is no bench ${JSON.stringify(bench)}`,
          "Ask bench_status for names.",
        );
      }
      if (this.#state === "finished") {
        throw new BenchError("run_finished", "The run on this bench has ended", "Wait until it is closed.");
      }
      return { ...this.description, control: this.#control(caller), handle_lifetime_s: this.handleLifetime_s };
    },

    bench_status: async (_input, { caller }) => {
      const { state, z_requested_mm, z_actual_mm, exposure_ms, measurements, darks } = this.snapshot();
      const action = this.#lock.running;
      const job = action?.call === undefined ? undefined : this.#jobs.ofCall(action.call);
      return {
        bench: this.description,
        control: this.#control(caller),
        state: state === "closed" ? "finished" : state,
        ...(z_requested_mm === undefined ? {} : { z_requested_mm }),
        ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
        exposure_ms,
        ...(action === undefined ? {} : { running: { what: action.what, ...(job === undefined ? {} : { job }) } }),
        measurements: [...measurements],
        darks: [...darks],
        elapsed_s: (this.#options.clock.now_ms() - this.#opened_ms) / 1000,
      } satisfies Body<"bench_status">;
    },

    move_to: async ({ z_mm }, call) => {
      const work = this.#act(call, async (action): Promise<Body<"move_to">> => {
        this.#operations.checkMove(z_mm, await this.#operations.locate());
        const { z_actual_mm, duration_s } = await this.#operations.move(z_mm, action, call.report);
        return {
          status: "done",
          z_requested_mm: z_mm,
          z_actual_mm,
          settle_s: duration_s,
          limit_state: this.#limits.limitState(z_actual_mm),
        };
      });
      return this.#long(call, work, { z_requested_mm: z_mm });
    },

    stop: async (_input, { seq, caller }) => {
      const reason = new BenchError(
        "stopped",
        `STOP was pressed by ${caller.name} while this ran`,
        "The stage stands; what was measured before is kept. Call again to go on.",
      );
      const stopped = await this.#halt("stop", seq, reason, () => true);
      const { z_actual_mm } = this.#operations;
      return { stopped, ...(z_actual_mm === undefined ? {} : { z_actual_mm }) } satisfies Body<"stop">;
    },

    set_exposure: async ({ exposure_ms }, call) =>
      this.#act(call, async (action): Promise<Body<"set_exposure">> => {
        this.#operations.checkExposure(exposure_ms, 0);
        const applied_ms = await this.#operations.expose(exposure_ms, action);
        return { exposure_requested_ms: exposure_ms, exposure_ms: applied_ms };
      }),

    take_darks: async ({ exposure_ms, frames = DEFAULT_DARK_FRAMES }, call) => {
      const work = this.#act(call, async (action): Promise<Body<"take_darks">> => {
        this.#operations.checkExposure(exposure_ms, frames);
        this.#operations.checkBudget("darks");
        return { status: "done", ...(await this.#takeDarks(exposure_ms, frames, action, call)) };
      });
      return this.#long(call, work, {});
    },

    measure_at: async ({ z_mm, exposure_ms, frames = this.description.default_frames }, call) => {
      const work = this.#act(call, async (action): Promise<Body<"measure_at">> => {
        const asked_ms = exposure_ms ?? this.#operations.exposure_ms;
        this.#operations.checkMove(z_mm, await this.#operations.locate());
        this.#operations.checkExposure(asked_ms, frames);
        this.#operations.checkBudget("positions");
        if (this.#beamBlocked) {
          throw new BenchError(
            "paused",
            "The operator has blocked the beam for darks",
            "Take darks, or wait until the operator frees the beam.",
          );
        }
        return { status: "done", ...(await this.#measure(z_mm, asked_ms, frames, action, call)) };
      });
      return this.#long(call, work, { z_requested_mm: z_mm });
    },

    job_status: async ({ job, wait_s = 0 }) => {
      const { tool, outcome, progress } = await this.#jobs.status(job, wait_s * 1000);
      if (outcome === undefined) return { job, tool, status: "running", progress } satisfies Body<"job_status">;
      return outcome.error === undefined
        ? ({ job, tool, status: "done", progress: 1, result: outcome.output } satisfies Body<"job_status">)
        : ({ job, tool, status: "failed", error: outcome.error } satisfies Body<"job_status">);
    },

    reject_measurement: async ({ measurement }, call) => this.#setUse(measurement, "rejected", call),
    restore_measurement: async ({ measurement }, call) => this.#setUse(measurement, "used", call),

    view_frame: async (input, call) => this.#view(input, call),

    estimate_scan: async ({ positions_mm, frames = this.description.default_frames }) =>
      estimateScan(this.#planning(), positions_mm, frames),

    fit_caustic: async ({ exclude = [] }, { seq }) => {
      const { wire } = this.#measurements.fit(exclude);
      this.#log.emit("caustic_fitted", { call: seq, occasion: "asked", ...wire });
      return wire satisfies Body<"fit_caustic">;
    },

    suggest_positions: async ({ count }) => suggestPositions(this.#planning(), count),

    finish: async (input, call) =>
      this.#act(call, async (): Promise<Body<"finish">> => {
        const { wire } = this.#measurements.fit();
        const { run: _run, image_code: _code, ...claim } = input;
        checkFinish(claim, wire);
        for (const id of claim.fault?.evidence ?? []) this.#measurements.get(id);
        this.#log.emit("caustic_fitted", { call: call.seq, occasion: "finished", ...wire });
        this.#log.emit("finished", {
          call: call.seq,
          ...claim,
          x: wire.x,
          y: wire.y,
          measurements: this.#measurements.count,
          darks: this.#darks.taken,
          images: this.#views.delivery,
          budget: this.#budgets.left(),
        });
        this.#state = "finished";
        return { accepted: true, verdict: claim.verdict, x: wire.x, y: wire.y };
      }),
  };

  async #takeDarks(exposure_ms: number, frames: number, action: Action, call: Call): Promise<Dark> {
    const { shutter } = this.#options.instruments;
    if (shutter === undefined && !this.#beamBlocked) {
      throw new BenchError(
        "beam_not_blocked",
        "Darks need the beam blocked, and this bench has no shutter",
        "Ask the operator to block the beam and to say so.",
      );
    }
    const applied_ms = await this.#operations.expose(exposure_ms, action);
    let taken: Frame[];
    this.#shutterMayBeClosed = shutter !== undefined;
    await shutter?.setOpen(false);
    try {
      const acquisition = this.#darks.beginAcquisition();
      taken = await this.#operations.acquire("dark", acquisition, frames, action, call.seq, call.report);
    } finally {
      await this.#openShutter();
    }
    const dark = this.#darks.add(taken, applied_ms, this.#measurements.count);
    this.#budgets.spend("darks", 1);
    this.#keep(dark.dark, taken);
    this.#log.emit("dark_taken", { call: call.seq, dark });
    return dark;
  }

  /** Opens the shutter unless it is known to be open: a dark that failed may have left it closed. */
  async #openShutter(): Promise<void> {
    if (!this.#shutterMayBeClosed) return;
    await this.#options.instruments.shutter?.setOpen(true);
    this.#shutterMayBeClosed = false;
  }

  async #measure(z_mm: number, exposure_ms: number, frames: number, action: Action, call: Call): Promise<Measurement> {
    const operations = this.#operations;
    await this.#openShutter();
    const applied_ms = await operations.expose(exposure_ms, action);
    const { z_actual_mm } = await operations.move(z_mm, action, (done, message) => call.report(0.6 * done, message));
    const before = this.#measurements.count;
    const taken = await operations.acquire("measurement", before, frames, action, call.seq, (done, message) =>
      call.report(0.6 + 0.4 * done, message),
    );
    const dark = this.#darks.at(applied_ms);
    const measurement = this.#measurements.add({
      z_requested_mm: z_mm,
      z_actual_mm,
      exposure_ms: applied_ms,
      frames,
      ...(dark === undefined ? {} : { dark: dark.dark.dark }),
      ...this.#widths(taken, dark),
    });
    this.#budgets.spend("positions", 1);
    this.#keep(measurement.measurement, taken);
    this.#log.emit("measurement_taken", { call: call.seq, measurement, frames_sha256: framesHash(taken) });
    this.#log.emit("caustic_fitted", { call: call.seq, occasion: "measured", ...this.#measurements.fit().wire });
    return measurement;
  }

  #widths(frames: readonly Frame[], dark: ReturnType<DarkLibrary["at"]>): WidthFields {
    const { camera } = this.#options.instruments;
    const all = this.#options.findings === "all";
    const analysis = analyzeFrames(
      {
        frames: frames.map((frame) => frame.samples),
        width_px: camera.info.width_px,
        height_px: camera.info.height_px,
        bitDepth: camera.info.bitDepth,
        pixelPitch_um: this.#pixelPitch_um,
        ...(dark === undefined ? {} : { dark: dark.reference }),
      },
      { extraFindings: all, ...(this.#options.kernel === undefined ? {} : { kernel: this.#options.kernel }) },
    );
    const fields = toWidthFields(analysis);
    return {
      ...fields,
      ...(dark === undefined ? { background: `${fields.background} (no dark at this exposure)` } : {}),
      flags: all ? fields.flags : fields.flags.filter((flag) => ALWAYS_SHOWN.has(flag.code)),
    };
  }

  #keep(id: string, frames: readonly Frame[]): void {
    const last = frames.at(-1);
    if (last !== undefined) this.#frames.put(id, last);
    frames.forEach((frame, index) => {
      try {
        this.#options.frameSink?.(id, frame, index);
      } catch (error) {
        const why = error instanceof Error ? error.message : "unknown reason";
        this.#log.emit("frame_not_kept", { id, index, why });
      }
    });
  }

  #setUse(id: string, use: Measurement["use"], { seq, reason }: Call): Body<"reject_measurement"> {
    if (this.#measurements.setUse(id, use)) {
      this.#log.emit("measurement_use_changed", {
        call: seq,
        measurement: id,
        use,
        ...(reason === undefined ? {} : { reason }),
      });
      this.#log.emit("caustic_fitted", { call: seq, occasion: "use_changed", ...this.#measurements.fit().wire });
    }
    return { measurements: this.#measurements.list() };
  }

  async #view(input: ToolInput<"view_frame">, call: Call): Promise<Body<"view_frame">> {
    const { measurement: id, live = false, crop, log_scale = false } = input;
    if ((id !== undefined) === live) {
      throw new BenchError(
        "bad_argument",
        "view_frame takes either a measurement or live: true",
        "Give one of the two.",
      );
    }
    this.#operations.checkBudget("views");
    const { width_px, height_px } = this.#options.instruments.camera.info;
    if (crop !== undefined && (crop.x_px + crop.width_px > width_px || crop.y_px + crop.height_px > height_px)) {
      throw new BenchError(
        "bad_argument",
        `crop: ${crop.width_px} × ${crop.height_px} pixels from (${crop.x_px}, ${crop.y_px}) leave the sensor of ${width_px} × ${height_px}`,
        "Choose a crop inside the sensor.",
      );
    }
    const shown = id === undefined ? await this.#liveView(call) : this.#storedView(id);
    this.#budgets.spend("views", 1);
    const view = this.#views.next();
    const code = this.#views.code(this.#log.nextSeq);
    const picture = drawPicture(shown.frame, {
      ...(crop === undefined ? {} : { crop }),
      logScale: log_scale,
      pixelPitch_um: this.#pixelPitch_um,
      caption: `${id ?? "live"}  z = ${shown.z_actual_mm.toFixed(3)} mm  ${Number(shown.frame.exposure_ms.toPrecision(6))} ms`,
      code,
      simulated: this.simulated || shown.frame.simulated,
    });
    this.#views.add(view, code, picture.png);
    this.#frames.put(view, shown.frame);
    const facts = { z_actual_mm: shown.z_actual_mm, exposure_ms: shown.frame.exposure_ms };
    this.#log.emit("view_made", {
      call: call.seq,
      view,
      ...(id === undefined ? {} : { measurement: id }),
      ...facts,
      log_scale,
    });
    return {
      view,
      ...(id === undefined ? {} : { measurement: id }),
      ...facts,
      colour_map: COLOUR_MAP_NAME,
      minimum_counts: picture.minimum_counts,
      maximum_counts: picture.maximum_counts,
      scale_um_per_picture_px: picture.scale_um_per_picture_px,
      frame_uri: `bench://run/${this.handle}/frame/${id ?? view}`,
    };
  }

  #storedView(id: string): { frame: Frame; z_actual_mm: number } {
    const { z_actual_mm } = this.#measurements.get(id);
    return { frame: this.#frames.get(id), z_actual_mm };
  }

  async #liveView(call: Call): Promise<{ frame: Frame; z_actual_mm: number }> {
    return this.#act(
      call,
      async (action) => {
        this.#operations.checkExposure(this.#operations.exposure_ms, 1);
        const z_actual_mm = await this.#operations.locate();
        if (z_actual_mm === undefined) {
          throw new InstrumentError("not_homed", this.#operations.stageName, "the position is unknown");
        }
        const index = this.#views.live++;
        const before = this.#measurements.count;
        const [frame] = await this.#operations.acquire("live", before, 1, action, call.seq, call.report, index);
        if (frame === undefined) throw new RangeError("one frame was asked for");
        return { frame, z_actual_mm };
      },
      true,
    );
  }

  #planning(): PlanningState {
    const { stage, camera } = this.#options.instruments;
    const { z_actual_mm, exposure_ms } = this.#operations;
    const { x, y, wire } = this.#measurements.fit();
    const used = new Set(wire.used);
    return {
      limits: this.#limits,
      velocity_mm_s: stage.info.velocity_mm_s,
      acceleration_mm_s2: stage.info.acceleration_mm_s2,
      ...(z_actual_mm === undefined ? {} : { z_mm: z_actual_mm }),
      exposure_ms,
      fullScale_counts: 2 ** camera.info.bitDepth - 1,
      largestWidth_um: 0.5 * Math.min(camera.info.width_px, camera.info.height_px) * this.#pixelPitch_um,
      x,
      y,
      used: this.#measurements.list().filter((measurement) => used.has(measurement.measurement)),
    };
  }
}

/** What an instrument says when it obeys a stop. */
const OBEYED: ReadonlySet<string> = new Set(["cancelled", "position_error"]);

function instrumentFailed(error: InstrumentError): BenchError {
  return new BenchError(
    "instrument_failed",
    `${error.message} (${error.code})`,
    error.hint ?? "Try again; if it fails again, ask the operator to look at the instrument.",
  );
}
