import { expect, test } from "vitest";
import { gatherMessages } from "./gather-messages.ts";
import type { Message } from "./window-store.ts";

const told = (id: number, text: string): Message => ({ id, tone: "bad", text });

test("what is told again stands there once, as the newest, and goes with all its copies", () => {
  expect(gatherMessages([told(0, "busy"), told(1, "beyond the limit"), told(2, "busy")])).toEqual([
    { tone: "bad", text: "beyond the limit", ids: [1] },
    { tone: "bad", text: "busy", ids: [0, 2] },
  ]);
});

test("only the two newest texts are shown", () => {
  expect(gatherMessages([told(0, "a"), told(1, "b"), told(2, "c")]).map(({ text }) => text)).toEqual(["b", "c"]);
});
