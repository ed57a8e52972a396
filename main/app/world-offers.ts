import { readFileSync } from "node:fs";
import { benchWorldSchema, type WorldBench } from "../contract/bench-world.ts";
import type { BenchOffer } from "../bench/benches.ts";
import type { BeamFault } from "../../simulators/world/scenario.ts";
import { chooseKernel } from "./choose-kernel.ts";
import { offerSimulatedBench } from "./simulated-bench.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The benches of a world file. Their runs are not kept: the file says what is true of the light, and a kept run repeats it.
 *
 * @throws UsageError naming the file, the field and what was expected.
 */
export function worldOffers(path: string): BenchOffer[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--world ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const checked = benchWorldSchema.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new UsageError(
      `--world ${path}: ${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "does not fit"}`,
    );
  }
  return Object.entries(checked.data.benches).map(([bench, described]) => offerOf(bench, described));
}

function offerOf(bench: string, described: WorldBench): BenchOffer {
  const { scenario, seed, limits, keep_out_zones, budgets, rules, operator_note, tools } = described;
  return offerSimulatedBench({
    bench,
    scenario: { ...scenario, faults: scenario.faults as BeamFault[] },
    seed,
    session: {
      kernel: chooseKernel().kernel,
      ...(limits === undefined ? {} : { limits: present(limits) }),
      ...(keep_out_zones === undefined ? {} : { keepOutZones: keep_out_zones }),
      ...(budgets === undefined ? {} : { budgets }),
      ...(rules === undefined ? {} : { rules }),
      ...(operator_note === undefined ? {} : { operatorNote: operator_note }),
      ...(tools === undefined ? {} : { tools }),
    },
  });
}

type Present<Shape> = { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> };

function present<Shape extends object>(shape: Shape): Present<Shape> {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Present<Shape>;
}
