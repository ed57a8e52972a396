import { describe, expect, it } from "vitest";
import { GaveUp } from "../../main/contenders/contender.ts";
import { ProviderFailure } from "../../main/contenders/model-failure.ts";
import { type Brain, type Said, sayingInTurn, thinkingInSteps } from "../support/models/brain.ts";
import { INTERFACE_NAMES, INTERFACES, ofType, runModel, TEST_KEY } from "../support/models/model-rig.ts";

const OPEN: Said = { calls: [{ name: "bench_open", arguments: { bench: "bench-1", reason: "to begin" } }] };
const STATUS: Said = { calls: [{ name: "bench_status", arguments: {} }] };

/** Opens the bench, does what it is asked for with the run's handle, and gives up the run in the proper way. */
function openThen(misbehave: (run: string) => readonly Said[]): Brain {
  return thinkingInSteps(function* () {
    const heard = yield OPEN;
    const { run } = JSON.parse(heard.results[0]?.text ?? "{}") as { run: string };
    for (const said of misbehave(run)) yield said;
    return {
      calls: [
        {
          name: "finish",
          arguments: { run, verdict: "measurement_failed", explanation: "nothing was measured" },
        },
      ],
    };
  });
}

const words = (error: unknown): string => (error instanceof Error ? error.message : "");

describe.each(INTERFACE_NAMES)("over the interface of %s, a model that", (name) => {
  it("writes arguments that are no object makes a bad call and hears of it", async () => {
    const malformed = name === "anthropic" ? "[1, 2" : '{"z_mm": 12, "reason": "unclosed';
    const { events, error, standIn } = await runModel(
      name,
      openThen(() => [{ calls: [{ name: "measure_at", arguments: malformed }] }]),
    );
    expect(error).toBeUndefined();
    expect(ofType(events, "call_rejected").map(({ tool }) => tool)).toEqual(["measure_at"]);
    expect(JSON.stringify(standIn.requests[2]?.body)).toContain("no JSON object");
    expect(ofType(events, "finished")).toHaveLength(1);
  });

  it("calls a tool that does not exist makes a bad call and hears which there are", async () => {
    const { events, error, turns, standIn } = await runModel(
      name,
      openThen((run) => [{ calls: [{ name: "align_mirror", arguments: { run } }] }]),
    );
    expect(error).toBeUndefined();
    expect(ofType(events, "call_rejected").map(({ tool }) => tool)).toEqual(["align_mirror"]);
    expect(JSON.stringify(standIn.requests[2]?.body)).toContain("expected one of");
    expect(turns[1]?.calls).toEqual([{ tool: "align_mirror", outcome: "refused" }]);
  });

  it("makes several calls at once has them made in order, and none after the accepted finish", async () => {
    const { events, turns } = await runModel(
      name,
      thinkingInSteps(function* () {
        const heard = yield OPEN;
        const { run } = JSON.parse(heard.results[0]?.text ?? "{}") as { run: string };
        const reason = "in order";
        return {
          calls: [
            { name: "take_darks", arguments: { run, exposure_ms: 1, frames: 2, reason } },
            { name: "measure_at", arguments: { run, z_mm: 40, exposure_ms: 1, frames: 1, reason } },
            { name: "measure_at", arguments: { run, z_mm: 30, exposure_ms: 1, frames: 1, reason } },
            { name: "finish", arguments: { run, verdict: "measurement_failed", explanation: "two positions" } },
            { name: "measure_at", arguments: { run, z_mm: 20, exposure_ms: 1, frames: 1, reason } },
          ],
        };
      }),
    );
    expect(ofType(events, "measurement_taken").map(({ measurement }) => measurement.z_requested_mm)).toEqual([40, 30]);
    expect(turns.at(-1)?.calls.map(({ outcome }) => outcome)).toEqual([
      "answered",
      "answered",
      "answered",
      "answered",
      "not_made",
    ]);
  });

  it("refuses has given up, with its words", async () => {
    const { error, turns } = await runModel(name, sayingInTurn(OPEN, { text: "I will not do that.", end: "refused" }));
    expect(error).toBeInstanceOf(GaveUp);
    expect(words(error)).toContain("I will not do that.");
    expect(turns.at(-1)).toMatchObject({ stop: "refused", usage: { model_calls: 2 } });
  });

  it.each([
    ["says nothing", {}],
    ["only talks", { text: "I would now measure the beam." }],
    ["is cut off again and again", { text: "x".repeat(100_000), end: "cut_off" as const }],
  ])("%s is told twice and has then given up", async (_how, said: Said) => {
    const { error, turns, standIn } = await runModel(name, sayingInTurn(STATUS, said), {
      limits: { model_calls: 40, tokens: 1_500_000, usd_per_run: 2 },
    });
    expect(error).toBeInstanceOf(GaveUp);
    expect(words(error)).toContain("3 answers in a row");
    expect(turns).toHaveLength(4);
    const told = JSON.stringify(standIn.requests.at(-1)?.body);
    expect(told).toMatch(said.end === undefined ? /You called no tool/ : /cut off at its length limit/);
    // Of a long answer only the beginning is sent back.
    expect(told.length).toBeLessThan(60_000);
  });

  it("comes to its senses after an empty answer goes on", async () => {
    const { error, events } = await runModel(
      name,
      openThen(() => [{}, { text: "Let me think." }]),
    );
    expect(error).toBeUndefined();
    expect(ofType(events, "finished")).toHaveLength(1);
  });

  it("is cut off in the middle of calls has none of them made", async () => {
    const { events } = await runModel(
      name,
      openThen((run) => [
        { end: "cut_off", calls: [{ name: "measure_at", arguments: { run, z_mm: 3, reason: "half of an answer" } }] },
      ]),
    );
    expect(ofType(events, "measurement_taken")).toEqual([]);
    expect(ofType(events, "finished")).toHaveLength(1);
  });

  it("repeats a call for ever is told once and then stopped", async () => {
    let count = 0;
    const { error, standIn } = await runModel(name, (heard) => {
      if (heard.request === 1) return STATUS;
      count += 1;
      return { calls: [{ name: "bench_status", arguments: {} }] };
    });
    expect(error).toBeInstanceOf(GaveUp);
    expect(words(error)).toContain("again and again");
    expect(count).toBe(9);
    expect(standIn.requests.filter(({ body }) => JSON.stringify(body).includes("You go in circles"))).toHaveLength(5);
  });

  it("asks for hundreds of calls at once has the first forty made", async () => {
    const { events, turns, error } = await runModel(
      name,
      openThen((run) => [
        {
          calls: Array.from({ length: 300 }, (_, i) => ({
            name: "estimate_scan",
            arguments: { run, positions_mm: [i] },
          })),
        },
      ]),
    );
    expect(error).toBeUndefined();
    expect(turns[1]?.calls.filter(({ outcome }) => outcome !== "not_made")).toHaveLength(40);
    expect(ofType(events, "tool_called").filter(({ tool }) => tool === "estimate_scan")).toHaveLength(40);
  });

  it("never comes to an end is stopped at its model calls", async () => {
    let z_mm = 0;
    const { error, turns } = await runModel(
      name,
      (heard) => {
        if (heard.request === 1) return STATUS;
        z_mm += 1;
        return { calls: [{ name: "bench_open", arguments: { bench: `bench-${z_mm}`, reason: "try another" } }] };
      },
      { limits: { model_calls: 12, tokens: 1_500_000, usd_per_run: 5 } },
    );
    expect(words(error)).toContain("all 12 model calls are used");
    expect(turns).toHaveLength(12);
  });
});

