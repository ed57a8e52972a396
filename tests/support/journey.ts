import type { Clock } from "../../drivers/protocol/clock.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { Stage, StageState } from "../../drivers/protocol/stage.ts";

/** What a stage did on the journey, for comparison. */
export interface JourneyLog {
  readonly states: readonly StageState[];
  readonly refusals: readonly string[];
}

/**
 * The journey that every stage can make, whatever is behind it: it is homed, goes to two places, refuses a target
 * outside its travel, is stopped on its way, and goes on. The same on each line, and short enough for real time.
 */
export async function makeJourney(stage: Stage, clock: Clock): Promise<JourneyLog> {
  const { travelMin_mm, travelMax_mm, velocity_mm_s } = stage.info;
  const place = (share: number): number => Math.round(travelMin_mm + share * (travelMax_mm - travelMin_mm));
  const states: StageState[] = [];
  const refusals: string[] = [];
  const refused = async (order: Promise<unknown>): Promise<void> => {
    const error: unknown = await order.then(
      () => new Error("the order was carried out"),
      (reason: unknown) => reason,
    );
    if (!(error instanceof InstrumentError)) {
      throw error;
    }
    refusals.push(error.code);
  };
  const first = await stage.readState();
  states.push(first);
  if (!first.homed) {
    await refused(stage.moveTo(place(0.3)));
    states.push(await stage.home());
  }
  states.push(await stage.moveTo(place(0.2)));
  states.push(await stage.moveTo(place(0.4)));
  await refused(stage.moveTo(travelMax_mm + 5));
  const cancel = new AbortController();
  const cancelled = refused(stage.moveTo(place(0.9), { cancellation: cancel.signal }));
  await clock.wait(Math.max(250, 2000 / velocity_mm_s));
  cancel.abort();
  await cancelled;
  states.push(await stage.readState());
  states.push(await stage.moveTo(place(0.3)));
  states.push(await stage.stop());
  return { states, refusals };
}
