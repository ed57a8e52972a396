import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainedTranscriptLine, FIRST_LINK } from "../../main/evaluation/questions/question-transcript.ts";
import { readQuestions } from "../../main/evaluation/questions/read-questions.ts";
import { agentsNamed, runSuite, scratch } from "./question-run.ts";

const SUPPORT = join(import.meta.dirname, "../support");
const suite = readQuestions(join(SUPPORT, "foreign-questions.yaml"));
const selected = suite.questions.filter(({ id }) => id === "sum");
const server = { command: [process.execPath, join(SUPPORT, "foreign-server.ts")], env: {} };
/** No server: whoever is asked again cannot be graded. */
const NONE = { command: [process.execPath, "-e", "process.exit(3)"], env: {} };
const NAME = "transcripts/naive/sum.jsonl";

const folder = scratch();
afterAll(() => folder.remove());
const path = join(folder.path, NAME);

let kept = "";
beforeAll(async () => {
  await runSuite(suite, agentsNamed("naive"), folder.path, { selected, server });
  kept = readFileSync(path, "utf8");
});

const resumed = (text: string) => {
  writeFileSync(path, text);
  return runSuite(suite, agentsNamed("naive"), folder.path, { selected, server: NONE });
};
type Line = Record<string, unknown> & { type: string };
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
/** The same lines with hashes that fit: by somebody who knows how they are made. */
const chained = (lines: readonly Line[]): string => {
  let link = FIRST_LINK;
  return lines
    .map((line) => {
      const { sha256: _sha256, ...what } = line;
      const made = chainedTranscriptLine(what, link);
      link = made.sha256;
      return made.text;
    })
    .join("");
};

describe("a transcript that lies in the folder", () => {
  it("is graded as it was, without another run", async () => {
    const { rows } = await resumed(kept);
    expect(rows).toMatchObject([{ status: "graded", passed: false, transcript: NAME }]);
    expect(readFileSync(path, "utf8")).toBe(kept);
  });

  it.each([
    ["another number in a line", () => kept.replace(/"wanted":"[^"]+"/, '"wanted":"99.75 ± 0.001"'), /line \d+/],
    ["a line less", () => kept.split("\n").toSpliced(1, 1).join("\n"), /line 2/],
    ["two lines in the other order", () => [1, 0, 2].map((i) => kept.split("\n")[i]).join("\n"), /line 1/],
    ["its grade cut off", () => `${kept.trimEnd().split("\n").slice(0, -1).join("\n")}\n`, /grade/],
    ["half of its last line", () => kept.slice(0, -40), /line \d+/],
    ["no line at all", () => "", /line 1/],
  ])("with %s is refused by name", async (_what, change, words) => {
    const text = change();
    expect(text).not.toBe(kept);
    await expect(resumed(text)).rejects.toThrow(`${NAME} was changed: `);
    await expect(resumed(text)).rejects.toThrow(words);
    // What lies there is nobody's to throw away.
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("is refused where the row is not what answer and calls come to, also with hashes that fit", async () => {
    const passed = linesOf(kept).map((line) =>
      line.type === "graded" ? { ...line, row: { ...(line["row"] as object), passed: true, score: 1 } } : line,
    );
    await expect(resumed(chained(linesOf(kept)))).resolves.toMatchObject({ rows: [{ passed: false }] });
    await expect(resumed(chained(passed))).rejects.toThrow(/sum\.jsonl was changed: .*passed/);
  });

  it("of another question is no grade of this one", async () => {
    const [question] = selected;
    if (question === undefined) throw new Error("there is no question");
    writeFileSync(path, kept);
    const other = [{ ...question, prompt: "What is it?" }];
    const { rows } = await runSuite(suite, agentsNamed("naive"), folder.path, { selected: other, server: NONE });
    expect(rows).toMatchObject([{ status: "failed" }]);
  });
});

describe("a folder in which a run is at work", () => {
  it("is not another run's at the same time, and is free again afterwards", async () => {
    const out = join(folder.path, "shared");
    const begun = Promise.withResolvers<undefined>();
    const go = Promise.withResolvers<undefined>();
    const slow = {
      name: "slow",
      async answer(): Promise<void> {
        begun.resolve(undefined);
        await go.promise;
      },
    };
    const first = runSuite(suite, [slow], out, { selected, server });
    await begun.promise;
    await expect(runSuite(suite, [slow], out, { selected, server })).rejects.toThrow(
      `process ${process.pid} works in ${out}; wait for it`,
    );
    go.resolve(undefined);
    await expect(first).resolves.toMatchObject({ rows: [{ status: "graded" }] });
    await expect(runSuite(suite, [slow], out, { selected, server })).resolves.toEqual(await first);
  });
});
