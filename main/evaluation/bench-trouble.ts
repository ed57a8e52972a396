import type { BenchEvent, BenchEventOf } from "../contract/events.ts";

const ofType = <Type extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Type): BenchEventOf<Type>[] =>
  events.filter((event): event is BenchEventOf<Type> => event.type === type);

/** Whether an event is the operator's STOP; a contender may press it too, which is part of how it drives. */
export const isOperatorStop = (event: BenchEvent): boolean =>
  event.type === "tool_called" && event.tool === "stop" && event.caller.kind === "operator";

/**
 * Why a run on a bench says nothing of whoever drove: the operator stopped it, or an instrument failed and no M² came about after it. A
 * failure that was got over is part of the run. Undefined where neither was so.
 */
export function benchTrouble(events: readonly BenchEvent[]): string | undefined {
  const stop = events.find(isOperatorStop);
  if (stop?.type === "tool_called") return `the operator pressed STOP (${stop.caller.name})`;
  const failure = ofType(events, "instrument_failed").at(-1);
  if (failure === undefined) return undefined;
  const finished = ofType(events, "finished").at(-1);
  const determined = finished?.x.determined === true && finished.y.determined;
  return determined ? undefined : `an instrument failed during ${failure.during}: ${failure.message}`;
}
