import { expect, test } from "vitest";
import { frameWords } from "./frame-words.ts";

const darks = [
  { dark: "d001", exposure_ms: 4 },
  { dark: "d002", exposure_ms: 8 },
  { dark: "d003", exposure_ms: 4 },
];

test("a live frame is never said to have no dark where there is one at its exposure", () => {
  expect(frameWords({ purpose: "live", exposure_ms: 4 }, darks)).toBe("live, before d003 is subtracted");
  expect(frameWords({ purpose: "live", exposure_ms: 2 }, darks)).toBe("live, no dark at this exposure");
  expect(frameWords({ purpose: "measurement", exposure_ms: 4 }, darks)).toBe("one raw frame of a measurement");
});
