import { afterEach, describe, expect, it } from "vitest";
import { TOOL_NAMES } from "../../main/contract/tools.ts";
import { FAULT_KINDS, FRAME_FLAGS } from "../../main/contract/vocabulary.ts";
import { randomScenario } from "../../simulators/world/random-scenario.ts";
import type { Scenario } from "../../simulators/world/scenario.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { beamTruth } from "../../simulators/world/truth.ts";
import { type AnyClient, connect } from "./clients.ts";
import { simulatedDesk } from "./simulated-desk.ts";

/*
 * Walks through everything that a client can be shown, on every scenario, and looks for what only the graders may know. Measured
 * values may come close to a truth; a truth to seven digits, in any of the usual units, or by name, may not stand anywhere.
 */

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const SEED = 918_273_645;
const DIGITS = 7;
const PUBLIC = new Set<string>([...FRAME_FLAGS, ...FAULT_KINDS]);

/** Known scenarios have round numbers, which any text may hold by chance; these are theirs with digits that nothing else has. */
function unmistakable<Value>(value: Value, salt = 1): Value {
  if (typeof value === "number") return (value === 0 ? 0 : value * (1 + 0.003 * Math.sin(salt * 12.9898))) as Value;
  if (typeof value !== "object" || value === null || Symbol.iterator in value) return value;
  const changed = Object.entries(value).map(([key, member]: [string, unknown], index) => [
    key,
    unmistakable(member, salt * 7 + index),
  ]);
  return Object.fromEntries(changed) as Value;
}

const scenarios: readonly Scenario[] = [
  ...Object.values(SCENARIOS).map((scenario) => ({
    ...unmistakable<Scenario>(scenario),
    faults: scenario.faults.map((fault, index) => unmistakable(fault, index + 3)),
  })),
  ...[11, 12, 13, 14].map(randomScenario),
];

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}

/** Every hidden number that has digits of its own, in the units and as the full widths in which it might be told. */
function hiddenNumbers(scenario: Scenario): Set<string> {
  const plain = [...numbersIn(scenario), ...numbersIn(beamTruth(scenario))].filter(
    (value) => Number.parseFloat(value.toPrecision(4)) !== value,
  );
  const told = plain.flatMap((value) =>
    [1, 2, 0.5].flatMap((factor) => [1e-6, 1e-3, 1, 1e3, 1e6].map((unit) => value * factor * unit)),
  );
  return new Set([...told.map(digitsOf), digitsOf(SEED)]);
}

const digitsOf = (value: number): string =>
  Math.abs(value)
    .toExponential(DIGITS - 1)
    .split("e")[0] ?? "";

function hiddenWords(scenario: Scenario): string[] {
  const kinds = scenario.faults.map(({ kind }) => kind);
  const profile = scenario.profile === "gaussian" ? [] : [scenario.profile];
  const name = scenario.name === "clean" ? '"clean"' : scenario.name;
  // The words in which faults are claimed and flags are raised are public, also where a scenario or a fault is called the same.
  const named = [name, ...kinds, ...profile].filter((word) => !PUBLIC.has(word));
  return [...named, String(SEED), "w0_um", "power_counts", "relative_power"];
}

/** Collects what the client is shown: answers, errors, pictures and files with their bytes. */
class Ledger {
  readonly #texts: string[] = [];

  add(shown: unknown): void {
    this.#texts.push(JSON.stringify(shown));
    for (const encoded of base64In(shown)) this.#texts.push(Buffer.from(encoded, "base64").toString("latin1"));
  }

  async call(client: AnyClient, name: string, args: object): Promise<Readonly<Record<string, unknown>>> {
    try {
      const answer = await client.callTool({ name, arguments: args as Record<string, unknown> });
      this.add(answer);
      return answer.structuredContent ?? {};
    } catch (error) {
      this.add(String(error));
      return {};
    }
  }

  async read(client: AnyClient, uri: string): Promise<void> {
    await client.readResource({ uri }).then(
      (contents) => this.add(contents),
      (error: unknown) => this.add(String(error)),
    );
  }

  get text(): string {
    return this.#texts.join("\n");
  }
}

function base64In(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    (key === "data" || key === "blob") && typeof member === "string" ? [member] : base64In(member),
  );
}

