import type { BenchSession } from "../../bench/bench-session.ts";
import type { BenchEvent, BenchEventOf } from "../../contract/events.ts";
import { TOOLS } from "../../contract/tools.ts";
import { BENCH_TYPE, VERB_NAMES, VERBS } from "../../procedures/verbs.ts";
import { type RecordType, type Type, UNKNOWN, typeOfSchema } from "../../procedures/types.ts";
import { NUMBER } from "../../procedures/units.ts";
import { type Value, listValue, plainNumber, truthValue } from "../../procedures/values.ts";
import { recordFromWire } from "../../procedures/wire-values.ts";

const answerOf = (verb: string): RecordType => {
  const known = VERBS.get(verb);
  if (known === undefined) throw new RangeError(`no verb ${verb}`);
  return known.answer;
};

const recordType = (what: string, fields: Iterable<readonly [string, Type]>): RecordType => ({
  kind: "record",
  what,
  fields: new Map(fields),
});

const FINISH = typeOfSchema(TOOLS.finish.input, NUMBER, "the finish");
const UNCERTAIN_FINISH: RecordType = FINISH.kind === "record" ? FINISH : recordType("the finish", []);

const ofType = <Name extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Name): BenchEventOf<Name>[] =>
  events.filter((event): event is BenchEventOf<Name> => event.type === type);

/**
 * The names that an assertion may use, after a program ran: `bench`, `status`, `measurements`, `darks`, `moves` (every arrival, in order),
 * `fit` (of what is in use), `results`, `calls` (how often each verb was called), `finished` and `finish`.
 */
export function finalState(session: BenchSession, results: ReadonlyMap<string, Value>): Map<string, Value> {
  const { measurements, darks, z_requested_mm, z_actual_mm, exposure_ms, state, budget } = session.snapshot();
  const events = session.events();
  const called = ofType(events, "tool_called");
  const finished = ofType(events, "finished").at(-1);
  const calls = VERB_NAMES.map((verb): [string, Value] => [
    verb,
    plainNumber(called.filter(({ tool }) => tool === verb).length),
  ]);
  const measurementType = answerOf("measure_at");
  const moves = ofType(events, "move_ended").filter(({ outcome }) => outcome === "arrived");
  const resultType = recordType(
    "the results",
    [...results.keys()].map((name): [string, Type] => [name, UNKNOWN]),
  );
  return new Map<string, Value>([
    ["bench", recordFromWire(session.description, BENCH_TYPE)],
    ["status", recordFromWire({ z_requested_mm, z_actual_mm, exposure_ms, state, budget }, answerOf("bench_status"))],
    ["measurements", listValue(measurements.map((one) => recordFromWire(one, measurementType)))],
    ["darks", listValue(darks.map((one) => recordFromWire(one, answerOf("take_darks"))))],
    ["moves", listValue(moves.map((one) => recordFromWire(one, answerOf("move_to"))))],
    ["fit", recordFromWire(session.caustic(), answerOf("fit_caustic"))],
    ["results", { kind: "record", type: resultType, fields: results }],
    [
      "calls",
      {
        kind: "record",
        type: recordType(
          "the calls",
          calls.map(([name]) => [name, UNKNOWN]),
        ),
        fields: new Map(calls),
      },
    ],
    ["finished", truthValue(finished !== undefined)],
    [
      "finish",
      finished === undefined
        ? { kind: "record", type: UNCERTAIN_FINISH, fields: new Map() }
        : recordFromWire(finished, UNCERTAIN_FINISH),
    ],
  ]);
}
