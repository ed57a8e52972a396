import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { BenchVerbs, CallContext, Caller } from "../contract/bench-verbs.ts";
import { BenchError, type BenchErrorShape } from "../contract/error-codes.ts";
import type { BenchEvent, BenchEventOf } from "../contract/events.ts";
import {
  type BenchDescription,
  TOOLS,
  TOOL_NAMES,
  type ToolInput,
  type ToolName,
  type ToolOutput,
} from "../contract/tools.ts";
import { type Action, ActionLock } from "./action-lock.ts";
import type { BenchSession, BenchSessionOptions, BenchSnapshot, LiveSignal } from "./bench-session.ts";
import { BudgetLedger } from "./budgets.ts";
import { CallerRegister } from "./caller-register.ts";
import { ControlLease } from "./control-lease.ts";
import { DarkLibrary } from "./dark-library.ts";
import { FrameKeep } from "./frame-keep.ts";
import { frameWorkHere } from "./frame-work.ts";
import { instrumentFailed } from "./instrument-failed.ts";
import { Jobs } from "./jobs.ts";
import { type Limits, createLimits } from "./limits.ts";
import { type CausticOfRun, MeasurementList } from "./measurement-list.ts";
import { omit } from "./omit.ts";
import { LimitError, Operations } from "./operations.ts";
import { RepeatedCalls } from "./repeated-calls.ts";
import { Listeners, RunLog } from "./run-log.ts";
import { type VerbHandlers, checkBenchName, createVerbHandlers } from "./verb-handlers.ts";
import { Views } from "./views.ts";
import type { Body, Call, Workplace } from "./workplace.ts";

