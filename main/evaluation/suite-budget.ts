import type { ProgressEvent } from "../contract/evaluation-progress.ts";
import type { Plan, PlanContender } from "../contract/plan.ts";
import { type Reservation, ReservedMoney } from "./suites/reserved-money.ts";
import { type Unit, unitId } from "./unit.ts";

/**
 * The plan's stop rule. A run's cap is set aside before it starts and replaced by what it cost when it ends, so settled cost and
 * reservations together never pass the limit of the plan nor that of the contender. A run of which the cost is not known, or that was
 * killed, is taken to have cost its cap.
 */
export class SuiteBudget {
  readonly #money: ReservedMoney;

  /** `before`: what earlier starts of the same evaluation wrote down. */
  constructor(plan: Plan, before: readonly ProgressEvent[]) {
    this.#money = new ReservedMoney(plan.stop_rule.usd);
    const runs: { contender: string; usd: number }[] = [];
    const open = new Map<string, { usd: number }>();
    for (const event of before) {
      if (event.type === "usd_reserved") {
        const run = { contender: event.contender, usd: event.usd };
        open.set(unitId(event), run);
        runs.push(run);
      } else if (event.type === "usd_settled") {
        const run = open.get(unitId(event));
        if (run !== undefined) run.usd = event.usd;
      }
    }
    for (const { contender, usd } of runs) this.#money.spend(contender, usd);
  }

  /** What counts as spent, reservations left out. */
  get spent_usd(): number {
    return this.#money.spent_usd;
  }

  /** What a run of this contender may cost at most; undefined where it costs nothing. */
  static cap_usd(contender: PlanContender): number | undefined {
    return contender.limits?.usd_per_run;
  }

  /** Sets the cap aside. `later`: it fits once runs that are under way cost less than their caps. `spent`: it does not fit any more. */
  reserve(unit: Unit, { contender, limits }: PlanContender): Reservation {
    if (limits === undefined) return "reserved";
    return this.#money.reserve(unitId(unit), contender, limits.usd_per_run, limits.usd_per_suite);
  }

  /** Puts the cost of a run in the place of its cap; an unknown cost leaves the cap. Returns what counts. */
  settle(unit: Unit, usd: number | undefined): number {
    return this.#money.settle(unitId(unit), usd);
  }
}
