import { expect, test } from "vitest";
import { ToolRefusal } from "../../contenders/bench-client.ts";
import { GaveUp } from "../../contenders/contender.ts";
import { endOf } from "./started-contenders.ts";

const refusal = (code: string): ToolRefusal => new ToolRefusal("measure_at", { code, message: "no", hint: "" });

test.each([
  ["stopped", "by STOP"],
  ["control_lost", "the operator took over"],
  ["control_held", "the operator took over"],
  ["run_finished", "the run was closed"],
])("a driver that the operator ended by %s was stopped, and did not fail", (code, message) => {
  expect(endOf(refusal(code))).toEqual({ state: "stopped", message });
});

test("a driver that met a fault failed, and one that gave up came to an end", () => {
  expect(endOf(refusal("instrument_failed"))).toMatchObject({ state: "failed" });
  expect(endOf(new Error("no model answers"))).toEqual({ state: "failed", message: "no model answers" });
  expect(endOf(new GaveUp("no light"))).toEqual({ state: "ended", message: "no light" });
});
