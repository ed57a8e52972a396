import { expect, it } from "vitest";
import { killEvaluation } from "../../scripts/kill-evaluation.ts";

it("a suite that is killed three times and started again gives the bytes of an undisturbed one", async () => {
  const trial = await killEvaluation({
    kills: 3,
    seed: 20_261_201,
    cases: ["A5", "B1"],
    by: ["naive", "constant", "scripted"],
  });
  expect(trial.different).toEqual([]);
  expect(trial.files).toBe(3 + 2 * 6);
});
