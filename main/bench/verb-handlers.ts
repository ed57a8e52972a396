import { BenchError } from "../contract/error-codes.ts";
import type { Measurement, ToolInput, ToolName } from "../contract/tools.ts";
import { checkFinish } from "./finish-guard.ts";
import { measure, takeDarks } from "./measuring.ts";
import { omit } from "./omit.ts";
import { type PlanningState, estimateScan, suggestPositions } from "./plan.ts";
import { viewFrame } from "./view-frame.ts";
import type { Body, Call, Workplace } from "./workplace.ts";

const DARK_FRAMES = 20;

/** What the verbs need of the session beside the workplace. */
export interface SessionHooks {
  /** What is running goes on as a job once it has taken longer than a caller is likely to wait; `meanwhile` is told then. */
  long<Result extends object>(call: Call, work: Promise<Result>, meanwhile: object): Promise<object>;
  stop(call: Call): Promise<Body<"stop">>;
  open(bench: string, call: Call): Body<"bench_open">;
  status(call: Call): Body<"bench_status">;
  finished(): void;
}

export type VerbHandlers = {
  readonly [Name in ToolName]: (input: ToolInput<Name>, call: Call<Name>) => Promise<object>;
};

/** What each verb does, once it may. */
export function createVerbHandlers(place: Workplace, hooks: SessionHooks): VerbHandlers {
  const { operations, measurements, jobs, log, limits } = place;
  const defaultFrames = place.description.default_frames;
  return {
    bench_open: async ({ bench }, call) => hooks.open(bench, call),

    bench_status: async (_input, call) => hooks.status(call),

    stop: async (_input, call) => hooks.stop(call),

    move_to: async ({ z_mm }, call) => {
      const work = place.act(call, async (action): Promise<Body<"move_to">> => {
        operations.checkMove(z_mm, await operations.locate());
        const { z_actual_mm, duration_s } = await operations.move(z_mm, action, call.report);
        return {
          status: "done",
          z_requested_mm: z_mm,
          z_actual_mm,
          settle_s: duration_s,
          limit_state: limits.limitState(z_actual_mm),
        };
      });
      return hooks.long(call, work, { z_requested_mm: z_mm });
    },

    set_exposure: async ({ exposure_ms }, call) =>
      place.act(call, async (action): Promise<Body<"set_exposure">> => {
        operations.checkExposure(exposure_ms, 0);
        return { exposure_requested_ms: exposure_ms, exposure_ms: await operations.expose(exposure_ms, action) };
      }),

    take_darks: async ({ exposure_ms, frames = DARK_FRAMES }, call) => {
      const work = place.act(call, async (action): Promise<Body<"take_darks">> => {
        const dark = await takeDarks(place, exposure_ms, frames, action, call);
        return { status: "done", ...dark };
      });
      return hooks.long(call, work, {});
    },

    measure_at: async ({ z_mm, exposure_ms, frames = defaultFrames }, call) => {
      const work = place.act(call, async (action): Promise<Body<"measure_at">> => {
        const measurement = await measure(place, z_mm, exposure_ms, frames, action, call);
        return { status: "done", ...measurement };
      });
      return hooks.long(call, work, { z_requested_mm: z_mm });
    },

    job_status: async ({ job, wait_s = 0 }): Promise<Body<"job_status">> => {
      const { tool, outcome, progress } = await jobs.status(job, wait_s * 1000);
      if (outcome === undefined) return { job, tool, status: "running", progress };
      return outcome.error === undefined
        ? { job, tool, status: "done", progress: 1, result: outcome.output }
        : { job, tool, status: "failed", error: outcome.error };
    },

    reject_measurement: async ({ measurement }, call) => setUse(place, measurement, "rejected", call),

    restore_measurement: async ({ measurement }, call) => setUse(place, measurement, "used", call),

    view_frame: async (input, call) => viewFrame(place, input, call),

    estimate_scan: async ({ positions_mm, frames = defaultFrames }) =>
      estimateScan(planningState(place), positions_mm, frames),

    suggest_positions: async ({ count }) => suggestPositions(planningState(place), count),

    fit_caustic: async ({ exclude = [] }, { seq }): Promise<Body<"fit_caustic">> => {
      const { wire } = measurements.fit(exclude);
      log.emit("caustic_fitted", { call: seq, occasion: "asked", ...wire });
      return wire;
    },

    finish: async (input, call) =>
      place.act(call, async () => {
        const done = finish(place, input, call);
        hooks.finished();
        return done;
      }),
  };
}

function setUse(
  { measurements, log }: Workplace,
  id: string,
  use: Measurement["use"],
  { seq, reason }: Call,
): Body<"reject_measurement"> {
  if (measurements.setUse(id, use)) {
    const why = reason === undefined ? {} : { reason };
    log.emit("measurement_use_changed", { call: seq, measurement: id, use, ...why });
    log.emit("caustic_fitted", { call: seq, occasion: "use_changed", ...measurements.fit().wire });
  }
  return { measurements: measurements.list() };
}

/** Accepts the caller's conclusion and sets the bench's own fit beside it. Throws `finish_refused`, `unknown_id`, `bad_argument`. */
function finish(place: Workplace, input: ToolInput<"finish">, { seq }: Call): Body<"finish"> {
  const { measurements, darks, views, budgets, log } = place;
  const { wire } = measurements.fit();
  const claim = omit(input, "run", "image_code");
  checkFinish(claim, wire);
  for (const id of claim.fault?.evidence ?? []) measurements.get(id);
  const { x, y } = wire;
  log.emit("caustic_fitted", { call: seq, occasion: "finished", ...wire });
  log.emit("finished", {
    call: seq,
    ...claim,
    x,
    y,
    measurements: measurements.count,
    darks: darks.taken,
    images: views.delivery,
    budget: budgets.left(),
  });
  return { accepted: true, verdict: claim.verdict, x, y };
}

function planningState(place: Workplace): PlanningState {
  const { stage, camera } = place.options.instruments;
  const { z_actual_mm, exposure_ms } = place.operations;
  const { x, y, wire } = place.measurements.fit();
  const used = new Set(wire.used);
  return {
    limits: place.limits,
    velocity_mm_s: stage.info.velocity_mm_s,
    acceleration_mm_s2: stage.info.acceleration_mm_s2,
    ...(z_actual_mm === undefined ? {} : { z_mm: z_actual_mm }),
    exposure_ms,
    fullScale_counts: 2 ** camera.info.bitDepth - 1,
    largestWidth_um: 0.5 * Math.min(camera.info.width_px, camera.info.height_px) * place.pixelPitch_um,
    x,
    y,
    used: place.measurements.list().filter((measurement) => used.has(measurement.measurement)),
  };
}

/** Throws `unknown_bench` unless the name is that of the bench. */
export function checkBenchName(asked: string, bench: string): void {
  if (asked === bench) return;
  throw new BenchError(
    "unknown_bench",
    `There is no bench ${JSON.stringify(asked)}`,
    "Ask bench_status for the names of the benches on offer.",
  );
}
