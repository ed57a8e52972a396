import type { Clock } from "../../drivers/protocol/clock.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { MoveOptions, Stage, StageInfo, StageState } from "../../drivers/protocol/stage.ts";
import { occurs, type StageFault } from "./instrument-fault.ts";

/** What drivers of real stages accept between target and readback. */
const TOLERANCE_mm = 0.005;

/** A stage that breaks in the ways that its faults say. Only absolute moves break. */
export class FaultyStage implements Stage {
  readonly info: StageInfo;
  readonly #stage: Stage;
  readonly #clock: Clock;
  readonly #faults: readonly StageFault[];
  readonly #seed: number;
  #moves = 0;
  /** What the caller asked for; the stage beneath may have been sent elsewhere. */
  #asked_mm: number | undefined;

  constructor(stage: Stage, clock: Clock, faults: readonly StageFault[], seed: number) {
    this.info = stage.info;
    this.#stage = stage;
    this.#clock = clock;
    this.#faults = faults;
    this.#seed = seed;
  }

  async readState(): Promise<StageState> {
    return this.#asAsked(await this.#stage.readState());
  }

  async home(options?: MoveOptions): Promise<StageState> {
    const state = await this.#stage.home(options);
    this.#asked_mm = undefined;
    return state;
  }

  async moveTo(target_mm: number, options: MoveOptions = {}): Promise<StageState> {
    const { travelMin_mm, travelMax_mm } = this.info;
    const before = await this.#stage.readState();
    const from_mm = before.position_mm;
    const accepted = target_mm >= travelMin_mm && target_mm <= travelMax_mm;
    if (!accepted || from_mm === undefined || before.moving) return this.#stage.moveTo(target_mm, options);

    const move = this.#moves++;
    this.#asked_mm = target_mm;
    const present = this.#faults.filter((fault, index) => occurs(fault.on, this.#seed, index, move));
    let aim_mm = target_mm;
    for (const fault of present) {
      if (fault.kind === "stage_stall") aim_mm = from_mm + (target_mm - from_mm) * fault.fraction;
      if (fault.kind === "stage_overshoot") aim_mm += Math.sign(target_mm - from_mm) * fault.by_mm;
    }
    aim_mm = Math.min(travelMax_mm, Math.max(travelMin_mm, aim_mm));
    const { onProgress, ...rest } = options;
    const state = await this.#stage.moveTo(aim_mm, {
      ...rest,
      ...(onProgress === undefined ? {} : { onProgress: (progress) => onProgress({ ...progress, target_mm }) }),
    });
    for (const fault of present) {
      if (fault.kind === "stage_stall") await this.#clock.wait(fault.noticed_after_ms, options.cancellation);
      if (fault.kind === "stage_slow_settle") await this.#clock.wait(fault.extra_ms, options.cancellation);
    }
    return this.#arrive(target_mm, state);
  }

  async stop(): Promise<StageState> {
    return this.#asAsked(await this.#stage.stop());
  }

  close(): Promise<void> {
    return this.#stage.close();
  }

  #arrive(target_mm: number, state: StageState): StageState {
    const { position_mm } = state;
    if (position_mm !== undefined && Math.abs(position_mm - target_mm) > TOLERANCE_mm) {
      throw new InstrumentError(
        "position_error",
        this.info.model,
        `stands still at ${position_mm} mm, the target is ${target_mm} mm`,
        { name: "position_mm", value: position_mm, unit: "mm", limit: TOLERANCE_mm },
        "move again; if it comes back, look at the stage",
      );
    }
    return this.#asAsked(state);
  }

  #asAsked(state: StageState): StageState {
    return this.#asked_mm === undefined ? state : { ...state, setpoint_mm: this.#asked_mm };
  }
}
