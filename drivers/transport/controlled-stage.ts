import type { Cancellation } from "../protocol/cancellation.ts";
import type { Clock } from "../protocol/clock.ts";
import { InstrumentError, type InstrumentErrorCode, type InstrumentErrorDetail } from "../protocol/instrument-error.ts";
import type { MoveOptions, Stage, StageInfo, StageState } from "../protocol/stage.ts";
import type { Axis, AxisFault, AxisIdentity, AxisStatus } from "./axis.ts";
import { BenchCoordinates } from "./bench-coordinates.ts";
import { MoveWatch } from "./move-watch.ts";
import type { StageOptions } from "./stage-options.ts";
import { refuseTarget } from "./travel-limits.ts";

const POLL_ms = 50;
const STALL_ms = 3000;
/** Homing crawls at its end and waits at switches; a stall shows later than in a move. */
const HOMING_STALL_ms = 15_000;
/** A controller may take this long between accepting a command and saying that it moves, or for its last correction. */
const SETTLE_ms = 600;
const STOP_DEADLINE_ms = 10_000;
/** A stage that still moves this long after a stop is told again. */
const STOP_AGAIN_ms = 1000;
const STOP_ATTEMPTS = 3;
/**
 * After a failed motion the stop is tried for this long on a line that does not answer. What was sent may have arrived; a person who can
 * look has to hear of the failure while there is still something to do.
 */
const STOP_EFFORT_ms = 2000;
const TOLERANCE_mm = 0.005;
const EXCURSION_mm = 0.5;
/** Pairs of looks at a stage at rest until two agree. */
const STEADY_LOOKS_MAX = 4;

/** With these the stop may not have reached the stage. */
const LINE_TROUBLES: ReadonlySet<InstrumentErrorCode> = new Set(["timed_out", "bad_reply", "connection_lost"]);

const HOME_HINT = "home the stage, then measure again";

/** What can be done about an error that says nothing of it itself. */
const HINTS: Partial<Record<InstrumentErrorCode, string>> = {
  bad_reply: "something disturbs the line, or another program talks on it; try again",
  position_error: "look whether something is in the way, then move again",
  position_lost: HOME_HINT,
  refused: "look at the controller's own words; home the stage or switch the controller off and on",
  faulted: "look at the controller; clear the fault or switch it off and on, then home the stage",
};

/** What the controller itself says may be why a motion ended where it did. */
const withWarnings = (message: string, { warnings }: AxisStatus): string =>
  warnings.length === 0 ? message : `${message} (the controller says: ${warnings.join("; ")})`;

/** The one motion under way. */
interface Motion {
  readonly what: string;
  /** Why it has to end before its time. */
  stopped: string | undefined;
  /** True from the moment that a command may have reached the controller. */
  started: boolean;
}

/**
 * A stage over the axis of some controller. Everything that must hold for every maker lives here: the bench's
 * coordinates, limits and keep-out zones, one motion at a time, the watch on deadline, progress and direction, what
 * happens when the reference or the connection is lost, and the stop that works at any moment. A motion that cannot be
 * brought to its end is stopped, and then fails by name.
 */
export class ControlledStage implements Stage {
  readonly #axis: Axis;
  readonly #clock: Clock;
  readonly #options: StageOptions;
  readonly #coordinates: BenchCoordinates;
  #identity: AxisIdentity | undefined;
  #info: StageInfo | undefined;
  #setpoint_mm: number | undefined;
  #homed = false;
  /** Why the reference is gone, until the stage is homed again. */
  #positionLost: string | undefined;
  #motion: Motion | undefined;
  #connecting: Promise<void> | undefined;
  #closed = false;

  private constructor(axis: Axis, clock: Clock, options: StageOptions) {
    this.#axis = axis;
    this.#clock = clock;
    this.#options = options;
    this.#coordinates = new BenchCoordinates(options.calibration);
  }

  /** Opens the link and identifies the controller. Moves nothing. */
  static async connect(axis: Axis, clock: Clock, options: StageOptions = {}): Promise<ControlledStage> {
    const stage = new ControlledStage(axis, clock, options);
    await stage.#connect(false);
    return stage;
  }

