import { create } from "zustand";
import type { PageInput, PageOutput } from "../../main/contract/window-verbs.ts";
import { PageError } from "../host/page-error.ts";
import type { Desk } from "./desk.ts";
import type { RunState } from "./run-state.ts";
import { evenPositions, needsDark, shortestWay } from "./scan-plan.ts";
import { useWindow } from "./window-store.ts";

export interface ScanRequest {
  /** Positions to begin with. */
  readonly from_mm: number;
  readonly to_mm: number;
  readonly count: number;
  readonly frames: number;
  /** Absent: found at every position. */
  readonly exposure_ms?: number;
  /** Goes on with suggested positions until both axes have their ISO coverage. */
  readonly complete: boolean;
}

export interface ScanState {
  readonly running: boolean;
  /** What it does at this moment, in words. */
  readonly doing: string;
  readonly done: number;
  readonly planned: number;
  readonly ahead_mm: readonly number[];
}

export const useScan = create<ScanState>()(() => ({ running: false, doing: "", done: 0, planned: 0, ahead_mm: [] }));

type ScanVerb =
  | "move_to"
  | "auto_exposure"
  | "take_darks"
  | "measure_at"
  | "reject_measurement"
  | "fit_caustic"
  | "suggest_positions";

/** Rounds of suggested positions: an axis that lacks something after so many lacks it for good. */
const MOST_ROUNDS = 5;
/** Measurements in one round of suggestions. */
const SUGGESTED_AT_ONCE = 12;
/** Peaks beyond these shares of full scale are measured again at a better exposure. */
const TOO_DARK_SHARE = 0.12;
const RETAKES = 2;

/** A scan that was ended by hand: from this window, from another one, or by whoever else may stop the bench. */
export class ScanStopped extends Error {}

/** Stops that mean a sequence as a whole. A call that is cancelled or whose caller is gone ends that call alone. */
const ENDS_A_SCAN: ReadonlySet<string> = new Set(["stop", "taken_over", "closing"]);

/**
 * A scan as an operator does it: at each position the exposure, a dark where there is none, a measurement, and once more when it came
 * out too dark or saturated. It drives by the same verbs as a hand at the buttons, so the log shows every step and STOP ends it.
 */
export class Scan {
  readonly #desk: Desk;
  readonly #run: string;
  readonly #stop = new AbortController();

  constructor(desk: Desk, run: string) {
    this.#desk = desk;
    this.#run = run;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Resolves when everything is measured; rejects with the refusal that ended it, or with ScanStopped after a STOP. */
  async measure(request: ScanRequest): Promise<void> {
    const { description, zActual_mm = 0 } = this.#state;
    if (description === undefined) return;
    const ends = [this.#desk.onStop(() => this.stop()), this.#stopWithTheBench()];
    useScan.setState({ running: true, doing: "Planning", done: 0, planned: request.count, ahead_mm: [] });
    try {
      const first = evenPositions(request.from_mm, request.to_mm, request.count, description);
      await this.#visit(shortestWay(first, zActual_mm), request);
      for (let round = 0; request.complete && round < MOST_ROUNDS; round++) {
        const more = await this.#suggestions();
        if (more.length === 0) break;
        await this.#visit(shortestWay(more, this.#state.zActual_mm ?? 0), request);
      }
      await this.#act("fit_caustic", { run: this.#run, reason: "The scan is complete." });
    } catch (error) {
      // The refusal of the call that was interrupted may be here before the event that says who stopped it.
      const wasStopped = this.#stop.signal.aborted || (error instanceof PageError && error.code === "stopped");
      if (!wasStopped) throw error;
      const { done, planned } = useScan.getState();
      throw new ScanStopped(`The scan was stopped: ${done} of ${planned} positions are measured.`);
    } finally {
      for (const end of ends) end();
      useScan.setState({ running: false, doing: "", ahead_mm: [] });
    }
  }

  /** Ends the scan when the bench is stopped by anybody, also between two calls, when no call of the scan hears of it. */
  #stopWithTheBench(): () => void {
    let seen = this.#state.seq;
    return useWindow.subscribe(({ followed }) => {
      if (followed?.source !== `live:${this.#run}` || followed.state.seq <= seen) return;
      const news = followed.events.filter((event) => event.seq > seen);
      seen = followed.state.seq;
      if (news.some((event) => event.type === "stopped" && ENDS_A_SCAN.has(event.why))) this.stop();
    });
  }

  get #state(): RunState {
    const { followed } = useWindow.getState();
    if (followed?.source !== `live:${this.#run}`) throw new Error("the window looks at another run");
    return followed.state;
  }

