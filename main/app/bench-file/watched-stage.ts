import type { MoveOptions, Stage, StageInfo, StageState } from "../../../drivers/protocol/stage.ts";

/** A stage whose last readback anybody may look at without asking it. */
export class WatchedStage implements Stage {
  readonly #stage: Stage;
  /** Last readback in mm; 0 until there was one. */
  seen_mm = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get info(): StageInfo {
    return this.#stage.info;
  }

  readState(): Promise<StageState> {
    return this.#note(this.#stage.readState());
  }

  home(options: MoveOptions = {}): Promise<StageState> {
    return this.#note(this.#stage.home(this.#following(options)));
  }

  moveTo(target_mm: number, options: MoveOptions = {}): Promise<StageState> {
    return this.#note(this.#stage.moveTo(target_mm, this.#following(options)));
  }

  stop(): Promise<StageState> {
    return this.#note(this.#stage.stop());
  }

  close(): Promise<void> {
    return this.#stage.close();
  }

  #following(options: MoveOptions): MoveOptions {
    return {
      ...options,
      onProgress: (progress) => {
        this.seen_mm = progress.current_mm;
        options.onProgress?.(progress);
      },
    };
  }

  async #note(answer: Promise<StageState>): Promise<StageState> {
    const state = await answer;
    this.seen_mm = state.position_mm ?? this.seen_mm;
    return state;
  }
}
