import { describe, expect, it } from "vitest";
import { type BenchClient, ToolRefusal } from "./bench-client.ts";
import { readRecordedCalls, recorded } from "./recorded.ts";

const JOURNAL = [
  { type: "run_opened", seq: 0 },
  { type: "tool_called", seq: 1, tool: "bench_open", input: { bench: "other" }, reason: "begin" },
  { type: "tool_called", seq: 2, tool: "measure_at", input: { z_mm: 10, exposure_ms: 1 }, reason: "first" },
  { type: "measurement_taken", seq: 3 },
  { type: "tool_called", seq: 4, tool: "job_status", input: { job: "j001" } },
  { type: "tool_called", seq: 5, tool: "fit_caustic", input: {} },
]
  .map((event) => JSON.stringify({ event, hash: "0" }))
  .join("\n");

const PLAIN = `
{"tool":"measure_at","input":{"z_mm":10,"exposure_ms":1},"reason":"first"}
{"tool":"fit_caustic"}
`;

describe("reading recorded calls", () => {
  it("takes the calls out of a journal", () => {
    expect(readRecordedCalls(JOURNAL, "events.jsonl").map((call) => call.tool)).toEqual([
      "bench_open",
      "measure_at",
      "job_status",
      "fit_caustic",
    ]);
  });
  it("reads plain calls", () => {
    expect(readRecordedCalls(PLAIN, "calls.jsonl")).toEqual([
      { tool: "measure_at", input: { z_mm: 10, exposure_ms: 1 }, reason: "first" },
      { tool: "fit_caustic", input: {} },
    ]);
  });
  it("leaves the reason out where the tool asks for none", () => {
    const line = '{"tool":"finish","input":{"verdict":"measurement_failed","explanation":"no light"},"reason":"done"}';
    const [call] = readRecordedCalls(line, "calls.jsonl");
    expect(call).toEqual({ tool: "finish", input: { verdict: "measurement_failed", explanation: "no light" } });
  });
  it.each([
    ["not json", /calls\.jsonl, line 1: not JSON/],
    ['{"tool":"fit_caustic"}\n{"input":{}}', /calls\.jsonl, line 2: expected/],
    ['{"tool":"focus_beam"}', /calls\.jsonl, line 1: there is no tool "focus_beam"/],
  ])("names the line that is wrong: %s", (text, message) => {
    expect(() => readRecordedCalls(text, "calls.jsonl")).toThrow(message);
  });
});

describe("the recorded contender", () => {
  it("makes the calls in their order on its own run, and goes on after a refusal", async () => {
    const made: unknown[] = [];
    const client = {
      call: async (tool: string, input: object) => {
        made.push([tool, input]);
        if (tool === "measure_at") {
          throw new ToolRefusal(tool, { code: "out_of_limits", message: "too far", hint: "" });
        }
        return { run: "run-7" };
      },
    } as unknown as BenchClient;
    await recorded(readRecordedCalls(JOURNAL, "events.jsonl")).drive(client, { bench: "bench-1" });
    expect(made).toEqual([
      ["bench_open", { bench: "bench-1", reason: "begin" }],
      ["measure_at", { z_mm: 10, exposure_ms: 1, run: "run-7", reason: "first" }],
      ["fit_caustic", { run: "run-7" }],
    ]);
  });
});
