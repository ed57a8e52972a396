import { expect, test } from "vitest";
import { printRequest } from "./print-messages.ts";

test("a request to print is read, and nothing else that a process may say", () => {
  expect(printRequest({ type: "print", id: 3, html: "<p>x</p>", more: 1 })).toEqual({
    type: "print",
    id: 3,
    html: "<p>x</p>",
  });
  for (const other of [undefined, null, "print", { type: "print" }, { type: "print", id: "3", html: "" }, { id: 1 }]) {
    expect(printRequest(other)).toBeUndefined();
  }
});
