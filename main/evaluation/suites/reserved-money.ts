/** Sums of decimal fractions may exceed their limit by rounding alone. */
const ROUNDING_usd = 1e-9;

interface Entry {
  readonly holder: string;
  readonly usd: number;
}

/** `later`: it fits once runs that are under way cost less than their caps. `spent`: it does not fit any more. */
export type Reservation = "reserved" | "later" | "spent";

/**
 * Money with a limit. What a run may cost at most is set aside before it starts and replaced by what it cost when it ends, so that
 * what is spent and what is set aside together never pass the limit. A run of which the cost is not known is taken to have cost what
 * was set aside. All amounts in USD.
 */
export class ReservedMoney {
  readonly #limit_usd: number;
  readonly #spent: Entry[] = [];
  readonly #open = new Map<string, Entry>();

  constructor(limit_usd: number) {
    this.#limit_usd = limit_usd;
  }

  /** What counts as spent, reservations left out. */
  get spent_usd(): number {
    return sum(this.#spent);
  }

  /** Enters what was spent before. */
  spend(holder: string, usd: number): void {
    this.#spent.push({ holder, usd });
  }

  /** Sets `cap_usd` aside for a run, within the limit of all and that of its holder. */
  reserve(run: string, holder: string, cap_usd: number, holdersLimit_usd = Number.POSITIVE_INFINITY): Reservation {
    const fits = (entries: readonly Entry[]): boolean =>
      sum(entries) + cap_usd <= this.#limit_usd + ROUNDING_usd &&
      sum(entries.filter((entry) => entry.holder === holder)) + cap_usd <= holdersLimit_usd + ROUNDING_usd;
    if (fits([...this.#spent, ...this.#open.values()])) {
      this.#open.set(run, { holder, usd: cap_usd });
      return "reserved";
    }
    return fits(this.#spent) ? "later" : "spent";
  }

  /** Puts the cost of a run in the place of what was set aside; undefined leaves that. Returns what counts, 0 where nothing was set aside. */
  settle(run: string, usd: number | undefined): number {
    const entry = this.#open.get(run);
    if (entry === undefined) return 0;
    this.#open.delete(run);
    this.spend(entry.holder, usd ?? entry.usd);
    return usd ?? entry.usd;
  }
}

const sum = (entries: readonly Entry[]): number => entries.reduce((total, { usd }) => total + usd, 0);
