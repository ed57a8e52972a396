import { expect, it } from "vitest";
import { LineFilter, type LineRefusal } from "./line-filter.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function filtered(chunks: readonly string[], longest_bytes = 100): { passed: string; refused: LineRefusal[] } {
  const refused: LineRefusal[] = [];
  const filter = new LineFilter(longest_bytes, (refusal) => refused.push(refusal));
  for (const chunk of chunks) filter.write(Buffer.from(chunk));
  return { passed: (filter.read() as Buffer | null)?.toString() ?? "", refused };
}

it("passes whole messages however they are cut", () => {
  for (let at = 1; at < PING.length; at++) {
    const { passed, refused } = filtered([PING.slice(0, at), `${PING.slice(at)}\n${PING}`, "\r\n"]);
    expect(passed.replaceAll("\r", "")).toBe(`${PING}\n${PING}\n`);
    expect(refused).toEqual([]);
  }
});

it("passes a character that is cut in the middle", () => {
  const message = Buffer.from(`${PING.replace("ping", "µ")}\n`);
  const refused: LineRefusal[] = [];
  const filter = new LineFilter(100, (refusal) => refused.push(refusal));
  const at = message.indexOf(0xb5);
  filter.write(message.subarray(0, at));
  filter.write(message.subarray(at));
  expect((filter.read() as Buffer).equals(message)).toBe(true);
  expect(refused).toEqual([]);
});

it("forgets a line that is too long while it still comes, and goes on with the next", () => {
  const { passed, refused } = filtered(["x".repeat(80), "x".repeat(80), "x".repeat(5), `\n${PING}\n`]);
  expect(passed).toBe(`${PING}\n`);
  expect(refused).toMatchObject([
    { id: null, error: { code: -32_600, message: "The message is longer than 100 bytes" } },
  ]);
});

it("takes a line of exactly the longest length", () => {
  expect(filtered([`${PING}\n`], PING.length).passed).toBe(`${PING}\n`);
  expect(filtered([`${PING}\n`], PING.length - 1).refused).toHaveLength(1);
});

it("answers under the id of what it refuses, where there is one", () => {
  const { passed, refused } = filtered(['{"id":7,"method":3}\n', "{\n", "[]\n", "\n", "  \n"]);
  expect(passed).toBe("");
  expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
    [7, -32_600],
    [null, -32_700],
    [null, -32_600],
  ]);
});
