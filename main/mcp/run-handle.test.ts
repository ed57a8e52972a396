import { expect, it } from "vitest";
import { markedHandle, newCallerMark, newRunHandle, readHandle, withHandle } from "./run-handle.ts";

it("handles cannot be guessed and need no escaping in an address", () => {
  const handles = new Set(Array.from({ length: 1000 }, newRunHandle));
  expect(handles.size).toBe(1000);
  for (const handle of handles) expect(encodeURIComponent(handle)).toBe(handle);
  const held = markedHandle(newRunHandle(), newCallerMark());
  expect(encodeURIComponent(held)).toBe(held);
});

it("a handle comes apart as it was put together", () => {
  const run = newRunHandle();
  const mark = newCallerMark();
  expect(readHandle(markedHandle(run, mark))).toEqual({ run, mark });
  expect(readHandle(run)).toEqual({ run });
  expect(readHandle("")).toEqual({ run: "" });
});

it("an answer carries the caller's handle wherever it names the run, and no other text changes", () => {
  const answer = {
    run: "run-a",
    note: "run-a",
    frame_uri: "bench://run/run-a/frame/v001",
    result: { run: "run-a", measurement: "m001" },
    other: { run: "run-b" },
  };
  expect(withHandle(answer, "run-a", "run-a~me")).toEqual({
    run: "run-a~me",
    note: "run-a",
    frame_uri: "bench://run/run-a~me/frame/v001",
    result: { run: "run-a~me", measurement: "m001" },
    other: { run: "run-b" },
  });
  expect(answer.run).toBe("run-a");
});
