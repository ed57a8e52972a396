import { describe, expect, it } from "vitest";
import { LoopGuard } from "./model-loop-guard.ts";
import type { ToolCall } from "./model-provider.ts";

const call = (name: string, bound: Record<string, unknown> = {}): ToolCall => ({
  id: "x",
  name,
  arguments: { bound },
});
const judge = (guard: LoopGuard, calls: readonly ToolCall[]) => calls.map((one) => guard.note(one));
const times = <T>(count: number, make: (i: number) => T[]): T[] =>
  Array.from({ length: count }, (_, i) => make(i)).flat();

describe("calls that go in circles", () => {
  it("are told at the fifth, and endless five later", () => {
    const judgements = judge(
      new LoopGuard(),
      times(10, () => [call("bench_status")]),
    );
    expect(judgements.indexOf("told")).toBe(4);
    expect(judgements.indexOf("endless")).toBe(9);
  });

  it("are the same whatever the reason, the picture's code and the order of the arguments", () => {
    const guard = new LoopGuard();
    const judgements = judge(
      guard,
      times(5, (i) => [
        i % 2 === 0
          ? call("move_to", { z_mm: 3, reason: `try ${i}` })
          : call("move_to", { image_code: `C${i}`, reason: "again", z_mm: 3 }),
      ]),
    );
    expect(judgements.at(-1)).toBe("told");
  });

  it("are found where a few calls alternate", () => {
    const guard = new LoopGuard();
    const judgements = judge(
      guard,
      times(5, () => [call("move_to", { z_mm: 1 }), call("move_to", { z_mm: 2 }), call("fit_caustic")]),
    );
    expect(judgements.filter((one) => one === "told")).toHaveLength(1);
  });

  it("are not: a scan with a fit after every position", () => {
    const guard = new LoopGuard();
    const judgements = judge(
      guard,
      times(30, (i) => [call("measure_at", { z_mm: i }), call("fit_caustic")]),
    );
    expect(new Set(judgements)).toEqual(new Set(["fine"]));
  });

  it("are not: four repetitions, and then something else", () => {
    const guard = new LoopGuard();
    for (let round = 0; round < 5; round++) {
      const judgements = judge(guard, [
        ...times(4, () => [call("measure_at", { z_mm: 1 })]),
        call("move_to", { z_mm: round }),
      ]);
      expect(new Set(judgements)).toEqual(new Set(["fine"]));
    }
  });
});