describe.each(INTERFACE_NAMES)("over the interface of %s, a provider that", (name) => {
  it("is overloaded for a while is asked again, after the pauses that it asks for", async () => {
    let failures = 0;
    const calm = openThen(() => []);
    const { error, events, pauses, turns } = await runModel(name, (heard) => {
      failures += 1;
      if (failures === 1) return { status: 429, headers: { "retry-after": "7" } };
      if (failures === 2) return { status: 500 };
      if (failures === 3) return { status: 529 };
      return calm(heard);
    });
    expect(error).toBeUndefined();
    expect(pauses).toEqual([7000, 2000, 4000]);
    expect(turns[0]).toMatchObject({ attempts: 4, usage: { model_calls: 1 } });
    expect(ofType(events, "finished")).toHaveLength(1);
  });

  it.each([
    ["is down", { status: 503 }, 7, /no answer in 7 attempts/],
    ["wants an hour of pause", { status: 429, headers: { "retry-after": "3600" } }, 1, /3600 s of pause/],
    ["says that asking again is no use", { status: 500, headers: { "x-should-retry": "false" } }, 1, /500/],
    ["has no such model", { status: 404 }, 1, /404/],
    [
      "answers with a page",
      { body: "<html>gateway</html>" },
      1,
      /no (message|completion); is --base-url right\? <html>/,
    ],
    ["answers with something else", { body: { hello: "world" } }, 1, /no (message|completion); is --base-url right\?/],
    ["answers with nothing", { body: {} }, 1, /is --base-url right\?/],
    ["sends the request elsewhere", { status: 302, headers: { location: "https://elsewhere.test/" } }, 1, /redirect/],
    ["says with status 200 that it fails", { body: { error: { message: "busy" } } }, 7, /200 with an error.*busy/],
    [
      "answers with blocks that are none",
      { body: { content: [null, { type: "weird" }] } },
      1,
      /no (message|completion)/,
    ],
    ["answers with a text that is none", { body: { content: [{ type: "text" }], choices: [{}] } }, 1, /is no/],
    [
      "calls nothing at all",
      {
        body: {
          content: [{ type: "tool_use", id: 7 }],
          choices: [{ message: { role: "assistant", content: null, tool_calls: [null] } }],
        },
      },
      1,
      /is no/,
    ],
  ])("%s is a failure of the infrastructure", async (_how, said, requests, message) => {
    const { error, standIn, turns } = await runModel(name, sayingInTurn(STATUS, said));
    expect(error).toBeInstanceOf(ProviderFailure);
    expect(words(error)).toMatch(message);
    expect(standIn.requests).toHaveLength(1 + requests);
    // What was used before is known all the same.
    expect(turns.at(-1)?.usage.model_calls).toBe(1);
  });

  it("hangs is given up after the time limit and asked again, and the silence counts as paid", async () => {
    let requests = 0;
    const limits = { model_calls: 40, tokens: 1_500_000, usd_per_run: 1 };
    const { error, turns, standIn } = await runModel(
      name,
      () => {
        requests += 1;
        return requests % 2 === 1 ? { hang: true } : STATUS;
      },
      { limits },
    );
    // Each silence may have cost as much as a longest answer, so the money is soon reserved to the end.
    expect(error).toBeInstanceOf(GaveUp);
    expect(words(error)).toMatch(/of \$1 a run/);
    expect(turns[0]).toMatchObject({ attempts: 2, usage: { model_calls: 1 } });
    expect(standIn.requests.length).toBeLessThan(10);
  });

  it("has no money left on the account is not asked again", async () => {
    const body = {
      error: { message: "You exceeded your quota", type: "insufficient_quota", code: "insufficient_quota" },
    };
    const { error, standIn } = await runModel(name, sayingInTurn(STATUS, { status: 429, body }));
    expect(error).toBeInstanceOf(ProviderFailure);
    expect(standIn.requests).toHaveLength(2);
  });

  it("says that the conversation is too long ends the run for want of means", async () => {
    const body = {
      error: { message: "prompt is too long: 210000 tokens > 200000 maximum", type: "invalid_request_error" },
    };
    const { error } = await runModel(name, sayingInTurn(STATUS, { status: 400, body }));
    expect(error).toBeInstanceOf(GaveUp);
    expect(words(error)).toContain("too long");
  });

  it("does not tell the tokens leaves use and cost unknown", async () => {
    const { error, turns } = await runModel(name, (heard) => ({ ...openThenFinish(heard.results), unmetered: true }));
    expect(error).toBeUndefined();
    expect(turns.at(-1)?.usage).toEqual({ provider: name, model: "stand-in", model_calls: 2 });
  });

  it.each(["many", null, Number.NaN, -5, "1000", 12.5, 1e300, [], undefined])(
    "tells %j tokens leaves use and cost unknown, and the limits hold",
    async (count) => {
      const { dialect } = INTERFACES[name];
      const field = name === "anthropic" ? "output_tokens" : "completion_tokens";
      const { error, turns } = await runModel(
        name,
        () => {
          const body = dialect.write(STATUS, { input: 3, cached_input: 0, cache_write: 0, output: 9, reasoning: 0 });
          const { usage } = body as { usage: object };
          return { body: { ...(body as object), usage: { ...usage, [field]: count } } };
        },
        { limits: { model_calls: 400, tokens: 1_500_000, usd_per_run: 0.6 } },
      );
      expect(error).toBeInstanceOf(GaveUp);
      expect(words(error)).toMatch(/of \$0\.6 a run \$0\.\d+ count as spent.*tokens were not told/);
      expect(turns.length).toBeLessThan(5);
      expect(turns.at(-1)?.usage).toEqual({ provider: name, model: "stand-in", model_calls: turns.length });
    },
  );

  it("puts the key into a good answer does not get it into any file", async () => {
    const { events, turns, standIn } = await runModel(name, (heard) => {
      const [answer] = heard.results;
      if (answer === undefined) {
        const reason = `with ${TEST_KEY}`;
        return { text: `I know ${TEST_KEY}`, calls: [{ name: "bench_open", arguments: { bench: "bench-1", reason } }] };
      }
      const { run } = JSON.parse(answer.text) as { run: string };
      const explanation = `the key is ${TEST_KEY}`;
      return { calls: [{ name: "finish", arguments: { run, verdict: "measurement_failed", explanation } }] };
    });
    expect(ofType(events, "finished")[0]?.explanation).toBe("the key is [key]");
    for (const kept of [events, turns, standIn.requests.map(({ body }) => body)]) {
      expect(JSON.stringify(kept)).not.toContain(TEST_KEY);
    }
    expect(turns[0]?.text).toBe("I know [key]");
  });

  it("is called off in the middle of a request leaves at once", async () => {
    const off = new AbortController();
    const { error, standIn } = await runModel(
      name,
      () => {
        off.abort(new Error("called off"));
        return { hang: true };
      },
      { signal: off.signal },
    );
    expect(words(error)).toBe("called off");
    expect(standIn.requests).toHaveLength(1);
  });

  it("repeats the key that it refuses does not get it into the message", async () => {
    const { error } = await runModel(
      name,
      sayingInTurn({ status: 401, body: { error: { message: `wrong key: ${TEST_KEY}` } } }),
    );
    expect(error).toBeInstanceOf(ProviderFailure);
    expect(words(error)).toContain("wrong key: [key]");
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(TEST_KEY);
  });
});

function openThenFinish(results: readonly { readonly text: string }[]): Said {
  const answer = results[0]?.text;
  if (answer === undefined) return OPEN;
  const { run } = JSON.parse(answer) as { run: string };
  return { calls: [{ name: "finish", arguments: { run, verdict: "measurement_failed", explanation: "enough" } }] };
}
