import { expect, test } from "vitest";
import { ParentPrinter } from "./parent-printer.ts";

test("each report goes to the parent, and each answer to the report that it belongs to", async () => {
  const sent: { id: number; html: string }[] = [];
  const printer = new ParentPrinter({ postMessage: (message) => void sent.push(message as (typeof sent)[number]) });
  const first = printer.print("first");
  const second = printer.print("second");
  const [one, two] = sent;
  expect(sent.map(({ html }) => html)).toEqual(["first", "second"]);
  expect(printer.answer({ type: "printed", id: two?.id, pdf: new Uint8Array([2]) })).toBe(true);
  expect(printer.answer({ type: "printed", id: one?.id, error: "no printer" })).toBe(true);
  await expect(second).resolves.toEqual(new Uint8Array([2]));
  await expect(first).rejects.toThrow("no printer");
});

test("other messages are left to others", () => {
  const printer = new ParentPrinter({ postMessage: () => undefined });
  for (const other of [undefined, null, "printed", {}, { type: "printed" }]) expect(printer.answer(other)).toBe(false);
});