const DEFAULT_FRAMES = 5;
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
/** Arguments that fit their schema, whichever tool they are for. */
type ParsedInput = Readonly<Record<string, unknown>> & {
  readonly run?: string;
  readonly reason?: string;
  readonly image_code?: string;
  readonly idempotency_key?: string;
};

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

  readonly #place: Workplace;
  readonly #signals: Listeners<LiveSignal>;
  readonly #callers = new CallerRegister();
  readonly #lease: ControlLease;
  readonly #repeated = new RepeatedCalls((job) => this.#place.jobs.status(job, 0));
  readonly #handlers: VerbHandlers;
  readonly #opened_ms: number;
  #state: BenchSnapshot["state"] = "open";
  /** From the moment at which closing begins: what is asked for while the stage is brought to a stand must not begin. */
  #closing: Promise<void> | undefined;
  #glances = 0;
  #lastCall_ms: number;
  /** STOPs that the stage has not confirmed yet. */
  #stopping = 0;
  /** Who pressed the newest STOP, and the number of the newest `stopped` event that says so; -1 before the first. */
  #lastStop = { by: "", seq: -1 };
  /**
   * A script or agent that drives has not heard of a STOP yet that somebody else pressed while nothing of theirs ran. The operator's
   * windows watch the events and say with each act how far they got.
   */
  #unheardStop: { readonly callerId: string; readonly by: string } | undefined;

  constructor(options: BenchSessionOptions, parts: SessionParts) {
    const { bench, instruments, clock, hostClock } = options;
    const { stage, camera } = instruments;
    const { limits, log } = parts;
    this.bench = bench;
    this.handle = options.newHandle();
    this.simulated = options.simulated ?? (stage.info.simulated && camera.info.simulated);
    this.handleLifetime_s = options.handleLifetime_s ?? HANDLE_LIFETIME_S;
    this.tools = options.tools ?? TOOL_NAMES;
    this.#signals = parts.signals;
    this.#opened_ms = clock.now_ms();
    this.#lastCall_ms = hostClock.now_ms();
    const pixelPitch_um = options.pixelPitch_um ?? camera.info.pixelPitch_um;
    this.description = {
      bench,
      wavelength_nm: options.wavelength_nm,
      sensor_width_px: camera.info.width_px,
      sensor_height_px: camera.info.height_px,
      pixel_pitch_um: pixelPitch_um,
      bit_depth: camera.info.bitDepth,
      full_scale_counts: 2 ** camera.info.bitDepth - 1,
      stage_travel_mm: { min: stage.info.travelMin_mm, max: stage.info.travelMax_mm },
      stage_velocity_mm_s: stage.info.velocity_mm_s,
      exposure_range_ms: { ...limits.exposure_ms },
      limits_mm: { ...limits.position_mm },
      keep_out_zones: limits.zones.map((zone) => ({ ...zone })),
      default_frames: options.defaultFrames ?? DEFAULT_FRAMES,
      rules: [...(options.rules ?? [])],
      ...(options.operatorNote === undefined ? {} : { operator_note: options.operatorNote }),
    };
    this.#place = {
      options,
      handle: this.handle,
      simulated: this.simulated,
      pixelPitch_um,
      description: this.description,
      limits,
      log,
      budgets: parts.budgets,
      operations: parts.operations,
      darks: new DarkLibrary(),
      measurements: new MeasurementList({
        wavelength_nm: options.wavelength_nm,
        ...(options.uZ_mm === undefined ? {} : { uZ_mm: options.uZ_mm }),
        ...(options.calibration === undefined ? {} : { calibration: options.calibration }),
      }),
      views: new Views(options.canary),
      frames: new FrameKeep(options.framesKept_bytes ?? FRAMES_KEPT_BYTES),
      frameWork: options.frameWork ?? frameWorkHere(options.kernel),
      jobs: new Jobs(hostClock),
      lock: new ActionLock(hostClock),
      beamBlocked: false,
      shutterMayBeClosed: false,
      act: (call, work, yields) => this.#act(call, work, yields),
    };
    this.#lease = new ControlLease((options.leaseIdle_s ?? LEASE_IDLE_S) * 1000, (holder, why) => {
      log.emit("control_changed", {
        ...(holder === undefined ? {} : { holder: this.#callers.logged(holder) }),
        why,
      });
    });
    this.#handlers = createVerbHandlers(this.#place, {
      long: (call, work, meanwhile) => this.#long(call, work, meanwhile),
      stop: (call) => this.#stop(call),
      open: (asked, call) => this.#open(asked, call),
      status: (call) => this.#status(call),
      finished: () => {
        this.#state = "finished";
      },
    });
    this.verbs = Object.fromEntries(
      TOOL_NAMES.map((tool) => [
        tool,
        (input: ToolInput<ToolName>, context: CallContext) => this.#invoke(tool, input, context),
      ]),
    ) as unknown as BenchVerbs;
    const { z_actual_mm, exposure_ms } = parts.operations;
    const { pixelPitch, stageScale, wavelength } = options.calibration ?? {};
    log.emit("run_opened", {
      format: 1,
      simulated: this.simulated,
      description: this.description,
      budgets: { ...(options.budgets ?? {}) },
      tools: [...this.tools],
      findings: options.findings ?? "standard",
      uncertainties: {
        ...(options.uZ_mm === undefined ? {} : { z_mm: options.uZ_mm }),
        ...(pixelPitch === undefined ? {} : { pixel_pitch: pixelPitch }),
        ...(stageScale === undefined ? {} : { stage_scale: stageScale }),
        ...(wavelength === undefined ? {} : { wavelength }),
      },
      position_tolerance_mm: options.positionTolerance_mm ?? POSITION_TOLERANCE_MM,
      ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
      exposure_ms,
    });
  }

  // ---- looking ----

  get state(): BenchSnapshot["state"] {
    return this.#state;
  }

  get expired(): boolean {
    return this.#place.options.hostClock.now_ms() - this.#lastCall_ms > this.handleLifetime_s * 1000;
  }

  snapshot(): BenchSnapshot {
    const { z_requested_mm, z_actual_mm, exposure_ms } = this.#place.operations;
    const holder = this.#lease.holder;
    const running = this.#place.lock.running?.what;
    return {
      seq: this.#place.log.nextSeq - 1,
      state: this.#state,
      ...(holder === undefined ? {} : { holder: { kind: holder.kind, name: holder.name } }),
      ...(running === undefined ? {} : { running }),
      ...(z_requested_mm === undefined ? {} : { z_requested_mm }),
      ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
      exposure_ms,
      measurements: this.#place.measurements.list(),
      darks: this.#place.darks.list(this.#place.measurements.count),
      budget: this.#place.budgets.left(),
    };
  }

  isHolder(callerId: string): boolean {
    return this.#lease.holder?.id === callerId;
  }

  events(from?: number): readonly BenchEvent[] {
    return this.#place.log.events(from);
  }

  subscribe(listener: (event: BenchEvent) => void): () => void {
    return this.#place.log.subscribe(listener);
  }

  watch(listener: (signal: LiveSignal) => void): () => void {
    return this.#signals.add(listener);
  }

  picture(view: string): Uint8Array<ArrayBuffer> {
    return this.#place.views.png(view);
  }

  frame(id: string): Frame {
    return this.#place.frames.get(id);
  }

  caustic(): CausticOfRun["wire"] {
    return this.#place.measurements.fit().wire;
  }

  async liveFrame(cancellation?: Cancellation): Promise<Frame | undefined> {
    if (!this.#place.lock.free || this.#state === "closed" || cancellation?.aborted === true) return undefined;
    const index = WINDOW_FRAMES + this.#glances++;
    const stop = (): void => {
      this.#place.lock.interrupt(new BenchError("stopped", "The live frame was called off", "Ask again."), isGlance);
    };
    const isGlance = (action: Action): boolean => action.what === "live frame";
    cancellation?.addEventListener("abort", stop, { once: true });
    try {
      return await this.#place.lock.perform({ what: "live frame", callerId: "", yields: true }, (action) =>
        this.#place.operations.glance(this.#place.measurements.count, index, action),
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
    this.#lease.takeOver(operator, this.#place.options.hostClock.now_ms());
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
    this.#lease.giveBack(operator, this.#place.options.hostClock.now_ms());
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
    this.#operatorActs(operator, "note", { text });
  }

  async home(operator: Caller, heardEvents?: number): Promise<void> {
    this.#operatorActs(operator, "home", { heardEvents });
    this.#hearStop(operator, heardEvents);
    const { stage } = this.#place.options.instruments;
    this.#lease.claim(operator, this.#place.options.hostClock.now_ms(), this.#place.lock.running !== undefined);
    try {
      await this.#place.lock.perform({ what: "home", callerId: operator.id }, async (action) => {
        try {
          action.signal.throwIfAborted();
          await stage.home({
            cancellation: action.signal,
            onProgress: ({ current_mm, target_mm }) =>
              this.#signals.tell({ type: "stage", z_mm: current_mm, target_mm }),
          });
        } finally {
          await this.#place.operations.locate();
        }
      });
    } catch (error) {
      throw this.#recordFailure(error, "home", undefined);
    }
    const { z_actual_mm } = this.#place.operations;
    if (z_actual_mm === undefined) return;
    this.#place.operations.z_requested_mm = z_actual_mm;
    this.#place.log.emit("move_ended", {
      outcome: "arrived",
      z_requested_mm: z_actual_mm,
      z_actual_mm,
      travel_mm: 0,
      duration_s: 0,
      limit_state: this.#place.limits.limitState(z_actual_mm),
    });
  }

  setBeamBlocked(operator: Caller, blocked: boolean): void {
    this.#operatorActs(operator, blocked ? "beam_blocked" : "beam_unblocked");
    this.#place.beamBlocked = blocked;
  }

  #operatorActs(
    operator: Caller,
    action: BenchEventOf<"operator_acted">["action"],
    { text, heardEvents }: { readonly text?: string; readonly heardEvents?: number | undefined } = {},
  ): void {
    this.#checkOperator(operator);
    this.#checkOpen();
    this.#place.log.emit("operator_acted", {
      caller: this.#callers.logged(operator),
      action,
      ...(text === undefined ? {} : { text }),
      ...(heardEvents === undefined ? {} : { heard_events: heardEvents }),
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
    this.#place.log.emit("caller_left", { caller: this.#callers.logged(caller) });
    this.#lease.release(callerId, this.#place.options.hostClock.now_ms());
    const reason = new BenchError("stopped", `${caller.name} is gone, so what it started was stopped`, "Call again.");
    await this.#halt("caller_left", undefined, reason, (action) => action.callerId === callerId);
  }

  callRejected(tool: string, caller: Caller, refusal: string | BenchErrorShape): void {
    if (this.#state === "closed") return;
    const error =
      typeof refusal === "string"
        ? new BenchError("bad_argument", refusal, "Look at the list of tools and their schemas.").toWire()
        : refusal;
    this.#place.log.emit("call_rejected", { tool, caller: this.#callers.logged(caller), error });
  }

  close(why: "finished" | "abandoned" | "expired"): Promise<void> {
    this.#closing ??= this.#close(why);
    return this.#closing;
  }

  async #close(why: "finished" | "abandoned" | "expired"): Promise<void> {
    // Whoever closes a run with a verdict closes a finished one, whatever made them close it.
    const ended = this.#state === "finished" ? "finished" : why;
    const reason = new BenchError("stopped", "The run was closed", "Open the bench again.");
    try {
      const stopped = await this.#halt("closing", undefined, reason, () => true);
      await this.#place.lock.settled();
      // Whoever was interrupted is answered in turns of promises alone; the closing is the last event.
      if (stopped.length > 0) await new Promise((resolve) => void setImmediate(resolve));
    } finally {
      this.#place.log.emit("run_closed", { why: ended });
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
    this.#lastCall_ms = this.#place.options.hostClock.now_ms();
    if (!this.tools.includes(tool)) {
      const error = new BenchError("not_offered", `${tool} is not offered here`, `On offer: ${this.tools.join(", ")}.`);
      this.#place.log.emit("call_rejected", { tool, caller: this.#callers.logged(caller), error: error.toWire() });
      throw error;
    }
    const { reason } = input;
    const { cancellation, heardEvents } = context;
    const seq = this.#place.log.emit("tool_called", {
      tool,
      caller: this.#callers.logged(caller),
      input: omit(input, "run", "reason"),
      ...(reason === undefined ? {} : { reason }),
      ...(heardEvents === undefined ? {} : { heard_events: heardEvents }),
    });
    const call: Call<Name> = {
      tool,
      seq,
      caller,
      reason,
      ...(heardEvents === undefined ? {} : { heardEvents }),
      report: this.#reporter(tool, seq, context),
    };
    const cancel = (): void => {
      this.#cancelled(call);
    };
    cancellation?.addEventListener("abort", cancel, { once: true });
    try {
      if (cancellation?.aborted === true) {
        cancel();
        throw new BenchError("stopped", `${tool} was cancelled before it began`, "Call again.");
      }
      this.#confirmImage(input.image_code, seq);
      return await this.#answer(call, input as unknown as ToolInput<Name>, input.idempotency_key);
    } catch (error) {
      const failure = this.#recordFailure(error, tool, seq);
      this.#place.log.emit("tool_returned", {
        call: seq,
        tool,
        caller: this.#callers.logged(caller),
        error: failure.toWire(),
      });
      throw failure;
    } finally {
      cancellation?.removeEventListener("abort", cancel);
    }
  }

  /** The answer of a call, or of an earlier one with the same idempotency key. */
  async #answer<Name extends ToolName>(
    call: Call<Name>,
    input: ToolInput<Name>,
    key: string | undefined,
  ): Promise<ToolOutput<Name>> {
    if (key === undefined) return this.#carryOut(call, input);
    const { tool, seq, caller } = call;
    const same = omit(input, "run", "reason", "image_code");
    const fingerprint = JSON.stringify(same, Object.keys(same).sort());
    const { answer, repeated } = await this.#repeated.once(key, fingerprint, () => this.#carryOut(call, input));
    if (repeated) {
      this.#place.log.emit("tool_returned", {
        call: seq,
        tool,
        caller: this.#callers.logged(caller),
        output: this.#withoutHandle(answer),
        repeated,
      });
    }
    return answer;
  }

  async #carryOut<Name extends ToolName>(call: Call<Name>, input: ToolInput<Name>): Promise<ToolOutput<Name>> {
    const { tool, seq, caller } = call;
    this.#mayCall(call, input);
    const handler = this.#handlers[tool] as (
      input: ToolInput<Name>,
      call: Call<Name>,
    ) => Promise<Body<Name>> | Body<Name>;
    const body = await handler(input, call);
    this.#place.log.checkWritable();
    const output = this.#completed(body, this.#place.log.nextSeq);
    this.#place.log.emit("tool_returned", {
      call: seq,
      tool,
      caller: this.#callers.logged(caller),
      output: this.#withoutHandle(output),
    });
    return output as unknown as ToolOutput<Name>;
  }

  #completed(body: object, seq: number): Record<string, unknown> {
    return { ...body, run: this.handle, seq, simulated: this.simulated, budget: this.#place.budgets.left() };
  }

  /** As it stands in the log: handles are secrets. */
  #withoutHandle(output: object): Record<string, unknown> {
    const rest: Record<string, unknown> = omit(output, "run");
    const { frame_uri, result } = rest;
    if (typeof frame_uri === "string") rest["frame_uri"] = frame_uri.replace(this.handle, "{run}");
    // The answer of a job has a handle of its own.
    if (typeof result === "object" && result !== null) rest["result"] = this.#withoutHandle(result);
    return rest;
  }

  /** Everything that decides whether a call may go on, apart from what it asks for. */
  #mayCall<Name extends ToolName>({ tool, caller, heardEvents }: Call<Name>, input: ToolInput<Name>): void {
    if (ACTING.has(tool) || (tool === "view_frame" && "live" in input && input.live === true)) {
      this.#checkOpen();
      this.#place.log.checkWritable();
      if (this.#state === "finished") {
        throw new BenchError("run_finished", "The run has ended", "Open the bench again for another run.");
      }
      if (this.#state === "paused" && this.#lease.holder?.kind !== "operator") {
        throw new BenchError("paused", "The operator has paused the run", "Wait; looking and STOP still work.");
      }
      this.#hearStop(caller, heardEvents);
    }
    if (ACTING.has(tool)) {
      this.#lease.claim(caller, this.#place.options.hostClock.now_ms(), this.#place.lock.running !== undefined);
    }
    if (UNCOUNTED.has(tool)) return;
    const refusal = this.#place.budgets.refusal("calls", 1);
    if (refusal !== undefined) throw new LimitError(refusal);
    this.#place.budgets.spend("calls", 1);
  }

  /**
   * Refuses an act whose caller cannot have known of a STOP: without that, the next call of a sequence, on its way or not yet sent,
   * moves the stage on. Nothing begins either before the stage has confirmed a STOP.
   */
  #hearStop(caller: Caller, heardEvents: number | undefined): void {
    if (this.#stopping > 0) {
      throw new BenchError("stopped", "STOP was pressed and is being carried out", "Call again once the stage stands.");
    }
    const unheard = this.#stopUnheardBy(caller, heardEvents);
    if (unheard === undefined) return;
    throw new BenchError(
      "stopped",
      `STOP was pressed by ${unheard.by} before this`,
      "The stage stands; what was measured before is kept. Call again to go on.",
    );
  }

  /** Who says how far it follows the events is believed; anybody else hears of a STOP by one refusal. */
  #stopUnheardBy(caller: Caller, heardEvents: number | undefined): { readonly by: string } | undefined {
    if (heardEvents !== undefined) return this.#lastStop.seq >= heardEvents ? this.#lastStop : undefined;
    const unheard = this.#unheardStop;
    if (unheard?.callerId !== caller.id) return undefined;
    this.#unheardStop = undefined;
    return unheard;
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
      this.#place.log.emit("call_rejected", { tool, caller: this.#callers.logged(caller), error: error.toWire() });
    }
    throw error;
  }

  #checkOpen(): void {
    if (this.#closing !== undefined || this.expired) {
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
      this.#place.jobs.progress(seq, fraction);
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
    this.#place.log.emit("call_cancelled", { call: call.seq, caller: this.#callers.logged(call.caller) });
    // Failures of the stage are recorded inside; nobody is left to be told.
    this.#halt("call_cancelled", undefined, reason, mine).catch(() => undefined);
  }

  /** Interrupts the actions meant, if any run, and stops the stage. */
  async #halt(
    why: BenchEventOf<"stopped">["why"],
    call: number | undefined,
    reason: BenchError,
    meant: (action: Action) => boolean,
  ): Promise<string[]> {
    const stopped = this.#place.lock.interrupt(reason, meant).map((action) => action.what);
    if (stopped.length === 0 && why !== "stop") return [];
    try {
      const { position_mm } = await this.#place.options.instruments.stage.stop();
      if (position_mm === undefined || Number.isFinite(position_mm)) this.#place.operations.z_actual_mm = position_mm;
    } catch (error) {
      throw this.#recordFailure(error, "stop", call);
    } finally {
      const { z_actual_mm } = this.#place.operations;
      const seq = this.#place.log.emit("stopped", {
        ...(call === undefined ? {} : { call }),
        why,
        stopped,
        ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
      });
      if (why === "stop") this.#lastStop = { ...this.#lastStop, seq };
    }
    return stopped;
  }

  /** Turns what was thrown into what the caller is told, and records what the log must know of it. */
  #recordFailure(error: unknown, during: string, call: number | undefined): BenchError {
    if (error instanceof LimitError) {
      const { code, name, value, unit, message } = error.refusal;
      if (call !== undefined) this.#place.log.emit("limit_refused", { call, code, name, value, unit, message });
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
    this.#place.log.emit("instrument_failed", {
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
    const found = this.#place.views.confirm(code);
    if (found === "unknown") this.#place.log.emit("image_code_unknown", { call });
    else if (found !== "again") this.#place.log.emit("image_confirmed", { call, view: found.view });
  }

  /** Work with the instruments on behalf of a call. A stop wins over whatever the instrument says because of it. */
  async #act<Result>(call: Call, work: (action: Action) => Promise<Result>, yields = false): Promise<Result> {
    return this.#place.lock.perform(
      { what: call.tool, callerId: call.caller.id, call: call.seq, yields },
      async (action) => {
        try {
          return await work(action);
        } catch (error) {
          if (!action.signal.aborted || error instanceof LimitError) throw error;
          const obeyed = error instanceof InstrumentError && OBEYED.has(error.code);
          if (error instanceof InstrumentError && !obeyed) this.#recordFailure(error, call.tool, call.seq);
          throw action.signal.reason;
        }
      },
    );
  }

  /** Answers with a job when the work takes longer than a caller is likely to wait. */
  async #long<Result extends object>(call: Call, work: Promise<Result>, meanwhile: object): Promise<Result | object> {
    const enough = new AbortController();
    const longCall_ms = this.#place.options.longCall_ms ?? LONG_CALL_MS;
    const LATE = Symbol("late");
    const first = await Promise.race([
      work,
      this.#place.options.hostClock.wait(longCall_ms, enough.signal).then((): typeof LATE => LATE),
    ]).finally(() => enough.abort(ANSWERED));
    if (first !== LATE) return first;
    const { tool, seq } = call;
    const job = this.#place.jobs.start(tool, seq, 0);
    this.#place.log.emit("job_started", { call: seq, job, tool });
    work.then(
      (body) => {
        const output = this.#completed(body, this.#place.log.nextSeq);
        this.#place.log.emit("job_ended", { call: seq, job, tool, output: this.#withoutHandle(output) });
        this.#place.jobs.end(job, { output });
      },
      (error: unknown) => {
        const failure = this.#recordFailure(error, tool, seq).toWire();
        this.#place.log.emit("job_ended", { call: seq, job, tool, error: failure });
        this.#place.jobs.end(job, { error: failure });
      },
    );
    return { status: "running", job, ...meanwhile };
  }

  #offer() {
    const { stage, camera } = this.#place.options.instruments;
    return {
      bench: this.bench,
      description: `${stage.info.model} with ${camera.info.model}`,
      simulated: this.simulated,
      in_use: this.#state !== "closed",
    };
  }

  #control(caller: Caller): { holder?: string; yours: boolean } {
    const holder = this.#lease.holder;
    return { ...(holder === undefined ? {} : { holder: holder.name }), yours: holder?.id === caller.id };
  }

  #open(bench: string, { caller }: Call): Body<"bench_open"> {
    checkBenchName(bench, this.bench);
    if (this.#state === "finished") {
      throw new BenchError("run_finished", "The run on this bench has ended", "Wait until it is closed.");
    }
    return { ...this.description, control: this.#control(caller), handle_lifetime_s: this.handleLifetime_s };
  }

  #status({ caller }: Call): Body<"bench_status"> {
    const { state, z_requested_mm, z_actual_mm, exposure_ms, measurements, darks } = this.snapshot();
    const action = this.#place.lock.running;
    const job = action?.call === undefined ? undefined : this.#place.jobs.ofCall(action.call);
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
      elapsed_s: (this.#place.options.clock.now_ms() - this.#opened_ms) / 1000,
    };
  }

  async #stop(call: Call): Promise<Body<"stop">> {
    const { holder } = this.#lease;
    const hears = holder === undefined || holder.id === call.caller.id || holder.kind === "operator";
    if (!hears && this.#place.lock.running?.callerId !== holder.id) {
      this.#unheardStop = { callerId: holder.id, by: call.caller.name };
    }
    const reason = new BenchError(
      "stopped",
      `STOP was pressed by ${call.caller.name} while this ran`,
      "The stage stands; what was measured before is kept. Call again to go on.",
    );
    this.#stopping += 1;
    this.#lastStop = { ...this.#lastStop, by: call.caller.name };
    try {
      const stopped = await this.#halt("stop", call.seq, reason, () => true);
      const { z_actual_mm } = this.#place.operations;
      return { stopped, ...(z_actual_mm === undefined ? {} : { z_actual_mm }) };
    } finally {
      this.#stopping -= 1;
    }
  }
}

/** Why the wait for a long call ends early. Without a reason the signal makes an error with a stack, for every call. */
const ANSWERED = "the call was answered";

/** What an instrument says when it obeys a stop. */
const OBEYED: ReadonlySet<string> = new Set(["cancelled", "position_error"]);
