import { describe, expect, it } from "vitest";
import { suiteHash } from "./suite-hash.ts";

describe("the hash of a suite's tasks", () => {
  // Of the bytes {"a":[1,null,"µ"],"b":2} in UTF-8, by sha256sum.
  const KNOWN = "c1634736bfa38f9a2759e7f4c3c96fd047d5b07c092bdd04c195c859991827f9";

  it("is SHA-256 of the canonical JSON, whatever the order of members", () => {
    expect(suiteHash({ a: [1, null, "µ"], b: 2 })).toBe(KNOWN);
    expect(suiteHash({ b: 2, a: [1, null, "µ"] })).toBe(KNOWN);
  });

  it("counts members that are undefined for nothing, and everything else", () => {
    expect(suiteHash({ a: [1, null, "µ"], b: 2, c: undefined })).toBe(KNOWN);
    expect(suiteHash({ a: [null, 1, "µ"], b: 2 })).not.toBe(KNOWN);
    expect(suiteHash({ a: [1, null, "µ"], b: 2.5 })).not.toBe(KNOWN);
  });
});
