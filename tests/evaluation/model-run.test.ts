import { afterEach, describe, expect, it } from "vitest";
import { createModelContender, type ModelContenderOptions } from "../../main/contenders/model-contender.ts";
import { createAnthropic } from "../../main/contenders/model-anthropic.ts";
import { createOpenAiCompatible } from "../../main/contenders/model-openai.ts";
import { costOf } from "../../main/contenders/model-price.ts";
import type { BenchEvent, BenchEventOf } from "../../main/contract/events.ts";
import type { ModelTurn, TokensByKind } from "../../main/contract/model-usage.ts";
import { TOOL_NAMES, type ToolName } from "../../main/contract/tools.ts";
import { driveBench } from "../../main/evaluation/drive.ts";
import { createSimulatedRun } from "../../main/evaluation/simulated-run.ts";
import { planPrompt } from "../../main/mcp/plan-prompt.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { anthropicDialect } from "../support/models/anthropic-dialect.ts";
import type { Brain } from "../support/models/brain.ts";
import { competentOperator } from "../support/models/competent-operator.ts";
import { openAiDialect } from "../support/models/openai-dialect.ts";
import { type StandIn, startStandIn } from "../support/models/stand-in.ts";

const KEY = "sk-test-5f0c2a-never-to-be-seen";
const PRICE = { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 };
const LIMITS = { model_calls: 40, tokens: 1_500_000, usd_per_run: 0.5 };

/** Pauses pass at once; the time limit of a request never does. */
const pausesTakeNoTime = (duration_ms: number): Promise<void> =>
  duration_ms > 120_000 ? new Promise<never>(() => undefined) : Promise.resolve();

const PROVIDERS = {
  anthropic: {
    dialect: anthropicDialect,
    create: (url: string) => createAnthropic({ model: "stand-in", key: KEY, baseUrl: url, effort: "low" }),
  },
  "openai-compatible": {
    dialect: openAiDialect,
    create: (url: string) =>
      createOpenAiCompatible({ model: "stand-in", key: KEY, baseUrl: `${url}/v1`, effort: "low" }),
  },
} as const;
type Name = keyof typeof PROVIDERS;

const open: StandIn[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Outcome {
  readonly standIn: StandIn;
  readonly events: readonly BenchEvent[];
  readonly turns: readonly ModelTurn[];
  readonly error: unknown;
}

async function run(
  name: Name,
  brain: Brain,
  options: Partial<ModelContenderOptions> & { tools?: readonly ToolName[]; note?: string } = {},
): Promise<Outcome> {
  const { tools = TOOL_NAMES, note, ...contender } = options;
  const standIn = await startStandIn({ dialect: PROVIDERS[name].dialect, brain, key: KEY });
  open.push(standIn);
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
      provider: PROVIDERS[name].create(standIn.url),
      limits: LIMITS,
      price: PRICE,
      patience: { wait: pausesTakeNoTime },
      ...contender,
    }),
    onTurn: (turn) => turns.push(turn),
    ...(note === undefined ? {} : { note }),
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await simulated.close();
  return { standIn, events, turns, error };
}

const ofType = <Type extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Type): BenchEventOf<Type>[] =>
  events.filter((event): event is BenchEventOf<Type> => event.type === type);
const bill = (metered: readonly TokensByKind[]): number =>
  metered.map((tokens) => costOf(tokens, PRICE)).reduce((sum, usd) => sum + usd, 0);

describe.each(Object.keys(PROVIDERS) as Name[])("a model over the interface of %s", (name) => {
  it("measures M² through the tools alone, sees pictures, and is billed to the token", async () => {
    const { standIn, events, turns, error } = await run(name, competentOperator({ looks: 4 }));
    expect(error).toBeUndefined();
    const [finished] = ofType(events, "finished");
    expect(finished).toMatchObject({ verdict: "iso_compliant", images: "image_confirmed" });
    for (const axis of [finished?.x, finished?.y]) {
      expect(axis?.determined === true && Math.abs(axis.m2 / 1.2 - 1) < 0.2).toBe(true);
    }
    expect(ofType(events, "image_confirmed")).toHaveLength(4);
    expect(ofType(events, "call_rejected")).toEqual([]);
    expect(ofType(events, "tool_called").every(({ caller }) => caller.kind === "agent")).toBe(true);
    const usage = turns.at(-1)?.usage;
    expect(usage?.model_calls).toBe(standIn.metered.length);
    expect(usage?.usd).toBeCloseTo(bill(standIn.metered), 10);
    expect(usage?.tokens?.cached_input).toBeGreaterThan(usage?.tokens?.cache_write ?? Number.POSITIVE_INFINITY);
    expect(turns.flatMap(({ calls }) => calls).every(({ outcome }) => outcome === "answered")).toBe(true);
  });
});
