import { expect, test, vi } from "vitest";
import { RealClock } from "./real-clock.ts";

test("a wait longer than a timer can take does not end at once, and can be cancelled", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const clock = new RealClock();
  const cancelled = new AbortController();
  let isOver = false;
  const wait = clock.wait(1e13, cancelled.signal).then(() => {
    isOver = true;
  });
  await clock.wait(20);
  expect(isOver).toBe(false);
  cancelled.abort();
  await wait;
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