  async #visit(positions_mm: readonly number[], request: ScanRequest): Promise<void> {
    const { done } = useScan.getState();
    useScan.setState({ planned: done + positions_mm.length, ahead_mm: positions_mm });
    for (const [index, z_mm] of positions_mm.entries()) {
      this.#checkStopped();
      await this.#measureAt(z_mm, request);
      useScan.setState({ done: done + index + 1, ahead_mm: positions_mm.slice(index + 1) });
    }
  }

  async #measureAt(z_mm: number, request: ScanRequest): Promise<void> {
    const run = this.#run;
    const at = `${z_mm.toFixed(1)} mm`;
    this.#say(`Moving to ${at}`);
    await this.#act("move_to", { run, z_mm, reason: `Scan: next position ${at}.` });
    let exposure_ms: number = request.exposure_ms ?? (await this.#exposureAt(at));
    for (let attempt = 0; ; attempt++) {
      const { darks, measurements, description } = this.#state;
      if (needsDark(darks, exposure_ms, measurements)) {
        this.#say(`Taking darks at ${exposure_ms} ms`);
        await this.#act("take_darks", { run, exposure_ms, reason: `Scan: no fresh dark at ${exposure_ms} ms.` });
      }
      this.#say(`Measuring at ${at}`);
      const measured: PageOutput<"measure_at"> = await this.#act("measure_at", {
        run,
        z_mm,
        exposure_ms,
        frames: request.frames,
        reason: attempt === 0 ? `Scan: widths at ${at}.` : `Scan: again at ${at} with a better exposure.`,
      });
      if (request.exposure_ms !== undefined || attempt === RETAKES || description === undefined) return;
      const saturated = measured.flags?.some((flag) => flag.code === "saturated") === true;
      const share = (measured.peak_counts ?? 0) / description.full_scale_counts;
      const better_ms = saturated ? exposure_ms / 2 : share < TOO_DARK_SHARE ? exposure_ms * 2 : exposure_ms;
      const { min, max } = description.exposure_range_ms;
      if (better_ms === exposure_ms || better_ms < min || better_ms > max) return;
      if (measured.measurement !== undefined) {
        await this.#act("reject_measurement", {
          run,
          measurement: measured.measurement,
          reason: saturated ? "Scan: saturated." : "Scan: too dark.",
        });
      }
      exposure_ms = better_ms;
    }
  }

  async #exposureAt(at: string): Promise<number> {
    this.#say(`Setting the exposure at ${at}`);
    const found = await this.#act("auto_exposure", { run: this.#run, reason: `Scan: exposure for ${at}.` });
    return found.exposure_ms;
  }

  /** Positions that would complete the coverage; none when it is complete or cannot be had. */
  async #suggestions(): Promise<number[]> {
    const fit = await this.#act("fit_caustic", { run: this.#run, reason: "Scan: what is missing?" });
    if ([fit.x, fit.y].every((axis) => axis.determined && axis.iso_coverage)) return [];
    this.#say("Asking which positions are missing");
    const { positions } = await this.#act("suggest_positions", { run: this.#run, count: SUGGESTED_AT_ONCE });
    return positions.map((position) => position.z_mm);
  }

  #say(doing: string): void {
    useScan.setState({ doing });
  }

  #checkStopped(): void {
    if (this.#stop.signal.aborted) throw new Error("The scan was stopped.");
  }

  async #act<Verb extends ScanVerb>(verb: Verb, input: PageInput<Verb>): Promise<PageOutput<Verb>> {
    this.#checkStopped();
    const output = await this.#desk.call(verb, input, { signal: this.#stop.signal });
    const whole = await this.#finished(output);
    if ("seq" in whole && typeof whole.seq === "number") await this.#caughtUp(whole.seq);
    return whole;
  }

  /** Events travel beside the answers: waits until those up to an answer are here, so that decisions rest on all of them. */
  #caughtUp(seq: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): boolean => {
        const { followed } = useWindow.getState();
        return followed?.source !== `live:${this.#run}` || followed.state.seq >= seq;
      };
      if (look()) {
        resolve();
        return;
      }
      const end = useWindow.subscribe(() => {
        if (!look()) return;
        end();
        resolve();
      });
    });
  }

  /** Long work answers at once with a job; its result is waited for. */
  async #finished<Output>(output: Output): Promise<Output> {
    const { status, job } = output as { status?: unknown; job?: unknown };
    if (status !== "running" || typeof job !== "string") return output;
    for (;;) {
      const answer = await this.#desk.call(
        "job_status",
        { run: this.#run, job, wait_s: 10 },
        { signal: this.#stop.signal },
      );
      if (answer.status === "done") return answer.result as Output;
      if (answer.status === "failed") throw new Error(answer.error?.message ?? "the job failed");
      this.#checkStopped();
    }
  }
}
