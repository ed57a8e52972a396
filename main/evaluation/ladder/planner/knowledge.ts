import { z } from "zod";
import { axisResultSchema } from "../../../contract/axis-result.ts";
import { type Measurement, measurementSchema, TOOLS } from "../../../contract/tools.ts";
import { holdsByLimits } from "../bench-facts.ts";
import { ends, type Fact, factName } from "../fact.ts";
import type { DispatchAnswer, DriverContext } from "../ladder-driver.ts";
import { type Capability, factsOfFit, type ToolInputs } from "../registry.ts";

const fitSchema = z.object({ x: axisResultSchema, y: axisResultSchema });
export type KnownFit = z.infer<typeof fitSchema>;

/** What the planner knows of the bench, and by which call it knows it. */
export class Knowledge {
  readonly bench: DriverContext["bench"];
  readonly #facts = new Map<Fact, "start" | number>();
  #measurements: Measurement[];
  #z_mm: number | undefined;
  #exposure_ms: number | undefined;
  #fit: { readonly fit: KnownFit; readonly call: number } | undefined;
  #suggested: { readonly positions_mm: readonly number[]; readonly call: number } | undefined;

  constructor({ bench, status, facts }: Pick<DriverContext, "bench" | "status" | "facts">) {
    this.bench = bench;
    for (const one of facts) this.#facts.set(one, "start");
    this.#measurements = [...(status.measurements ?? [])];
    this.#z_mm = status.z_requested_mm;
    this.#exposure_ms = status.exposure_ms;
  }

  get measurements(): readonly Measurement[] {
    return this.#measurements;
  }

  get latest(): Measurement | undefined {
    return this.#measurements.at(-1);
  }

  get z_mm(): number | undefined {
    return this.#z_mm;
  }

  get exposure_ms(): number | undefined {
    return this.#exposure_ms;
  }

  get fit(): { readonly fit: KnownFit; readonly call: number } | undefined {
    return this.#fit;
  }

  get suggested(): { readonly positions_mm: readonly number[]; readonly call: number } | undefined {
    return this.#suggested;
  }

  /** By what a fact holds; undefined where it is not known to. */
  groundOf(one: Fact): "start" | number | undefined {
    return this.#facts.get(one) ?? (holdsByLimits(one, this.#z_mm, this.bench) ? "start" : undefined);
  }

  holds(one: Fact): boolean {
    return this.groundOf(one) !== undefined;
  }

  /** Takes in what a call gave. Returns the facts. */
  learn(known: Capability, input: ToolInputs, outcome: DispatchAnswer, call: number): Fact[] {
    if (!outcome.ok) return [];
    const facts = [...known.gives(input), ...(known.shows?.(outcome.answer) ?? [])];
    for (const one of facts) {
      for (const earlier of [...this.#facts.keys()]) if (ends(one, earlier)) this.#facts.delete(earlier);
      this.#facts.set(one, call);
      if (factName(one) === "at") this.#z_mm = Number(one.slice("at(".length, -1));
      if (factName(one) === "exposure") this.#exposure_ms = Number(one.slice("exposure(".length, -1));
    }
    this.#takeIn(known.name, input, outcome.answer, call);
    return facts;
  }

  #takeIn(name: Capability["name"], input: ToolInputs, answer: unknown, call: number): void {
    if (name === "measure_at") {
      const taken = measurementSchema.safeParse(answer);
      if (taken.success) this.#measurements.push(taken.data);
    }
    if (name === "reject_measurement" || name === "restore_measurement") {
      const use = name === "reject_measurement" ? "rejected" : "used";
      this.#measurements = this.#measurements.map((one) =>
        one.measurement === input["measurement"] ? { ...one, use } : one,
      );
      // With other measurements the fit may be another one.
      for (const one of ["determined", "covered"]) this.#facts.delete(one);
      this.#fit = undefined;
    }
    if (name === "fit_caustic") {
      const read = fitSchema.safeParse(answer);
      if (!read.success || input["exclude"] !== undefined) return;
      this.#fit = { fit: read.data, call };
      const shown = factsOfFit(answer);
      for (const one of ["determined", "covered"]) if (!shown.includes(one)) this.#facts.delete(one);
    }
    if (name === "suggest_positions") {
      const read = TOOLS.suggest_positions.output.pick({ positions: true }).safeParse(answer);
      if (read.success) this.#suggested = { positions_mm: read.data.positions.map(({ z_mm }) => z_mm), call };
    }
  }
}
