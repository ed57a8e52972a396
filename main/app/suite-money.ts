import type { Command } from "commander";
import type { TokenPrice } from "../contenders/model-price.ts";
import { MoneyJournalError, SuiteMoney } from "../evaluation/suites/suite-money.ts";
import { numberOption } from "./option-values.ts";
import { UsageError } from "./usage-error.ts";

/** What a command for a suite is told of money, when a model is a contender. */
export interface MoneyChoice {
  readonly price?: TokenPrice;
  readonly priceUnknown?: true;
  /** Of all tasks together. */
  readonly maxCost?: number;
}

/** What one task may cost. */
interface TaskCap {
  readonly option: string;
  /** As asked for. */
  readonly asked_usd: number | undefined;
  readonly usual_usd: number;
  /** Keeps what was spent, where a suite is resumed. */
  readonly journal?: string;
}

export const MONEY_HELP = `
--max-cost limits what a model costs on all tasks together: what a task may cost at most is set aside before it begins, so the limit is
never passed, and a task that does not fit any more is not run. A cost that is not told counts as that most. A model without --price is
refused, unless --price-unknown says that no limit of money is wanted.`;

/** Adds the options for the money of a whole suite. */
export function addMoneyOptions(command: Command): Command {
  return command
    .option("--max-cost <USD>", "money for all tasks together; needs --price", numberOption({ above: 0 }))
    .option("--price-unknown", "lets a model drive without --price, with no limit of money");
}

/**
 * The most that one task may cost, and the money of the suite where it is limited.
 *
 * @throws UsageError for a limit that could not be kept.
 */
export function suiteMoney(choice: MoneyChoice, cap: TaskCap): { usd_per_task: number; money?: SuiteMoney } {
  const { price, priceUnknown, maxCost } = choice;
  if (price === undefined) {
    const limit = maxCost !== undefined ? "--max-cost" : cap.asked_usd !== undefined ? cap.option : undefined;
    if (limit !== undefined)
      throw new UsageError(`${limit} needs the price of the model; expected --price <list> beside it`);
    if (priceUnknown !== true)
      throw new UsageError(
        "the price of the model is not known; expected --price <list>, or --price-unknown for no limit of money",
      );
    return { usd_per_task: Number.MAX_VALUE };
  }
  if (priceUnknown === true) throw new UsageError("--price-unknown contradicts --price; expected one of them");
  const usd_per_task = cap.asked_usd ?? Math.min(cap.usual_usd, maxCost ?? cap.usual_usd);
  if (maxCost === undefined) return { usd_per_task };
  if (usd_per_task > maxCost)
    throw new UsageError(`--max-cost ${maxCost} is less than one task may cost; expected at least ${usd_per_task}`);
  const { journal } = cap;
  try {
    return {
      usd_per_task,
      money: new SuiteMoney({
        limit_usd: maxCost,
        cap_usd: usd_per_task,
        ...(journal === undefined ? {} : { journal }),
      }),
    };
  } catch (error) {
    throw error instanceof MoneyJournalError ? new UsageError(error.message) : error;
  }
}
