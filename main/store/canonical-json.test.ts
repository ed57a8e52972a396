import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("the text does not depend on the order in which keys were set", () => {
  expect(canonicalJson({ b: 1, a: { d: [1, "x", true, null], c: -0 } })).toBe(
    '{"a":{"c":0,"d":[1,"x",true,null]},"b":1}',
  );
  expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
});

test("keys are sorted by code unit, also those that look like numbers", () => {
  expect(canonicalJson({ "10": 0, "9": 0, é: 0, z: 0, Z: 0 })).toBe('{"10":0,"9":0,"Z":0,"z":0,"é":0}');
});

test("undefined members are left out, and what JSON cannot say is refused by its path", () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  expect(() => canonicalJson({ a: [0, Number.NaN] })).toThrow("$.a[1] is NaN");
  expect(() => canonicalJson({ a: Number.POSITIVE_INFINITY })).toThrow("$.a is Infinity");
  expect(() => canonicalJson([undefined])).toThrow("$[0] is of type undefined");
  expect(() => canonicalJson([, 1])).toThrow("$[0] is of type undefined");
  expect(() => canonicalJson({ a: new Date(0) })).toThrow("$.a is not a plain object");
  expect(() => canonicalJson({ a: 1n })).toThrow("$.a is of type bigint");
});

test("a value inside itself is refused, the same value twice is not", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  expect(() => canonicalJson(loop)).toThrow("$.self contains itself");
  const twice = { z: 1 };
  expect(canonicalJson([twice, twice])).toBe('[{"z":1},{"z":1}]');
});

test("numbers come back as they were", () => {
  for (const value of [0.1, 1e21, 5e-324, 130.00000000000003, -1.5e-7]) {
    expect(JSON.parse(canonicalJson(value))).toBe(value);
  }
});

test("the path of a refusal leads through every object and array around it", () => {
  const sound = { b: [1, { c: 2 }] };
  expect(() => canonicalJson({ a: sound, z: [[0], { deep: [sound, Number.NaN] }] })).toThrow("$.z[1].deep[1] is NaN");
});
