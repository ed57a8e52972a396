import { expect, test } from "vitest";
import { headWords } from "./strip-head.ts";

test("the head of a strip chart has the newest value", () => {
  expect(headWords([822.04, 837.06], false)).toBe("837.1");
  expect(headWords([1, 250_000], false)).toBe("250.0k");
  expect(headWords([1, 2, 3], true)).toBe("σ 1.00");
});

test("where the newest frame has no value, an older one does not stand for it", () => {
  expect(headWords([822, 837, undefined], false)).toBe("–");
  expect(headWords([822, 837, undefined], true)).toBe("–");
  expect(headWords([], false)).toBe("–");
});
