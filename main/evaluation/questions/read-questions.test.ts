import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readQuestions } from "./read-questions.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "read-questions-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = `topics:
  doubt: [perhaps]
tasks:
  - id: one
    kind: sums
    category: standard
    prompt: What is two and two?
    answer:
      - key: sum
        unit: "1"
        means: the sum
    reference:
      why: reckoned
      values: { sum: 4 }
      script:
        calls: []
        answer: { values: { sum: "=2 + 2" }, declined: false, concerns: [], summary: "" }
    checks:
      - check: value
        key: sum
        abs: 0.1
`;

const written = (text: string): string => {
  const path = join(folder, "questions.yaml");
  writeFileSync(path, text);
  return path;
};

describe("a file of questions", () => {
  it("is read", () => {
    const { head, questions } = readQuestions(written(GOOD));
    expect(head.topics).toEqual({ doubt: ["perhaps"] });
    expect(questions.map(({ id }) => id)).toEqual(["one"]);
  });

  it.each([
    ["a wrong category", GOOD.replace("standard", "hard"), /questions\.yaml:6: tasks\.0\.category: .*trap/],
    ["a wrong number", GOOD.replace("abs: 0.1", "abs: -1"), /questions\.yaml:21: tasks\.0\.checks\.0\.abs: /],
    ["an unknown field", GOOD.replace("why: reckoned", "reason: reckoned"), /tasks\.0\.reference/],
    ["no YAML", `${GOOD}\n  - : :`, /questions\.yaml:\d+: /],
    [
      "a check of an unknown key",
      GOOD.replace("key: sum\n        abs", "key: total\n        abs"),
      /questions\.yaml:20: one: checks\.0\.key: no field of the answer is total/,
    ],
    [
      "a value of an unknown key",
      GOOD.replace("values: { sum: 4 }", "values: { total: 4 }"),
      /one: reference\.values\.total/,
    ],
    [
      "a number with its unit in the value",
      GOOD.replace("values: { sum: 4 }", 'values: { sum: "4 mm" }'),
      /questions\.yaml:14: one: reference\.values\.sum: "4 mm" is no number; expected one, without a unit/,
    ],
    [
      "a word that is no choice",
      GOOD.replace('unit: "1"', "choices: [four, five]"),
      /questions\.yaml:14: one: reference\.values\.sum: 4 is none of four, five/,
    ],
    [
      "a formula that cannot be read",
      GOOD.replace("=2 + 2", "=2 +"),
      /one: reference\.script\.answer\.values\.sum: .*expected a value/,
    ],
    [
      "an unknown topic",
      GOOD.replace("check: value\n        key: sum\n        abs: 0.1", "check: mentions\n        topic: worry"),
      /one: checks\.0\.topic: the suite has no topic worry/,
    ],
    [
      "an unknown role",
      GOOD.replace(
        "check: value\n        key: sum\n        abs: 0.1",
        "check: measured_kind\n        role: sing\n        at_least: 1",
      ),
      /one: checks\.0\.role: sing is none of/,
    ],
    ["an id that is there twice", GOOD + GOOD.slice(GOOD.indexOf("  - id")), /the id one is there twice/],
    ["a bad pattern", `roles: { ask: "(" }\n${GOOD}`, /roles\.ask: "\(" is no regular expression/],
  ])("with %s is refused with place and reason", (_what, text, words) => {
    expect(() => readQuestions(written(text))).toThrow(words);
  });

  it("that is not there is refused by name", () => {
    expect(() => readQuestions(join(folder, "nowhere"))).toThrow(/nowhere cannot be read/);
  });
});
