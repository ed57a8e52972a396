import type { Budgets } from "../contract/events.ts";
import type { BudgetLeft } from "../contract/tools.ts";
import type { Refusal } from "./limits.ts";

type BudgetName = keyof Budgets;

const MEANING: Readonly<Record<BudgetName, { readonly what: string; readonly unit: string }>> = {
  calls: { what: "tool calls", unit: "calls" },
  positions: { what: "measurements", unit: "measurements" },
  darks: { what: "dark acquisitions", unit: "darks" },
  exposure_s: { what: "exposure time", unit: "s" },
  travel_mm: { what: "stage travel", unit: "mm" },
  views: { what: "pictures", unit: "views" },
};

/** Sums of decimal fractions may exceed their limit by rounding alone. */
const ROUNDING = 1e-9;

const rounded = (value: number): number => Number(value.toPrecision(12));

/** What the run has used up of what it may. Asked before the work, charged for what was really done. */
export class BudgetLedger {
  readonly #limits: Budgets;
  readonly #spent: Record<BudgetName, number> = {
    calls: 0,
    positions: 0,
    darks: 0,
    exposure_s: 0,
    travel_mm: 0,
    views: 0,
  };

  constructor(limits: Budgets) {
    this.#limits = limits;
  }

  spend(name: BudgetName, amount: number): void {
    this.#spent[name] += amount;
  }

  left(): BudgetLeft {
    const left: BudgetLeft = {};
    for (const name of Object.keys(MEANING) as BudgetName[]) {
      const limit = this.#limits[name];
      if (limit !== undefined) left[name] = Math.max(0, rounded(limit - this.#spent[name]));
    }
    return left;
  }

  /** Why the amount is not there; undefined when it is. */
  refusal(name: BudgetName, amount: number): Refusal | undefined {
    const limit = this.#limits[name];
    if (limit === undefined || this.#spent[name] + amount <= limit * (1 + ROUNDING)) return undefined;
    const { what, unit } = MEANING[name];
    const left = Math.max(0, rounded(limit - this.#spent[name]));
    return {
      code: "budget_exhausted",
      name,
      value: amount,
      unit,
      message: `Budget ${name}: ${rounded(amount)} ${unit} needed, ${left} of ${limit} left (${what})`,
      hint:
        left > 0 && name !== "calls"
          ? "Ask for less, or finish with what has been measured."
          : "Finish with what has been measured.",
    };
  }
}
