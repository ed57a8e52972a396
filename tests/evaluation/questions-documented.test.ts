import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSuite } from "./question-run.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/run-an-evaluation.md"), "utf8");

it("the page on evaluations names every trap, pushback and warning, and no question that there is not", () => {
  const { questions } = readSuite();
  const listed = new Set(
    [...PAGE.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
      [...row.matchAll(/`([a-z]+(?:-[a-z0-9]+)+)`/g)].map(([, id]) => id),
    ),
  );
  const wanted = questions.filter(({ category }) => category !== "standard").map(({ id }) => id);
  expect(wanted.filter((id) => !listed.has(id))).toEqual([]);
  const kinds = new Set(questions.map(({ kind }) => kind));
  const strangers = [...listed].filter(
    (id = "") => kinds.has(id.split("-")[0] ?? "") && !questions.some((one) => one.id === id),
  );
  expect(strangers).toEqual([]);
});
