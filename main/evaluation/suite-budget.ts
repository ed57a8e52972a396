import type { ProgressEvent } from "../contract/evaluation-progress.ts";
import type { Plan, PlanContender } from "../contract/plan.ts";
import { type Unit, unitId } from "./unit.ts";

/** Sums of decimal fractions may exceed their limit by rounding alone. */
const ROUNDING_usd = 1e-9;

interface Entry {
  readonly contender: string;
  usd: number;
  settled: boolean;
}

/**
 * The plan's stop rule. A run's cap is set aside before it starts and replaced by what it cost when it ends, so settled cost and
 * reservations together never pass the limit of the plan nor that of the contender. A run of which the cost is not known, or that was
 * killed, is taken to have cost its cap.
 */
export class SuiteBudget {
  readonly #limit_usd: number;
  readonly #entries = new Map<string, Entry>();
  #attempts = 0;

  /** `before`: what earlier starts of the same evaluation wrote down. */
  constructor(plan: Plan, before: readonly ProgressEvent[]) {
    this.#limit_usd = plan.stop_rule.usd;
    const open = new Map<string, Entry>();
    for (const event of before) {
      if (event.type !== "usd_reserved" && event.type !== "usd_settled") continue;
      const id = unitId(event);
      if (event.type === "usd_reserved") {
        const entry = { contender: event.contender, usd: event.usd, settled: true };
        open.set(id, entry);
        this.#entries.set(`${id} before ${this.#attempts++}`, entry);
      } else {
        const entry = open.get(id);
        if (entry !== undefined) entry.usd = event.usd;
      }
    }
  }

  /** What counts as spent, reservations left out. */
  get spent_usd(): number {
    return this.#sum((entry) => entry.settled);
  }

  /** What a run of this contender may cost at most; undefined where it costs nothing. */
  static cap_usd(contender: PlanContender): number | undefined {
    return contender.limits?.usd_per_run;
  }

  /** Sets the cap aside. `later`: it fits once runs that are under way cost less than their caps. `spent`: it does not fit any more. */
  reserve(unit: Unit, contender: PlanContender): "reserved" | "later" | "spent" {
    const cap_usd = SuiteBudget.cap_usd(contender);
    const { limits } = contender;
    if (cap_usd === undefined || limits === undefined) return "reserved";
    const own = (entry: Entry): boolean => entry.contender === contender.contender;
    const fits = (counts: (entry: Entry) => boolean): boolean =>
      this.#sum(counts) + cap_usd <= this.#limit_usd + ROUNDING_usd &&
      this.#sum((entry) => own(entry) && counts(entry)) + cap_usd <= limits.usd_per_suite + ROUNDING_usd;
    if (fits(() => true)) {
      this.#entries.set(unitId(unit), { contender: contender.contender, usd: cap_usd, settled: false });
      return "reserved";
    }
    return fits((entry) => entry.settled) ? "later" : "spent";
  }

  /** Puts the cost of a run in the place of its cap; an unknown cost leaves the cap. Returns what counts. */
  settle(unit: Unit, usd: number | undefined): number {
    const entry = this.#entries.get(unitId(unit));
    if (entry === undefined) return 0;
    this.#entries.delete(unitId(unit));
    const settled = { ...entry, usd: usd ?? entry.usd, settled: true };
    this.#entries.set(`${unitId(unit)} ${this.#attempts++}`, settled);
    return settled.usd;
  }

  #sum(counts: (entry: Entry) => boolean): number {
    let sum = 0;
    for (const entry of this.#entries.values()) if (counts(entry)) sum += entry.usd;
    return sum;
  }
}