  get info(): StageInfo {
    if (this.#info === undefined) {
      throw this.#error("not_connected", "not connected yet");
    }
    return this.#info;
  }

  get isConnected(): boolean {
    return this.#axis.linkIsOpen;
  }

  async readState(): Promise<StageState> {
    await this.#ensureConnected();
    try {
      return this.#toState(await this.#readSteadyStatus());
    } catch (error) {
      throw this.#named(error);
    }
  }

  async home(options: MoveOptions = {}): Promise<StageState> {
    await this.#ensureConnected();
    return this.#inMotion("homing", options.cancellation, async (motion) => {
      const before = await this.#axis.readStatus();
      if (before.moving) {
        throw this.#error("busy", "the stage is moving already", {}, "wait for it or stop it");
      }
      this.#setpoint_mm = undefined;
      this.#homed = false;
      motion.started = true;
      await this.#axis.startHome();
      await this.#followHoming(motion, before, options);
      const status = await this.#readSteadyStatus();
      if (!status.homed || status.moving) {
        throw this.#error("position_error", "homing ended, but the controller has no reference");
      }
      return this.#toState(status);
    });
  }

  async moveTo(target_mm: number, options: MoveOptions = {}): Promise<StageState> {
    await this.#ensureConnected();
    return this.#inMotion("the move", options.cancellation, async (motion) => {
      const before = await this.#readSteadyStatus();
      if (before.moving) {
        throw this.#error("busy", "the stage is moving already", {}, "wait for it or stop it");
      }
      if (this.#positionLost !== undefined) {
        throw this.#error("position_lost", this.#positionLost, {}, HOME_HINT);
      }
      if (!before.homed || before.position_mm === undefined) {
        throw this.#error("not_homed", "absolute moves need a reference first", {}, "home the stage");
      }
      const initial_mm = this.#coordinates.toBench(before.position_mm);
      const refusal = refuseTarget(initial_mm, target_mm, this.info, this.#options.keepOut ?? []);
      if (refusal !== undefined) {
        throw this.#error("out_of_range", refusal.message, refusal.detail);
      }
      this.#checkNotStopped(motion);
      motion.started = true;
      await this.#axis.startMove(this.#coordinates.toDevice(target_mm));
      this.#setpoint_mm = target_mm;
      await this.#followMove(motion, initial_mm, target_mm, options);
      const status = await this.#readSteadyStatus();
      this.#checkArrival(status, target_mm);
      this.#checkNotStopped(motion);
      return this.#toState(status);
    });
  }

  /** Moves by a distance from where the stage stands. */
  async moveBy(distance_mm: number, options: MoveOptions = {}): Promise<StageState> {
    const { position_mm } = await this.readState();
    if (position_mm === undefined) {
      throw this.#error("not_homed", "the stage does not know where it is", {}, "home the stage");
    }
    return this.moveTo(position_mm + distance_mm, options);
  }

  async stop(): Promise<StageState> {
    if (this.#motion !== undefined) {
      this.#motion.stopped ??= `${this.#motion.what} was stopped`;
    }
    if (!this.#axis.linkIsOpen) {
      await this.#ensureConnected();
    }
    try {
      await this.#sendStop();
      return this.#toState(await this.#awaitStandstill());
    } catch (error) {
      const unheard = error instanceof InstrumentError && LINE_TROUBLES.has(error.code);
      throw unheard ? this.#unconfirmed(error) : this.#named(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#motion !== undefined && this.#axis.linkIsOpen) {
      this.#motion.stopped ??= "the stage was closed";
      await this.#sendStop().catch(() => undefined);
    }
    await this.#axis.disconnect();
  }

  /**
   * Connects again after a lost link: stops whatever moves, then checks that it is the same instrument. The other
   * verbs do this by themselves when they find the link closed.
   */
  async reconnect(): Promise<void> {
    await this.#ensureConnected();
  }

  /**
   * Looks at the stage every `interval_ms` while nothing moves, so that a pulled plug or a reset is noticed on lines
   * that do not report it. Resolves to the first trouble, or to undefined when cancelled.
   */
  async heartbeat(interval_ms: number, cancellation: Cancellation): Promise<InstrumentError | undefined> {
    for (;;) {
      await this.#clock.wait(interval_ms, cancellation);
      if (cancellation.aborted || this.#closed) {
        return undefined;
      }
      if (this.#motion !== undefined) {
        continue;
      }
      try {
        this.#noteReference(await this.#look());
      } catch (error) {
        const named = this.#named(error);
        return named instanceof InstrumentError ? named : this.#error("bad_reply", String(error));
      }
      if (this.#positionLost !== undefined) {
        return this.#error("position_lost", this.#positionLost, {}, HOME_HINT);
      }
    }
  }

  async #ensureConnected(): Promise<void> {
    if (this.#closed) {
      throw this.#error("not_connected", "the stage was closed");
    }
    if (this.#axis.linkIsOpen && this.#connecting === undefined) {
      return;
    }
    this.#connecting ??= this.#connect(true).finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
  }

  async #connect(again: boolean): Promise<void> {
    try {
      const identity = await this.#axis.connect(again);
      this.#checkSameInstrument(identity);
      this.#info = this.#describe(identity);
      this.#identity = identity;
      this.#setpoint_mm = undefined;
      this.#noteReference(again ? await this.#awaitStandstill() : await this.#look());
    } catch (error) {
      await this.#axis.disconnect();
      throw !again && error instanceof InstrumentError && error.code === "bad_reply"
        ? this.#stranger(error)
        : this.#named(error);
    }
  }

  /** Whoever answers the first questions in another protocol, or at another baud rate, is not the controller that the driver is for. */
  #stranger({ instrument, message, detail }: InstrumentError): InstrumentError {
    const said = message.slice(`${instrument}: `.length);
    return this.#error(
      "bad_reply",
      `something answers, but not as the controller that this driver is for: ${said}`,
      detail,
      "check driver, baud rate and address in the bench file",
    );
  }

  #checkSameInstrument(identity: AxisIdentity): void {
    const known = this.#identity;
    if (known !== undefined && (known.serialNumber !== identity.serialNumber || known.model !== identity.model)) {
      throw this.#error(
        "not_connected",
        `another instrument answers: ${identity.model} ${identity.serialNumber} in place of ${known.model} ${known.serialNumber}`,
        { name: "serialNumber", value: identity.serialNumber, limit: known.serialNumber },
        "plug in the stage of this bench, or start a new session",
      );
    }
  }

  #describe(identity: AxisIdentity): StageInfo {
    const { softMin_mm = Number.NEGATIVE_INFINITY, softMax_mm = Number.POSITIVE_INFINITY } = this.#options;
    const ends_mm = [
      this.#coordinates.toBench(identity.travelMin_mm),
      this.#coordinates.toBench(identity.travelMax_mm),
    ];
    const travelMin_mm = Math.max(Math.min(...ends_mm), softMin_mm);
    const travelMax_mm = Math.min(Math.max(...ends_mm), softMax_mm);
    if (!(travelMin_mm < travelMax_mm)) {
      throw this.#error(
        "out_of_range",
        `the soft limits leave no travel: the stage itself reaches ${Math.min(...ends_mm)} to ${Math.max(...ends_mm)} mm`,
        { name: "softMin_mm", value: softMin_mm, unit: "mm", limit: softMax_mm },
      );
    }
    return {
      model: this.#options.model ?? identity.model,
      serialNumber: identity.serialNumber,
      ...(identity.firmware === undefined ? {} : { firmware: identity.firmware }),
      simulated: false,
      travelMin_mm,
      travelMax_mm,
      velocity_mm_s: this.#coordinates.lengthToBench(identity.velocity_mm_s),
      acceleration_mm_s2: this.#coordinates.lengthToBench(identity.acceleration_mm_s2),
      resolution_mm: this.#coordinates.lengthToBench(identity.resolution_mm),
    };
  }

  /** A reference that was there and is gone makes every position since void. */
  #noteReference(status: AxisStatus): void {
    if (status.homed) {
      this.#homed = true;
      this.#positionLost = undefined;
    } else if (this.#homed) {
      this.#homed = false;
      this.#setpoint_mm = undefined;
      this.#positionLost = status.lost ?? "the controller has lost its reference (reset or power cut)";
    }
  }

  /** One look, or two when the first shows trouble: bad news may be noise on a line without checksums. */
  async #look(): Promise<AxisStatus> {
    const status = await this.#axis.readStatus();
    const isTrouble = status.fault !== undefined || (this.#homed && !status.homed);
    return isTrouble ? this.#axis.readStatus() : status;
  }

  /**
   * Two looks at a stage at rest that agree: a garbled number on a line without checksums is not believed. While the
   * stage moves one look is enough.
   */
  async #readSteadyStatus(): Promise<AxisStatus> {
    let last = await this.#look();
    for (let look = 0; look < STEADY_LOOKS_MAX && !last.moving; look += 1) {
      const next = await this.#look();
      const same = next.homed === last.homed && !next.moving && this.#agree(next.position_mm, last.position_mm);
      last = next;
      if (same) {
        break;
      }
    }
    this.#noteReference(last);
    return last;
  }

  #agree(left_mm: number | undefined, right_mm: number | undefined): boolean {
    if (left_mm === undefined || right_mm === undefined) {
      return left_mm === right_mm;
    }
    return Math.abs(left_mm - right_mm) <= 2 * (this.#identity?.resolution_mm ?? 0);
  }

  #toState(status: AxisStatus): StageState {
    const warnings = new Set(status.warnings);
    if (status.fault !== undefined) {
      warnings.add(status.fault.message);
    }
    if (this.#positionLost !== undefined) {
      warnings.add(this.#positionLost);
    }
    return {
      ...(this.#setpoint_mm === undefined ? {} : { setpoint_mm: this.#setpoint_mm }),
      ...(status.homed && status.position_mm !== undefined
        ? { position_mm: this.#coordinates.toBench(status.position_mm) }
        : {}),
      moving: status.moving,
      homed: status.homed,
      warnings: [...warnings],
    };
  }

  /** Runs one motion at a time. Whatever fails it, the stage is stopped before the error is passed on. */
  async #inMotion(
    what: string,
    cancellation: Cancellation | undefined,
    run: (motion: Motion) => Promise<StageState>,
  ): Promise<StageState> {
    if (this.#motion !== undefined) {
      throw this.#error("busy", `${this.#motion.what} is under way`, {}, "wait for it or stop it");
    }
    if (cancellation?.aborted === true) {
      throw this.#error("cancelled", `${what} was cancelled before it began`);
    }
    const motion: Motion = { what, stopped: undefined, started: false };
    this.#motion = motion;
    const cancel = (): void => {
      motion.stopped ??= `${what} was cancelled`;
      // The loop that follows the motion stops the stage as well, if this attempt fails.
      this.#axis.stop().catch(() => undefined);
    };
    cancellation?.addEventListener("abort", cancel, { once: true });
    try {
      return await run(motion);
    } catch (error) {
      const stands = !motion.started || (await this.#bringToStandstill());
      throw stands ? this.#named(error) : this.#unconfirmed(error);
    } finally {
      cancellation?.removeEventListener("abort", cancel);
      this.#motion = undefined;
    }
  }

  async #followMove(motion: Motion, initial_mm: number, target_mm: number, options: MoveOptions): Promise<void> {
    const started_ms = this.#clock.now_ms();
    const { excursion_mm = EXCURSION_mm, stall_ms = STALL_ms } = this.#options;
    const watch = new MoveWatch({ ...this.info, initial_mm, target_mm, excursion_mm, stall_ms }, started_ms);
    const tolerance_mm = this.#tolerance_mm();
    let restingSince_ms: number | undefined;
    let suspected: string | undefined;
    for (;;) {
      const status = await this.#lookAtMotion(motion, suspected === undefined);
      const now_ms = this.#clock.now_ms();
      if (!status.homed || status.position_mm === undefined) {
        const reason = this.#positionLost ?? "the controller lost its position during the move";
        throw this.#error("position_lost", reason, {}, HOME_HINT);
      }
      const current_mm = this.#coordinates.toBench(status.position_mm);
      options.onProgress?.({ initial_mm, current_mm, target_mm, elapsed_ms: now_ms - started_ms });
      if (status.moving) {
        restingSince_ms = undefined;
      } else {
        restingSince_ms ??= now_ms;
        if (Math.abs(current_mm - target_mm) <= tolerance_mm) {
          return;
        }
        if (now_ms - restingSince_ms >= SETTLE_ms) {
          this.#checkArrival(status, target_mm);
        }
      }
      const verdict = watch.judge(current_mm, now_ms);
      // One wrong number may be noise on the line; two in a row are where the stage is.
      if (verdict !== undefined && (suspected === verdict.code || verdict.code === "timed_out")) {
        throw this.#error(verdict.code, withWarnings(verdict.message, status), {
          name: "position_mm",
          value: current_mm,
          unit: "mm",
        });
      }
      suspected = verdict?.code;
    }
  }

  async #followHoming(motion: Motion, before: AxisStatus, options: MoveOptions): Promise<void> {
    const started_ms = this.#clock.now_ms();
    const home_mm = this.#coordinates.toBench(0);
    const resolution_mm = this.#identity?.resolution_mm ?? 0;
    const deadline_ms = this.#identity?.homing_ms ?? 0;
    let hasMoved = false;
    let restingSince_ms: number | undefined;
    let progress_mm = before.position_mm;
    let progressAt_ms = started_ms;
    for (;;) {
      const status = await this.#lookAtMotion(motion, true);
      const now_ms = this.#clock.now_ms();
      const { position_mm } = status;
      if (position_mm !== undefined && before.position_mm !== undefined) {
        options.onProgress?.({
          initial_mm: this.#coordinates.toBench(before.position_mm),
          current_mm: this.#coordinates.toBench(position_mm),
          target_mm: home_mm,
          elapsed_ms: now_ms - started_ms,
        });
      }
      if (
        position_mm === undefined ||
        progress_mm === undefined ||
        Math.abs(position_mm - progress_mm) > resolution_mm
      ) {
        progress_mm = position_mm;
        progressAt_ms = now_ms;
      }
      if (status.moving) {
        hasMoved = true;
        restingSince_ms = undefined;
      } else {
        restingSince_ms ??= now_ms;
        const settled = now_ms - restingSince_ms >= SETTLE_ms;
        if (status.homed && (hasMoved || settled)) {
          return;
        }
        if (settled) {
          throw this.#error("position_error", "homing ended, but the controller has no reference");
        }
      }
      if (now_ms - started_ms > deadline_ms) {
        throw this.#error("timed_out", `the reference was not found within ${Math.round(deadline_ms / 1000)} s`, {
          value: deadline_ms,
          unit: "ms",
        });
      }
      if (now_ms - progressAt_ms > HOMING_STALL_ms) {
        throw this.#error(
          "position_error",
          `homing does not get on: the position has not changed for ${HOMING_STALL_ms / 1000} s`,
          {},
          "check the controller's home velocity, direction and limit switch",
        );
      }
    }
  }

  /** Looks, usually after a polling interval. Ends the motion when it was stopped or the controller has a fault. */
  async #lookAtMotion(motion: Motion, afterPause: boolean): Promise<AxisStatus> {
    if (afterPause) {
      await this.#clock.wait(this.#options.poll_ms ?? POLL_ms);
    }
    this.#checkNotStopped(motion);
    const status = await this.#look();
    this.#checkNotStopped(motion);
    this.#noteReference(status);
    if (status.fault !== undefined) {
      throw this.#faultError(status.fault);
    }
    return status;
  }

  #checkNotStopped(motion: Motion): void {
    if (motion.stopped !== undefined) {
      throw this.#error("cancelled", motion.stopped);
    }
  }

  #tolerance_mm(): number {
    return Math.max(this.#options.tolerance_mm ?? TOLERANCE_mm, 2 * this.info.resolution_mm);
  }

  #checkArrival(status: AxisStatus, target_mm: number): void {
    if (status.fault !== undefined) {
      throw this.#faultError(status.fault);
    }
    if (!status.homed || status.position_mm === undefined) {
      throw this.#error("position_lost", this.#positionLost ?? "the controller lost its position", {}, HOME_HINT);
    }
    const current_mm = this.#coordinates.toBench(status.position_mm);
    const tolerance_mm = this.#tolerance_mm();
    if (status.moving || Math.abs(current_mm - target_mm) > tolerance_mm) {
      throw this.#error(
        "position_error",
        withWarnings(
          `the stage ${status.moving ? "does not come to rest" : "stands still"} at ${current_mm.toFixed(4)} mm, ` +
            `away from its target of ${target_mm} mm`,
          status,
        ),
        { name: "position_mm", value: current_mm, unit: "mm", limit: tolerance_mm },
      );
    }
  }

  async #sendStop(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#axis.stop();
        return;
      } catch (error) {
        if (!this.#axis.linkIsOpen || attempt >= STOP_ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  async #awaitStandstill(): Promise<AxisStatus> {
    const deadline_ms = this.#clock.now_ms() + STOP_DEADLINE_ms;
    let stopAgain_ms = this.#clock.now_ms() + STOP_AGAIN_ms;
    for (;;) {
      const status = await this.#readSteadyStatus();
      if (!status.moving) {
        return status;
      }
      const now_ms = this.#clock.now_ms();
      if (now_ms > deadline_ms) {
        throw this.#error("position_error", "the stage does not stop", {}, "cut its power");
      }
      if (now_ms > stopAgain_ms) {
        await this.#sendStop();
        stopAgain_ms = now_ms + STOP_AGAIN_ms;
      }
      await this.#clock.wait(this.#options.poll_ms ?? POLL_ms);
    }
  }

  /** The best that can be done after a failure. Returns whether the stage is known to stand still. */
  async #bringToStandstill(): Promise<boolean> {
    const giveUp_ms = this.#clock.now_ms() + STOP_EFFORT_ms;
    while (this.#axis.linkIsOpen && this.#clock.now_ms() < giveUp_ms) {
      try {
        await this.#sendStop();
        await this.#awaitStandstill();
        return true;
      } catch {
        // A line that is silent now may be heard again in a moment.
        await this.#clock.wait(this.#options.poll_ms ?? POLL_ms);
      }
    }
    return false;
  }

  #faultError(fault: AxisFault): InstrumentError {
    return this.#error(fault.code, fault.message, fault.reply === undefined ? {} : { reply: fault.reply }, fault.hint);
  }

  /** The error under the name that the instrument has on the bench, whatever part of the driver it comes from. */
  #named(error: unknown): unknown {
    if (!(error instanceof InstrumentError)) return error;
    const { code, detail, hint, instrument, message } = error;
    if (instrument === this.#name) return error;
    return this.#error(code, message.slice(`${instrument}: `.length), detail, hint ?? HINTS[code]);
  }

  /** The error of a motion after which nobody knows whether the stage stands still. */
  #unconfirmed(cause: unknown): unknown {
    const error = this.#named(cause);
    if (!(error instanceof InstrumentError)) return error;
    const { code, detail, hint, instrument, message } = error;
    return this.#error(
      code,
      `${message.slice(`${instrument}: `.length)}; the stage may still be moving: the stop was not confirmed`,
      detail,
      `look at the stage and cut its power if it moves${hint === undefined ? "" : `; ${hint}`}`,
    );
  }

  get #name(): string {
    // Until it has answered, its address says more than any name.
    return `${this.#info?.model ?? this.#axis.fallbackName} (${this.#options.role ?? "stage"})`;
  }

  #error(
    code: InstrumentErrorCode,
    message: string,
    detail: InstrumentErrorDetail = {},
    hint?: string,
  ): InstrumentError {
    return new InstrumentError(code, this.#name, message, detail, hint ?? HINTS[code]);
  }
}
