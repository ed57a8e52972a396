import { describe, expect, it } from "vitest";
import type { BeamProfile } from "../../../../simulators/world/scenario.ts";
import type { Question } from "../../../contract/question.ts";
import { gradeQuestion } from "../grade-question.ts";
import type { LoggedCall } from "../tool-log.ts";
import { beamFor, clipOverD4sigma } from "./define.ts";
import { allQuestions } from "./index.ts";
import { SUITE_HEAD } from "./suite-head.ts";

const ONE_OVER_E2 = Math.exp(-2);
const over = (profile: BeamProfile, share: number, m2 = 1): number =>
  clipOverD4sigma(beamFor("any", { profile, x: { m2 } }), share);

describe("the width at a clip level over d4σ", () => {
  it("is 1 at 1/e² and √(ln 2 / 2) at half maximum for a Gaussian, and for it alone", () => {
    expect(over("gaussian", ONE_OVER_E2)).toBeCloseTo(1, 3);
    expect(over("gaussian", 0.5)).toBeCloseTo(Math.sqrt(Math.LN2 / 2), 3);
  });

  it("follows from exp(−(ρ/s)⁸), s² = Γ(1/4) / 2 Γ(1/2), for a flat top", () => {
    const s = Math.sqrt(3.625609908 / (2 * Math.sqrt(Math.PI)));
    expect(over("super_gaussian", ONE_OVER_E2)).toBeCloseTo(s * 2 ** (1 / 8), 3);
    expect(over("super_gaussian", 0.5)).toBeCloseTo(s * Math.LN2 ** (1 / 8), 3);
  });

  it.each([ONE_OVER_E2, 0.5])("is the outer root of 4ρ² exp(1 − 4ρ²) = %d for a ring", (share) => {
    const ratio = over("donut", share);
    expect(ratio).toBeGreaterThan(0.5);
    expect(4 * ratio ** 2 * Math.exp(1 - 4 * ratio ** 2)).toBeCloseTo(share, 3);
  });

  it("is the Gaussian's for M² 1, and a tenth less for many modes", () => {
    expect(over("hermite_gauss", ONE_OVER_E2)).toBeCloseTo(1, 3);
    expect(over("hermite_gauss", ONE_OVER_E2, 8)).toBeLessThan(0.9);
  });
});

describe("a question whose beam is no Gaussian", () => {
  const questions = allQuestions();
  const named = (id: string): Question => {
    const found = questions.find((question) => question.id === id);
    if (found === undefined) throw new Error(`there is no question ${id}`);
    return found;
  };

  const worldsClip = ({ world }: Question, share: number): number => {
    if (world === undefined) throw new Error("no world");
    return clipOverD4sigma({ scenario: { ...world.scenario, faults: [] } }, share);
  };

  /** A log as of somebody who measured soundly and fitted, so that the value alone decides. */
  const careful = (question: Question): LoggedCall[] => {
    const made = (tool: string, result: unknown): LoggedCall => ({
      tool,
      arguments: {},
      failed: false,
      bad: false,
      result,
    });
    const places = question.reference.script.calls.flatMap(({ arguments: { z_mm } }) =>
      typeof z_mm === "number" ? [made("measure_at", { z_requested_mm: z_mm, saturated_fraction: 0 })] : [],
    );
    return [...places, made("fit_caustic", {})];
  };

  const passesWith = (question: Question, factor: number): boolean => {
    const values = Object.fromEntries(
      Object.entries(question.reference.values).map(([key, value]) => [key, Number(value) * factor]),
    );
    const submission = { values, declined: false, concerns: [], summary: "" };
    return gradeQuestion({ question, suite: SUITE_HEAD, submission, log: careful(question) }).passed;
  };

  it.each([
    ["width-clip-level-flat-top", 1],
    ["width-clip-level-many-modes", 1],
    // d0 and Θ are both too large, M² by their product.
    ["caustic-clip-levels", 2],
  ])("%s fails with the width at 1/e² and passes with d4σ", (id, power) => {
    const question = named(id);
    expect(question.category).toBe("trap");
    const wrong = worldsClip(question, ONE_OVER_E2) ** power;
    expect(passesWith(question, 1)).toBe(true);
    expect(passesWith(question, 1.015)).toBe(true);
    expect(passesWith(question, wrong)).toBe(false);
    // Far from the tolerance, so that noise decides nothing.
    expect(passesWith(question, (1 + wrong) / 2)).toBe(false);
  });

  it("width-ring-from-half-maximum fails with the FWHM, with what a Gaussian would make of it, and with 1/e²", () => {
    const question = named("width-ring-from-half-maximum");
    const half = worldsClip(question, 0.5);
    expect(passesWith(question, 1)).toBe(true);
    expect(passesWith(question, half)).toBe(false);
    expect(passesWith(question, half / Math.sqrt(Math.LN2 / 2))).toBe(false);
    expect(passesWith(question, worldsClip(question, ONE_OVER_E2))).toBe(false);
  });
});
