import { describe, expect, it } from "vitest";
import { GaveUp } from "../../main/contenders/contender.ts";
import { TOOL_NAMES } from "../../main/contract/tools.ts";
import { competentOperator } from "../support/models/competent-operator.ts";
import { billed_usd, INTERFACE_NAMES, ofType, runModel } from "../support/models/model-rig.ts";

const STUB = "no longer shown";

describe.each(INTERFACE_NAMES)("a model over the interface of %s", (name) => {
  it("measures M² through the tools alone, sees pictures, and is billed to the token", async () => {
    const codes: string[] = [];
    const { standIn, events, turns, error } = await runModel(
      name,
      competentOperator({ looks: 4, onCode: (code) => codes.push(code) }),
      { note: "Do not use exposures above 200 ms." },
    );
    expect(error).toBeUndefined();

    const [finished] = ofType(events, "finished");
    expect(finished?.verdict).toBe("iso_compliant");
    for (const axis of [finished?.x, finished?.y]) {
      expect(axis?.determined === true && axis.iso_coverage).toBe(true);
    }
    expect(ofType(events, "call_rejected")).toEqual([]);
    expect(new Set(ofType(events, "tool_called").map(({ caller }) => caller.kind))).toEqual(new Set(["agent"]));
    expect(JSON.stringify(standIn.requests[0]?.body)).toContain("Do not use exposures above 200 ms.");

    // The codes were read from pixels that went over the wire, and the bench knows each of them.
    expect(new Set(codes).size).toBe(4);
    expect(finished?.images).toBe("image_confirmed");
    expect(ofType(events, "image_confirmed")).toHaveLength(4);
    expect(ofType(events, "image_code_unknown")).toEqual([]);

    // Two pictures stay, older ones leave a stub.
    const shown = standIn.requests.map(({ body }) => JSON.stringify(body));
    const pictures = shown.map((text) => text.match(/iVBORw0KGgo/g)?.length ?? 0);
    expect(Math.max(...pictures)).toBe(2);
    expect(shown.map((text) => text.split(STUB).length - 1).at(-1)).toBe(2);

    const usage = turns.at(-1)?.usage;
    expect(usage?.model_calls).toBe(standIn.metered.length);
    expect(usage?.usd).toBeCloseTo(billed_usd(standIn.metered), 12);
    expect(usage?.tokens?.reasoning).toBe(16 * standIn.metered.length);
    // The conversation only grows, but for pictures, so most of it is read from the cache.
    expect(usage?.tokens?.cached_input ?? 0).toBeGreaterThan(usage?.tokens?.cache_write ?? Number.POSITIVE_INFINITY);
    expect(turns.flatMap(({ calls }) => calls).every(({ outcome }) => outcome === "answered")).toBe(true);
  });
});

describe("means of a run", () => {
  it("stops before the money is passed, and says what was spent", async () => {
    const cap = 0.25;
    const { standIn, events, turns, error } = await runModel("anthropic", competentOperator({ looks: 4 }), {
      limits: { model_calls: 40, tokens: 1_500_000, usd_per_run: cap },
    });
    expect(error).toBeInstanceOf(GaveUp);
    expect((error as Error).message).toMatch(/of \$0\.25 a run \$0\.\d{4} are spent/);
    expect(ofType(events, "finished")).toEqual([]);
    const spent_usd = billed_usd(standIn.metered);
    expect(turns.at(-1)?.usage.usd).toBeCloseTo(spent_usd, 12);
    expect(spent_usd).toBeLessThanOrEqual(cap);
    expect(spent_usd).toBeGreaterThan(0.1 * cap);
    // What an answer may cost at most was cut to what was left.
    const lengths = standIn.requests.map(({ body }) => Number(body["max_tokens"]));
    expect(lengths.at(-1)).toBeLessThan(lengths[0] ?? 0);
  });

  it("leaves the cost unknown where the price is, and stops at the tokens instead", async () => {
    const { standIn, turns, error } = await runModel("openai-compatible", competentOperator({ looks: 4 }), {
      limits: { model_calls: 40, tokens: 60_000, usd_per_run: 0.001 },
      unpriced: true,
    });
    expect(error).toBeInstanceOf(GaveUp);
    expect((error as Error).message).toMatch(/of 60000 tokens/);
    const usage = turns.at(-1)?.usage;
    expect(usage).not.toHaveProperty("usd");
    const { input = 0, cached_input = 0, cache_write = 0, output = 0 } = usage?.tokens ?? {};
    expect(standIn.metered.length).toBeGreaterThan(1);
    expect(input + cached_input + cache_write + output).toBeLessThanOrEqual(60_000);
  });
});

describe("without view_frame", () => {
  it("neither tool nor section of the prompt is there, and the rest of the run is the same", async () => {
    const tools = TOOL_NAMES.filter((tool) => tool !== "view_frame");
    const { standIn, events } = await runModel("anthropic", competentOperator({ looks: 0 }), { tools });
    const sent = JSON.stringify(standIn.requests[0]?.body);
    expect(sent).not.toContain("view_frame");
    expect(sent).not.toContain("Looking at frames");
    expect(ofType(events, "finished")[0]).toMatchObject({ verdict: "iso_compliant", images: "not_looked" });
  });
});
