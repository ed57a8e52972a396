import type { WorldExposure } from "../../../simulators/world/world.ts";
import type { BenchEvent, BenchEventOf } from "../../contract/events.ts";

/** The frames of one measurement or dark as the journal tells them. */
export interface RecordedExposures {
  readonly id: string;
  readonly exposure_ms: number;
  /** Bench clock, when they were there. */
  readonly t_ms: number;
  /** How many frames it has. */
  readonly count: number;
  /** What the simulated light needs to know of each of them, but for its number. */
  readonly exposure: Omit<WorldExposure, "frame">;
  readonly taken: BenchEventOf<"measurement_taken"> | BenchEventOf<"dark_taken">;
}

/** The exposures of that measurement or dark; undefined where the journal has none of that id. */
export function recordedExposures(events: readonly BenchEvent[], id: string): RecordedExposures | undefined {
  const at = events.findIndex((event) => idOf(event) === id);
  const taken = events[at];
  if (taken?.type !== "measurement_taken" && taken?.type !== "dark_taken") return undefined;
  const purpose = taken.type === "dark_taken" ? "dark" : "measurement";
  const isTheirs = (event: BenchEvent): event is BenchEventOf<"frames_exposed"> =>
    event.type === "frames_exposed" && event.call === taken.call && event.purpose === purpose;
  const exposed = events.slice(0, at).findLast(isTheirs);
  if (exposed === undefined) return undefined;
  const { acquisition, frames, z_actual_mm, exposure_ms } = exposed;
  return {
    id,
    exposure_ms,
    t_ms: taken.t_ms,
    count: frames,
    exposure: {
      purpose,
      acquisition,
      measurements: purpose === "dark" ? measurementsBefore(events, exposed.seq) : acquisition,
      position_mm: z_actual_mm ?? (taken.type === "measurement_taken" ? taken.measurement.z_actual_mm : 0),
      exposure_ms,
      beamBlocked: purpose === "dark",
    },
    taken,
  };
}

function idOf(event: BenchEvent): string | undefined {
  if (event.type === "measurement_taken") return event.measurement.measurement;
  return event.type === "dark_taken" ? event.dark.dark : undefined;
}

/** As the simulated camera counts: by the labels of its frames, also of measurements that failed after a frame. */
function measurementsBefore(events: readonly BenchEvent[], seq: number): number {
  let measurements = 0;
  for (const event of events) {
    if (event.seq >= seq) break;
    if (event.type !== "frames_exposed" || event.purpose === "dark" || event.frames === 0) continue;
    measurements = Math.max(measurements, event.acquisition + (event.purpose === "measurement" ? 1 : 0));
  }
  return measurements;
}
