import type { BenchOffer } from "../bench/benches.ts";
import type { BenchFile } from "../contract/bench-file.ts";
import { BenchError } from "../contract/error-codes.ts";
import { type ConfiguredBench, offerConfiguredBench } from "./bench-file/offer-configured-bench.ts";
import { readBenchFile } from "./bench-file/read-bench-file.ts";
import { chooseKernel } from "./choose-kernel.ts";
import { keepRun, newRunId } from "./keep-run.ts";
import type { LiveChain } from "./live-chain/live-chain.ts";
import { simulatedScenario } from "./simulated-scenario.ts";
import { offerSimulatedBench } from "./simulated-bench.ts";
import { UsageError } from "./usage-error.ts";

/** Which benches a command puts on offer. */
export interface BenchChoice {
  readonly scenario?: string;
  readonly seed?: number;
  readonly bench?: string;
  readonly realTime?: true;
  readonly out: string;
}

/**
 * The bench that the options of a command name, under a name that gives nothing away.
 *
 * @param chain where frames are made and looked at; default: in this thread
 * @throws UsageError where the options do not fit together.
 */
export function chosenOffers(choice: BenchChoice, chain?: LiveChain): BenchOffer[] {
  const { scenario, seed, out } = choice;
  if (choice.bench !== undefined) {
    if (scenario !== undefined) throw new UsageError("--bench and --scenario are both given; expected one of them");
    if (seed !== undefined) throw new UsageError("--bench and --seed are both given; a bench file names its own seed");
    return [
      offerBenchOfFile(readBenchFile(choice.bench), {
        keepIn: out,
        realTime: choice.realTime === true,
        ...(chain === undefined ? {} : { chain }),
      }),
    ];
  }
  if (seed !== undefined && scenario === undefined) throw new UsageError("--seed without --scenario; expected both");
  return [
    withReasons(
      offerSimulatedBench({
        bench: "bench-1",
        scenario: simulatedScenario(scenario ?? "clean", seed ?? 1),
        seed: seed ?? 1,
        realTime: choice.realTime === true,
        keepIn: out,
        keepFrames: true,
        ...(chain === undefined ? {} : { chain }),
        session: { kernel: chooseKernel().kernel },
      }),
    ),
  ];
}

/** The bench of a file as the window and agents get it: every run is kept, with all its frames. */
export function offerBenchOfFile(
  file: BenchFile,
  {
    keepIn,
    realTime = false,
    chain,
  }: { readonly keepIn: string; readonly realTime?: boolean; readonly chain?: LiveChain },
): ConfiguredBench {
  return withReasons(
    offerConfiguredBench(file, {
      realTime,
      ...(chain === undefined ? {} : { chain }),
      keep: ({ canaryKey, simulated }) =>
        keepRun(keepIn, {
          id: newRunId(file.bench),
          bench: file.bench,
          simulated,
          by: "mcp",
          benchFile: file,
          more: { canary_key: canaryKey },
        }),
      session: { kernel: chooseKernel().kernel },
    }),
  );
}

/** Callers hear why a bench cannot be opened that is set up wrongly, rather than of a fault of the program. */
function withReasons<Offer extends BenchOffer>(offer: Offer): Offer {
  return {
    ...offer,
    async open() {
      try {
        return await offer.open();
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        throw new BenchError("not_offered", error.message, "Ask the operator to mend this, then open the bench again.");
      }
    },
  };
}
