import type { Benches } from "../../main/bench/benches.ts";
import type { BenchSession } from "../../main/bench/bench-session.ts";
import type { BenchVerbs, CallContext, Caller } from "../../main/contract/bench-verbs.ts";
import { BenchError, type BenchErrorShape } from "../../main/contract/error-codes.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import type { BenchDescription, Measurement } from "../../main/contract/tools.ts";
import { newRunHandle } from "../../main/mcp/run-handle.ts";

/** A move that goes on until the test lets it end or somebody cancels it. */
export interface FakeMove {
  readonly target_mm: number;
  outcome: "moving" | "arrived" | "stopped";
  arrive(): void;
}

/** A bench without physics: every verb answers by rote, moves last as long as a test wants. For tests of the protocol alone. */
export interface FakeBenches extends Benches {
  readonly handle: string;
  readonly moves: FakeMove[];
  readonly callers: Caller[];
  readonly released: string[];
  readonly rejected: { readonly tool: string; readonly caller: Caller; readonly error: string | BenchErrorShape }[];
  /** Resolves once the next move has begun. */
  nextMove(): Promise<FakeMove>;
  exposures(): number;
  /** Moves end at once. */
  readonly quick: boolean;
}

const PICTURE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const DESCRIPTION: BenchDescription = {
  bench: "bench-1",
  wavelength_nm: 632.8,
  sensor_width_px: 64,
  sensor_height_px: 48,
  pixel_pitch_um: 5,
  bit_depth: 12,
  full_scale_counts: 4095,
  stage_travel_mm: { min: 0, max: 150 },
  stage_velocity_mm_s: 20,
  exposure_range_ms: { min: 0.01, max: 1000 },
  limits_mm: { min: 0, max: 150 },
  keep_out_zones: [],
  default_frames: 5,
  rules: ["Darks need a blocked beam."],
};

function measurementOf(index: number, z_mm: number, exposure_ms: number): Measurement {
  return {
    measurement: `m${String(index).padStart(3, "0")}`,
    z_requested_mm: z_mm,
    z_actual_mm: z_mm,
    exposure_ms,
    frames: 5,
    use: "used",
    d4sigma_x_um: 400,
    d4sigma_y_um: 410,
    u_x_um: 1,
    u_y_um: 1,
    peak_counts: 3000,
    saturated_fraction: 0,
    iterations: 4,
    converged: true,
    background: "dark",
    grade: "good",
    reasons: [],
    flags: [],
  };
}

