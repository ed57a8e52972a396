import { z } from "zod";
import type { ReplayResult } from "../bench/replay.ts";
import { instrumentFaultSchema, lightFaultSchema } from "../contract/plan.ts";
import { replaySimulated } from "../evaluation/replay-simulated.ts";
import type { StoredRun } from "../store/run-folder.ts";
import { fastestReadout } from "./frame-loops.ts";
import { simulatedScenario } from "./simulated-scenario.ts";
import { UsageError } from "./usage-error.ts";

/** What run.json keeps beside the scenario's name, so that the same instruments can be built again. */
const builtFromSchema = z.object({
  faults: z.array(lightFaultSchema).default([]),
  instrument_faults: z.array(instrumentFaultSchema).default([]),
});
const moreSchema = z.object({ canary_key: z.string().optional() });

/**
 * Runs every recorded command of a kept simulated run again and compares event by event. Moves and exposures of a run on real
 * instruments cannot be had again.
 *
 * @throws UsageError where the run cannot be replayed, with the reason.
 */
export async function replayKeptRun({ record, events }: StoredRun): Promise<ReplayResult> {
  const [opened] = events;
  if (opened?.type !== "run_opened")
    throw new UsageError(`${record.id}: the journal is empty, so there is nothing to replay`);
  const { scenario: name, seed } = record;
  if (!record.simulated || name === undefined || seed === undefined) {
    throw new UsageError(`${record.id}: only a simulated run with its scenario and seed can be run again`);
  }
  const built = builtFromSchema.parse(record.instruments ?? {});
  const base = simulatedScenario(name, seed);
  const faults = built.faults.map(({ ...fault }) => fault) as typeof base.faults;
  const more = moreSchema.safeParse(record["more"]);
  return replaySimulated(events, {
    scenario: { ...base, faults: [...base.faults, ...faults] },
    seed,
    instrumentFaults: built.instrument_faults,
    ...(more.success && more.data.canary_key !== undefined ? { canaryKey: more.data.canary_key } : {}),
    ...fastestReadout(),
  });
}
