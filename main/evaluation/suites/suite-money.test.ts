import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { MoneyJournalError, SuiteMoney } from "./suite-money.ts";

const folder = mkdtempSync(join(tmpdir(), "suite-money-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Task {
  readonly usd?: number;
}
const costOf = ({ usd }: Task): number | undefined => usd;
const costing = (usd?: number) => (): Promise<Task> => Promise.resolve(usd === undefined ? {} : { usd });

describe("the money of a suite", () => {
  it("is never passed, neither by what is spent nor by what is set aside, and is used up as far as caps fit", async () => {
    const money = new SuiteMoney({ limit_usd: 1, cap_usd: 0.25 });
    let [running, most] = [0, 0];
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        money.run(
          `t${i}`,
          async () => {
            most = Math.max(most, money.spent_usd + 0.25 * ++running);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return { usd: 0.1 };
          },
          costOf,
        ),
      ),
    );
    expect(most).toBeLessThanOrEqual(1 + 1e-9);
    // Eight at 0.1 leave 0.2, which is less than a cap.
    expect(ends.filter((end) => typeof end !== "string")).toHaveLength(8);
    expect(money.spent_usd).toBeCloseTo(0.8, 12);
    expect(ends.at(-1)).toBe("its cap of $0.25 does not fit into the $0.2000 that are left of $1");
  });

  it("takes a cost that is not told, and a task that broke, for the cap", async () => {
    const money = new SuiteMoney({ limit_usd: 1, cap_usd: 0.25 });
    await money.run("untold", costing(), costOf);
    await expect(money.run("broken", () => Promise.reject(new Error("line lost")), costOf)).rejects.toThrow(
      "line lost",
    );
    expect(money.spent_usd).toBe(0.5);
  });

  it("counts what earlier commands spent, a killed task with its cap, and a kept one once", async () => {
    const journal = join(folder, "new", "money.jsonl");
    const options = { limit_usd: 1, cap_usd: 0.25, journal };
    const first = new SuiteMoney(options);
    await first.run("a", costing(0.1), costOf);
    await first.run("b", costing(), costOf);
    // Killed while it ran, and while the line of the next was written.
    void first.run("c", () => new Promise<Task>(() => {}), costOf);
    appendFileSync(journal, '{"task":"d","res');
    const second = new SuiteMoney(options);
    expect(second.spent_usd).toBeCloseTo(0.1 + 0.25 + 0.25, 12);
    second.keep("a", 0.1);
    second.keep("of-a-run-without-limit", 0.05);
    expect(second.spent_usd).toBeCloseTo(0.65, 12);
    await second.run("c", costing(0.02), costOf);
    // What the killed attempt may have cost stays.
    expect(new SuiteMoney(options).spent_usd).toBeCloseTo(0.62, 12);
    expect(readFileSync(journal, "utf8").trimEnd().split("\n")).toHaveLength(7);
  });

  it("is refused where its journal is damaged before the end, with the line", () => {
    const journal = join(folder, "damaged.jsonl");
    writeFileSync(journal, '{"task":"a","reserved_usd":0.25}\n{"task":"a","settled_usd":-1,"known":true}\n');
    const open = (): SuiteMoney => new SuiteMoney({ limit_usd: 1, cap_usd: 0.25, journal });
    expect(open).toThrow(MoneyJournalError);
    expect(open).toThrow(/damaged\.jsonl, line 2 is damaged/);
  });
});
