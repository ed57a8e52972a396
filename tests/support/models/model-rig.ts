import { createAnthropic } from "../../../main/contenders/model-anthropic.ts";
import { createModelContender, type ModelContenderOptions } from "../../../main/contenders/model-contender.ts";
import { createOpenAiCompatible } from "../../../main/contenders/model-openai.ts";
import type { Assignment } from "../../../main/contenders/contender.ts";
import { costOf } from "../../../main/contenders/model-price.ts";
import type { BenchEvent, BenchEventOf } from "../../../main/contract/events.ts";
import type { ModelTurn, TokensByKind } from "../../../main/contract/model-usage.ts";
import { TOOL_NAMES, type ToolName } from "../../../main/contract/tools.ts";
import { driveBench } from "../../../main/evaluation/drive.ts";
import { createSimulatedRun } from "../../../main/evaluation/simulated-run.ts";
import { planPrompt } from "../../../main/mcp/plan-prompt.ts";
import { SCENARIOS } from "../../../simulators/world/scenarios.ts";
import { anthropicDialect } from "./anthropic-dialect.ts";
import type { Brain } from "./brain.ts";
import { openAiDialect } from "./openai-dialect.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";

export const TEST_KEY = "sk-test-5f0c2a-never-to-be-seen";
export const TEST_PRICE = { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 };
const LIMITS = { model_calls: 40, tokens: 1_500_000, usd_per_run: 0.5 };
/** Of one request; longer than any pause. */
const TIMEOUT_MS = 1_000_000;

export const INTERFACES = {
  anthropic: {
    dialect: anthropicDialect,
    create: (url: string) => createAnthropic({ model: "stand-in", key: TEST_KEY, baseUrl: url, effort: "low" }),
  },
  "openai-compatible": {
    dialect: openAiDialect,
    create: (url: string) =>
      createOpenAiCompatible({ model: "stand-in", key: TEST_KEY, baseUrl: `${url}/v1`, effort: "low" }),
  },
} as const;
export type InterfaceName = keyof typeof INTERFACES;
export const INTERFACE_NAMES = Object.keys(INTERFACES) as InterfaceName[];

export interface ModelRun {
  readonly standIn: StandIn;
  readonly events: readonly BenchEvent[];
  readonly turns: readonly ModelTurn[];
  /** Pauses that were waited out, in ms. */
  readonly pauses: readonly number[];
  /** What the drive threw. */
  readonly error: unknown;
}

export interface ModelRunOptions extends Partial<ModelContenderOptions>, Pick<Assignment, "signal" | "note"> {
  readonly tools?: readonly ToolName[];
  /** Nobody knows what the model costs. */
  readonly unpriced?: true;
}

/** One run of a model behind a stand-in on the clean simulated bench. Pauses take no time, and a time limit expires when a request hangs. */
export async function runModel(name: InterfaceName, brain: Brain, options: ModelRunOptions = {}): Promise<ModelRun> {
  const { tools = TOOL_NAMES, note, signal, unpriced, ...contender } = options;
  const pauses: number[] = [];
  let expire = (): void => undefined;
  const wait = (duration_ms: number): Promise<void> => {
    if (duration_ms === TIMEOUT_MS) return new Promise((resolve) => (expire = () => resolve()));
    pauses.push(duration_ms);
    return Promise.resolve();
  };
  const { dialect, create } = INTERFACES[name];
  const standIn = await startStandIn({ dialect, brain, key: TEST_KEY, onHang: () => expire() });
  const events: BenchEvent[] = [];
  const turns: ModelTurn[] = [];
  const simulated = createSimulatedRun({
    scenario: SCENARIOS.clean,
    seed: 100,
    budgets: { calls: 400, positions: 120, views: 4 },
    tools,
    ...(note === undefined ? {} : { operatorNote: note }),
    journal: { append: (event) => events.push(event) },
  });
  const error = await driveBench({
    offer: simulated.offer,
    tools,
    prompts: [planPrompt(tools)],
    contender: createModelContender({
      name: "agent",
      provider: create(standIn.url),
      limits: LIMITS,
      ...(unpriced === true ? {} : { price: TEST_PRICE }),
      patience: { wait, timeout_ms: TIMEOUT_MS },
      ...contender,
    }),
    onTurn: (turn) => turns.push(turn),
    ...(signal === undefined ? {} : { signal }),
    ...(note === undefined ? {} : { note }),
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await simulated.close();
  await standIn.close();
  return { standIn, events, turns, pauses, error };
}

export function ofType<Type extends BenchEvent["type"]>(
  events: readonly BenchEvent[],
  type: Type,
): BenchEventOf<Type>[] {
  return events.filter((event): event is BenchEventOf<Type> => event.type === type);
}

/** What the stand-in's own account comes to, in USD. */
export function billed_usd(metered: readonly TokensByKind[]): number {
  return metered.map((tokens) => costOf(tokens, TEST_PRICE)).reduce((sum, usd) => sum + usd, 0);
}