export function createFakeBenches(quick = false): FakeBenches {
  const handle = newRunHandle();
  const moves: FakeMove[] = [];
  const callers: Caller[] = [];
  const released: string[] = [];
  const rejected: FakeBenches["rejected"] = [];
  const waiting: ((move: FakeMove) => void)[] = [];
  const listeners = new Set<(event: BenchEvent) => void>();
  const measurements: Measurement[] = [];
  const remembered = new Map<string, Measurement>();
  const events: BenchEvent[] = [];
  let seq = 0;
  let z_mm = 0;
  let exposure_ms = 1;
  let exposures = 0;
  let holder: Caller | undefined;
  let opened = false;

  const common = () => ({ run: handle, seq: seq++, simulated: true, budget: {} });
  const emit = (event: BenchEvent): void => {
    events.push(event);
    for (const listener of listeners) listener(event);
  };
  const check = (run: string, caller: Caller, acting: boolean): void => {
    callers.push(caller);
    if (run !== handle || !opened) throw new BenchError("unknown_run", `no open run ${run}`, "Call bench_open.");
    if (!acting) return;
    holder ??= caller;
    if (holder.id !== caller.id) {
      throw new BenchError("control_held", `${holder.name} holds the control`, "Wait, or ask the operator.");
    }
  };
  const move = (target_mm: number, { cancellation, onProgress }: CallContext): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (outcome: "arrived" | "stopped"): void => {
        if (begun.outcome !== "moving") return;
        begun.outcome = outcome;
        if (outcome === "arrived") {
          z_mm = target_mm;
          resolve();
        } else reject(new BenchError("stopped", "the move was stopped", "Ask bench_status where the stage stands."));
      };
      const begun: FakeMove = { target_mm, outcome: "moving", arrive: () => end("arrived") };
      moves.push(begun);
      cancellation?.addEventListener("abort", () => end("stopped"), { once: true });
      onProgress?.({ fraction: 0, message: "moving" });
      for (const tell of waiting.splice(0)) tell(begun);
      if (quick) end("arrived");
    });
  const determined = {
    determined: false as const,
    why: "fewer than three positions",
    near: 0,
    far: 0,
    positions: 0,
    flags: [],
  };
  const caustic = () => ({ x: determined, y: determined, used: [], left_out: [] });
  const dark = { dark: "d001", exposure_ms: 1, frames: 5, mean_counts: 100, noise_counts: 2 };

  const verbs: BenchVerbs = {
    bench_open: async ({ bench }, { caller }) => {
      callers.push(caller);
      if (bench !== "bench-1") throw new BenchError("unknown_bench", `no bench ${bench}`, "Ask bench_status.");
      opened = true;
      holder ??= caller;
      const control = { holder: holder.name, yours: holder.id === caller.id };
      return { ...common(), ...DESCRIPTION, control, handle_lifetime_s: 86_400 };
    },
    bench_status: async ({ run }, { caller }) => {
      if (run === undefined) {
        return { benches: [{ bench: "bench-1", description: "A bench", simulated: true, in_use: opened }] };
      }
      check(run, caller, false);
      return { ...common(), bench: DESCRIPTION, state: "open", z_actual_mm: z_mm, exposure_ms, measurements };
    },
    move_to: async (input, context) => {
      check(input.run, context.caller, true);
      await move(input.z_mm, context);
      return { ...common(), status: "done", z_requested_mm: input.z_mm, z_actual_mm: z_mm, limit_state: "inside" };
    },
    stop: async ({ run }, { caller }) => {
      check(run, caller, false);
      return { ...common(), stopped: [] };
    },
    set_exposure: async (input, { caller }) => {
      check(input.run, caller, true);
      exposure_ms = input.exposure_ms;
      return { ...common(), exposure_requested_ms: input.exposure_ms, exposure_ms };
    },
    take_darks: async ({ run }, { caller }) => {
      check(run, caller, true);
      return { ...common(), status: "done", ...dark };
    },
    measure_at: async (input, context) => {
      check(input.run, context.caller, true);
      const known = remembered.get(input.idempotency_key ?? "");
      if (known !== undefined) return { ...common(), status: "done", ...known };
      await move(input.z_mm, context);
      exposures += 1;
      const measurement = measurementOf(exposures, input.z_mm, exposure_ms);
      measurements.push(measurement);
      if (input.idempotency_key !== undefined) remembered.set(input.idempotency_key, measurement);
      const at = { t_ms: 0, call: 0 };
      emit({ seq: seq++, type: "measurement_taken", ...at, measurement, frames_sha256: "" });
      emit({ seq: seq++, type: "caustic_fitted", ...at, occasion: "measured", ...caustic() });
      return { ...common(), status: "done", ...measurement };
    },
    job_status: async ({ run, job }, { caller }) => {
      check(run, caller, false);
      return { ...common(), job, tool: "measure_at", status: "done", result: { run: handle } };
    },
    reject_measurement: async ({ run }, { caller }) => {
      check(run, caller, true);
      return { ...common(), measurements };
    },
    restore_measurement: async ({ run }, { caller }) => {
      check(run, caller, true);
      return { ...common(), measurements };
    },
    view_frame: async ({ run, measurement }, { caller }) => {
      check(run, caller, false);
      return {
        ...common(),
        view: "v001",
        ...(measurement !== undefined && { measurement }),
        z_actual_mm: z_mm,
        exposure_ms,
        colour_map: "viridis",
        minimum_counts: 0,
        maximum_counts: 3000,
        scale_um_per_picture_px: 5,
        frame_uri: `bench://run/${handle}/frame/v001`,
      };
    },
    estimate_scan: async ({ run }, { caller }) => {
      check(run, caller, false);
      return { ...common(), time_s: 1, travel_mm: 1, positions: [] };
    },
    fit_caustic: async ({ run }, { caller }) => {
      check(run, caller, false);
      return { ...common(), ...caustic() };
    },
    suggest_positions: async ({ run }, { caller }) => {
      check(run, caller, false);
      return { ...common(), positions: [], still_missing: [] };
    },
    finish: async ({ run, verdict }, { caller }) => {
      check(run, caller, true);
      return { ...common(), accepted: true, verdict, x: determined, y: determined };
    },
  };

  const session = {
    handle,
    bench: "bench-1",
    simulated: true,
    description: DESCRIPTION,
    snapshot: () => ({ state: "open" }),
    events: () => events,
    subscribe: (listener: (event: BenchEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    picture: () => PICTURE,
    frame: (id: string) => {
      if (id !== "m001") throw new BenchError("unknown_id", `no frame ${id}`, "");
      return { width_px: 2, height_px: 1, samples: Uint16Array.of(1, 2), bitDepth: 12 };
    },
    caustic,
    callRejected: (tool: string, caller: Caller, error: string | BenchErrorShape) =>
      rejected.push({ tool, caller, error }),
    releaseCaller: async (id: string) => {
      released.push(id);
      if (holder?.id === id) holder = undefined;
    },
  } as unknown as BenchSession;

  return {
    verbs,
    quick,
    handle,
    moves,
    callers,
    released,
    rejected,
    exposures: () => exposures,
    nextMove: () => new Promise((resolve) => waiting.push(resolve)),
    session: (run) => {
      if (run !== handle || !opened) throw new BenchError("unknown_run", `no open run ${run}`, "Call bench_open.");
      return session;
    },
    sessionOn: () => (opened ? session : undefined),
    close: async () => undefined,
  };
}
