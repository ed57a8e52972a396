import { expect, test } from "vitest";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { BenchSession } from "./bench-session.ts";
import { type BenchOffer, createBenches } from "./benches.ts";
import { AGENT, OTHER, createFakeBench } from "./fake-bench.ts";

function offer(bench: string, opened: BenchSession[] = [], lifetime_s = 60): BenchOffer {
  return {
    bench,
    description: "a bench",
    simulated: true,
    async open() {
      const handle = `${bench}-run-${opened.length}`;
      const fake = await createFakeBench({
        options: { bench, newHandle: () => handle, handleLifetime_s: lifetime_s },
      });
      opened.push(fake.session);
      return fake.session;
    },
  };
}
const open = { reason: "to measure" };

test("benches are listed, opened by name and reached by handle", async () => {
  const benches = createBenches([offer("one"), offer("two")]);
  const look = { caller: AGENT };
  expect((await benches.verbs.bench_status({}, look)).benches?.map(({ bench, in_use }) => [bench, in_use])).toEqual([
    ["one", false],
    ["two", false],
  ]);
  const one = await benches.verbs.bench_open({ bench: "one", ...open }, look);
  const two = await benches.verbs.bench_open({ bench: "two", ...open }, look);
  expect(one.run).not.toBe(two.run);
  await benches.verbs.move_to({ run: two.run, z_mm: 7, reason: "r" }, look);
  expect((await benches.verbs.bench_status({ run: two.run }, look)).z_actual_mm).toBe(7);
  expect((await benches.verbs.bench_status({ run: one.run }, look)).z_actual_mm).toBe(0);
  expect(benches.session(one.run).bench).toBe("one");
  await expect(benches.verbs.stop({ run: "guess" }, look)).rejects.toMatchObject({ code: "unknown_run" });
  await expect(benches.verbs.bench_open({ bench: "three", ...open }, look)).rejects.toMatchObject({
    code: "unknown_bench",
  });
  await expect(benches.verbs.bench_open({ bench: "" } as never, look)).rejects.toMatchObject({ code: "bad_argument" });
});

test("callers at the same moment and later callers join the same run", async () => {
  const opened: BenchSession[] = [];
  const benches = createBenches([offer("one", opened)]);
  const both = await Promise.all(
    [AGENT, OTHER].map((caller) => benches.verbs.bench_open({ bench: "one", ...open }, { caller })),
  );
  expect(new Set(both.map(({ run }) => run)).size).toBe(1);
  expect(opened).toHaveLength(1);
  await benches.verbs.bench_open({ bench: "one", ...open }, { caller: OTHER });
  expect(opened).toHaveLength(1);
});

test("after finish the next opening closes the old run and begins another", async () => {
  const opened: BenchSession[] = [];
  const benches = createBenches([offer("one", opened)]);
  const look = { caller: AGENT };
  const first = await benches.verbs.bench_open({ bench: "one", ...open }, look);
  await benches.verbs.finish({ run: first.run, verdict: "measurement_failed", explanation: "e" }, look);
  expect((await benches.verbs.bench_status({}, look)).benches?.[0]?.in_use).toBe(false);
  expect((await benches.verbs.bench_status({ run: first.run }, look)).state).toBe("finished");
  const second = await benches.verbs.bench_open({ bench: "one", ...open }, look);
  expect(second.run).not.toBe(first.run);
  expect(opened[0]?.events().at(-1)).toMatchObject({ type: "run_closed", why: "finished" });
  await expect(benches.verbs.stop({ run: first.run }, look)).rejects.toMatchObject({ code: "unknown_run" });
  await benches.close("abandoned");
  expect(opened[1]?.events().at(-1)).toMatchObject({ why: "abandoned" });
});

test("a bench that could not be opened may be tried again", async () => {
  let broken = true;
  const good = offer("one");
  const benches = createBenches([
    {
      ...good,
      open: async () => {
        if (broken) throw new InstrumentError("not_connected", "Fake stage (stage)", "no cable");
        return good.open();
      },
    },
  ]);
  await expect(benches.verbs.bench_open({ bench: "one", ...open }, { caller: AGENT })).rejects.toMatchObject({
    code: "instrument_failed",
  });
  broken = false;
  await benches.verbs.bench_open({ bench: "one", ...open }, { caller: AGENT });
});
