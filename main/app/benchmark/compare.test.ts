import { describe, expect, test } from "vitest";
import { compareReports } from "./compare.ts";
import type { BenchReport, Entry } from "./entry.ts";
import { timingOf } from "./timing.ts";

const entry = (name: string, scale: number, ratio?: number): Entry => ({
  name,
  timing: timingOf([10, 10.2, 10.4, 10.6].map((time_ms) => scale * time_ms)),
  ...(ratio === undefined ? {} : { ratio: { to: "copy", value: ratio } }),
});

const report = (...entries: Entry[]): BenchReport => ({
  version: "1",
  node: "v24",
  processor: "any",
  load_per_core: 0,
  kernel: "typescript",
  entries,
});

describe("a report beside an older one", () => {
  test("twice the time is slower, half of it faster, 5 % the same", () => {
    const verdicts = [2, 0.5, 1.05].map(
      (scale) => compareReports(report(entry("fit", scale)), report(entry("fit", 1)))[0]?.verdict,
    );
    expect(verdicts).toEqual(["slower", "faster", "same"]);
  });

  test("a machine that is slower in everything changes no ratio and so no verdict", () => {
    expect(compareReports(report(entry("widths", 3, 8)), report(entry("widths", 1, 8)))).toEqual([
      { name: "widths", factor: 1, verdict: "same" },
    ]);
    expect(compareReports(report(entry("widths", 3, 16)), report(entry("widths", 1, 8)))[0]?.verdict).toBe("slower");
  });

  test("times that overlap are the same, however far the medians lie apart", () => {
    const wide = { name: "fit", timing: timingOf([5, 10, 20, 40]) };
    const other = { name: "fit", timing: timingOf([8, 15, 30, 60]) };
    expect(compareReports(report(other), report(wide))[0]?.verdict).toBe("same");
  });

  test("what only one of the reports has is left out", () => {
    expect(compareReports(report(entry("new", 1)), report(entry("old", 1)))).toEqual([]);
  });
});

test("the quartiles of a hundred times", () => {
  const timing = timingOf(Array.from({ length: 100 }, (_, index) => 100 - index));
  expect(timing).toEqual({
    runs: 100,
    least_ms: 1,
    lower_quartile_ms: 26,
    median_ms: 51,
    upper_quartile_ms: 76,
    p99_ms: 100,
  });
});
