import { expect, test } from "vitest";
import { longestFirst } from "./computing-contenders.ts";

const of = (contender: string, name: string) => ({ unit: { contender, case: name } });

test("units that take long are taken up first, and those of one contender in the plan's order", () => {
  const planned = [
    of("constant", "A1"),
    of("naive", "A1"),
    of("scripted", "A1"),
    of("scripted", "A2"),
    of("other", "A1"),
  ];
  expect(longestFirst(planned).map(({ unit }) => `${unit.contender} ${unit.case}`)).toEqual([
    "other A1",
    "scripted A1",
    "scripted A2",
    "naive A1",
    "constant A1",
  ]);
});
