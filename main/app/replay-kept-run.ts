import { z } from "zod";
import type { ReplayResult } from "../bench/replay.ts";
import { replaySimulated } from "../evaluation/replay-simulated.ts";
import type { StoredRun } from "../store/run-folder.ts";
import { fastestReadout } from "./frame-loops.ts";
import { recordedLight } from "./kept-frames/recorded-light.ts";
import { UsageError } from "./usage-error.ts";

const moreSchema = z.object({ canary_key: z.string().optional() });

/**
 * Runs every recorded command of a kept simulated run again and compares event by event. Moves and exposures of a run on real
 * instruments cannot be had again.
 *
 * @throws UsageError where the run cannot be replayed, with the reason.
 */
export async function replayKeptRun(run: StoredRun): Promise<ReplayResult> {
  const { record, events } = run;
  if (events.length === 0) throw new UsageError(`${record.id}: the journal is empty, so there is nothing to replay`);
  if (!record.simulated || record.scenario === undefined || record.seed === undefined) {
    throw new UsageError(`${record.id}: only a simulated run with its scenario and seed can be run again`);
  }
  const light = recordedLight(run);
  if (light.kind === "none") throw new UsageError(`${record.id} cannot be run again: ${light.why}`);
  const { scenario, seed, sensor, instrumentFaults } = light;
  const more = moreSchema.safeParse(record["more"]);
  return replaySimulated(events, {
    scenario,
    seed,
    sensor,
    instrumentFaults,
    ...(more.success && more.data.canary_key !== undefined ? { canaryKey: more.data.canary_key } : {}),
    ...fastestReadout(),
  });
}
