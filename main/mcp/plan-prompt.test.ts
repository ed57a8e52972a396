import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FAULT_KINDS } from "../contract/vocabulary.ts";
import { TOOL_NAMES } from "../contract/tools.ts";
import { planPrompt } from "./plan-prompt.ts";

const whole = planPrompt(TOOL_NAMES).text;
const blind = planPrompt(TOOL_NAMES.filter((name) => name !== "view_frame")).text;

/** The words by which the plan's graders recognise that a fault was named. */
function plannedKeywords(): string[] {
  const plan = readFileSync(join(import.meta.dirname, "../../tasks/plans/beam-quality.yaml"), "utf8");
  const section = /^keywords:\n((?: {2}.*\n)+)/m.exec(plan)?.[1] ?? "";
  return [...section.matchAll(/\[(.*?)\]/g)].flatMap((list) => (list[1] ?? "").split(",").map((word) => word.trim()));
}

describe("the plan's prompt", () => {
  it("names no fault, neither by the plan's keywords nor by the vocabulary of finish", () => {
    const keywords = plannedKeywords();
    expect(keywords.length).toBeGreaterThan(12);
    const kinds = FAULT_KINDS.filter(
      (kind) => kind !== "none" && kind !== "other" && kind !== "background" && kind !== "saturation",
    );
    for (const word of [...keywords, ...kinds, ...kinds.map((kind) => kind.replaceAll("_", " "))]) {
      expect(whole.toLowerCase()).not.toContain(word.toLowerCase());
    }
  });

  it("names the occasions for looking at a frame", () => {
    for (const occasion of [/same flag comes at every position/, /azimuth stays tilted/, /smooth hyperbola/]) {
      expect(whole).toMatch(occasion);
    }
  });

  it("has the section on looking only where frames can be looked at, and differs in nothing else", () => {
    const section = /## Looking at frames\n[\s\S]*?(?=## Verdict)/.exec(whole)?.[0] ?? "";
    expect(section.length).toBeGreaterThan(200);
    expect(blind).toBe(whole.replace(section, ""));
    expect(blind).not.toMatch(/picture|view_frame|image_code/);
  });

  it("names no tool that is not there", () => {
    const named = whole.match(/\b[a-z]+_[a-z]+\b/g) ?? [];
    const known = new Set<string>([
      ...TOOL_NAMES,
      "image_code",
      "background_stale",
      "m2_x",
      "m2_y",
      "iso_compliant",
      "estimate_not_compliant",
      "waist_not_accessible",
      "measurement_failed",
      "not_compliant",
      "estimate_not",
      "not_accessible",
    ]);
    expect(named.filter((word) => !known.has(word))).toEqual([]);
  });
});
