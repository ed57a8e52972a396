import type { LadderDriver, LoopResult } from "./ladder-driver.ts";
import { quantities } from "./quantities.ts";
import type { ToolInputs } from "./registry.ts";

/** One keyword, one tool, one entity. The first that is found decides. */
const KEYWORDS: readonly (readonly [keyword: RegExp, tool: string])[] = [
  [/\bdarks?\b/i, "take_darks"],
  [/\bexposure\b/i, "set_exposure"],
  [/\bsuggest/i, "suggest_positions"],
  [/\bestimate/i, "estimate_scan"],
  [/\bfit\b/i, "fit_caustic"],
  [/\breject\b/i, "reject_measurement"],
  [/\brestore\b/i, "restore_measurement"],
  [/\bmeasure\b/i, "measure_at"],
  [/\bmove\b/i, "move_to"],
  [/\bstatus\b/i, "bench_status"],
];

const refusal = (said: string): LoopResult => ({ refused: true, said, proof: [], goals: [] });

/** The floor: maps the obvious word to its tool, binds the first entity of the right kind, and refuses otherwise. */
export const stubDriver: LadderDriver = {
  name: "stub-floor",
  async drive(request, tools, context) {
    const tool = KEYWORDS.find(([keyword]) => keyword.test(request))?.[1];
    if (tool === undefined) return refusal("no keyword");
    if (!tools.includes(tool)) return refusal(`${tool} is not declared`);
    const known = context.capabilityByName(tool);
    const input = bind(tool, request);
    if (known === undefined || input === undefined) return refusal(`nothing binds to ${tool}`);
    const call = known.required.includes("reason") ? { ...input, reason: request } : input;
    const answer = await context.dispatch(tool, call);
    const needs = known.needs(call).map((fact) => ({ fact, by: "start" as const, ok: answer.ok }));
    const gives = answer.ok ? known.gives(call) : [];
    return { refused: false, proof: [{ call: 0, needs, gives, uses: [] }], goals: gives };
  },
};

function bind(tool: string, request: string): ToolInputs | undefined {
  const readings = quantities(request).flatMap((one) => one.readings);
  const first = (kind: string): number | undefined => readings.find((reading) => reading.kind === kind)?.value;
  const z_mm = first("length_mm");
  const exposure_ms = first("time_ms");
  const count = first("plain");
  const measurement = /\bm\d{3}\b/.exec(request)?.[0];
  switch (tool) {
    case "bench_status":
    case "fit_caustic":
      return {};
    case "move_to":
    case "measure_at":
      return z_mm === undefined ? undefined : { z_mm };
    case "set_exposure":
    case "take_darks":
      return exposure_ms === undefined ? undefined : { exposure_ms };
    case "suggest_positions":
      return count === undefined ? undefined : { count };
    case "estimate_scan":
      return z_mm === undefined ? undefined : { positions_mm: [z_mm] };
    default:
      return measurement === undefined ? undefined : { measurement };
  }
}