async function walkThrough(scenario: Scenario): Promise<string> {
  const desk = simulatedDesk({ scenario, seed: SEED });
  ends.push(() => desk.close());
  const client = await connect(desk, "2026");
  ends.push(() => client.close());
  const ledger = new Ledger();
  for (const list of [
    client.listTools(),
    client.listPrompts(),
    client.listResources(),
    client.listResourceTemplates(),
  ]) {
    ledger.add(await list);
  }
  ledger.add(await client.getPrompt({ name: "measure-m2" }));
  await ledger.call(client, "bench_status", {});
  await ledger.call(client, "bench_open", { bench: "a guess", reason: "r" });
  const { run } = await ledger.call(client, "bench_open", { bench: "bench-1", reason: "r" });
  const reason = "r";
  await ledger.call(client, "take_darks", { run, exposure_ms: 0.5, frames: 2, reason });
  for (const z_mm of [20, 90, 130, 170, 240]) {
    await ledger.call(client, "measure_at", { run, z_mm, exposure_ms: 0.5, frames: 1, reason });
  }
  await ledger.call(client, "set_exposure", { run, exposure_ms: 900, reason });
  await ledger.call(client, "measure_at", { run, z_mm: 131, frames: 1, reason });
  await ledger.call(client, "view_frame", { run, measurement: "m003", reason });
  await ledger.call(client, "view_frame", { run, live: true, log_scale: true, reason, image_code: "WRONG" });
  await ledger.call(client, "reject_measurement", { run, measurement: "m006", reason });
  await ledger.call(client, "restore_measurement", { run, measurement: "m006", reason });
  await ledger.call(client, "fit_caustic", { run });
  await ledger.call(client, "estimate_scan", { run, positions_mm: [0, 60, 130, 250, 900] });
  await ledger.call(client, "suggest_positions", { run, count: 10 });
  await ledger.call(client, "stop", { run });
  await ledger.call(client, "bench_status", { run });
  // Refusals of every kind.
  await ledger.call(client, "move_to", { run, z_mm: 1e9, reason });
  await ledger.call(client, "set_exposure", { run, exposure_ms: 1e9, reason });
  await ledger.call(client, "job_status", { run, job: "j999" });
  await ledger.call(client, "reveal", { run });
  for (const tool of TOOL_NAMES) await ledger.call(client, tool, { run: 7, beam: "?" });
  await ledger.call(client, "finish", { run, verdict: "iso_compliant", explanation: "too early" });
  await ledger.call(client, "finish", { run, verdict: "measurement_failed", explanation: "the walk is over" });
  await ledger.call(client, "measure_at", { run, z_mm: 1, reason });
  for (const path of [
    "frame/m003",
    "frame/d001",
    "frame/latest",
    "caustic",
    "log",
    "answer",
    "frame/..%2f..%2frun.json",
  ]) {
    await ledger.read(client, `bench://run/${String(run)}/${path}`);
  }
  return ledger.text;
}

describe("nothing that a client can be shown holds a truth", () => {
  it.each(scenarios.map((scenario, index) => [`${index} ${scenario.name}`, scenario] as const))(
    "%s",
    async (_name, scenario) => {
      const text = await walkThrough(scenario);
      // The walk saw something: measurements, a picture, a raw frame, a log.
      for (const sight of ["d4sigma_x_um", "IHDR", "II*", "run_opened", "bad_argument"])
        expect(text.includes(sight), sight).toBe(true);
      for (const word of hiddenWords(scenario)) expect(text.includes(word), word).toBe(false);
      expect(/truth|"seed"|"scenario"/.exec(text)?.[0]).toBeUndefined();
      const hidden = hiddenNumbers(scenario);
      expect(hidden.size).toBeGreaterThan(8);
      const told = [...text.matchAll(/\d+\.?\d*(?:e[+-]?\d+)?/gi)]
        .map(([number]) => number)
        .filter(
          (number) =>
            number
              .replace(/e.*$/i, "")
              .replace(/^0*\.?0*/, "")
              .replace(".", "").length >= DIGITS,
        )
        .filter((number) => hidden.has(digitsOf(Number(number))));
      expect(told).toEqual([]);
    },
  );

  it("would notice one", async () => {
    const [scenario] = scenarios;
    if (scenario === undefined) throw new Error("there are no scenarios");
    const hidden = hiddenNumbers(scenario);
    expect(hidden.has(digitsOf(scenario.x.m2))).toBe(true);
    expect(hidden.has(digitsOf((2 * scenario.x.w0_um) / 1000))).toBe(true);
  });
});
