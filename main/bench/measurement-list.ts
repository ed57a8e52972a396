import { toAxisResult } from "../analysis/caustic-axis-result.ts";
import { fitBothAxes } from "../analysis/caustic-both-axes.ts";
import { toWidthRecord } from "../analysis/caustic-measurements.ts";
import type { CausticFit, CausticOptions } from "../analysis/caustic-types.ts";
import type { AxisResult } from "../contract/axis-result.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { Measurement } from "../contract/tools.ts";

/** A fit in the form of the wire, and as the analysis made it (for predictions). */
export interface CausticOfRun {
  readonly wire: {
    readonly x: AxisResult;
    readonly y: AxisResult;
    readonly used: string[];
    readonly left_out: { measurement: string; why: string }[];
  };
  readonly x: CausticFit;
  readonly y: CausticFit;
}

/** What a measurement is before it has an id. */
export type NewMeasurement = Omit<Measurement, "measurement" | "use">;

/** All measurements of a run in the order in which they were taken. Nothing is ever deleted; a rejected one stays out of fits. */
export class MeasurementList {
  readonly #measurements: Measurement[] = [];
  readonly #options: CausticOptions;
  #present: CausticOfRun | undefined;

  constructor(options: CausticOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#measurements.length;
  }

  list(): Measurement[] {
    return this.#measurements.map((measurement) => structuredClone(measurement));
  }

  add(measurement: NewMeasurement): Measurement {
    const added: Measurement = {
      measurement: `m${String(this.#measurements.length + 1).padStart(3, "0")}`,
      ...measurement,
      use: "used",
    };
    this.#measurements.push(added);
    this.#present = undefined;
    return structuredClone(added);
  }

  /** Throws `unknown_id`. */
  get(id: string): Measurement {
    const found = this.#measurements.find((measurement) => measurement.measurement === id);
    if (found === undefined) {
      const last = this.#measurements.at(-1)?.measurement;
      throw new BenchError(
        "unknown_id",
        `There is no measurement ${JSON.stringify(id)}`,
        last === undefined ? "Nothing has been measured yet." : `Measurements run from m001 to ${last}.`,
      );
    }
    return found;
  }

  /** Returns whether anything changed. */
  setUse(id: string, use: Measurement["use"]): boolean {
    const measurement = this.get(id);
    if (measurement.use === use) return false;
    measurement.use = use;
    this.#present = undefined;
    return true;
  }

  /** Fits what is in use, at the places where the stage really stood. `exclude` leaves out more, for this fit only. */
  fit(exclude: readonly string[] = []): CausticOfRun {
    for (const id of exclude) this.get(id);
    if (exclude.length > 0) return this.#fit(new Set(exclude));
    this.#present ??= this.#fit(new Set());
    return this.#present;
  }

  #fit(exclude: ReadonlySet<string>): CausticOfRun {
    const records = this.#measurements.map((measurement) =>
      toWidthRecord(measurement, exclude.has(measurement.measurement) ? "excluded from this fit" : undefined),
    );
    const { x, y, flags, used, leftOut } = fitBothAxes(records, this.#options);
    return {
      x,
      y,
      wire: {
        x: toAxisResult(x, flags),
        y: toAxisResult(y, flags),
        used: [...used],
        left_out: leftOut.map(({ id, why }) => ({ measurement: id, why })),
      },
    };
  }
}
