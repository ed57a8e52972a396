import { expect, test } from "vitest";
import { BenchError } from "../../contract/error-codes.ts";
import { PAGE_VERBS } from "../../contract/window-verbs.ts";
import { toRefusal } from "./refusal.ts";

/** What the page is told of arguments that do not fit. */
function refused(verb: keyof typeof PAGE_VERBS, input: unknown): string {
  const error = PAGE_VERBS[verb].input.safeParse(input).error;
  if (error === undefined) throw new Error("the arguments fit");
  return toRefusal(error).message;
}

test.each([
  ["measure_at", { run: "r", z_mm: 1, frames: 2.5 }, "frames: expected a whole number"],
  ["measure_at", { run: "r", z_mm: 1, frames: 0 }, "frames: expected at least 1"],
  ["measure_at", { run: "r", z_mm: "far" }, "z_mm: expected a number"],
  ["offer_simulator", { scenario: "clean", seed: -1 }, "seed: expected at least 0"],
  ["offer_simulator", { scenario: "", seed: 1 }, "scenario: expected at least 1 characters"],
  ["offer_simulator", { scenario: "clean", seed: 1, colour: "red" }, "the arguments: there is no colour"],
  ["offer_simulator", { scenario: "clean", seed: 1, sensor: "1x1" }, /^sensor: expected one of 640x480, /],
] as const)("%s with %j is refused in the words of a person", (verb, input, words) => {
  expect(refused(verb, input)).toMatch(words);
});

test("a bench at work is waited for, and tools are not spoken of", () => {
  const busy = toRefusal(new BenchError("busy", "move_to is running", "Wait for it (job_status, if it is a job)."));
  expect(busy).toMatchObject({ message: "a move is under way", hint: "Wait until it is done, or press STOP." });
});
