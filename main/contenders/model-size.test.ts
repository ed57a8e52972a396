import { expect, test } from "vitest";
import type { ModelMessage } from "./model-provider.ts";
import { requestTokens } from "./model-size.ts";

const base = { system: "", tools: [], messages: [] as ModelMessage[] };
const withPicture = (base64: string): ModelMessage[] => [
  {
    from: "bench",
    answers: [
      {
        call: { id: "1", name: "view_frame", arguments: { bound: {} } },
        text: "",
        isError: false,
        pictures: [{ media_type: "image/png", base64 }],
      },
    ],
  },
];

/** The first bytes of a PNG of that size. */
function pngHead(width: number, height: number): string {
  const head = Buffer.alloc(40);
  head.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  head.writeUInt32BE(13, 8);
  head.write("IHDR", 12);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString("base64");
}

test("text counts by its length, pictures by their area and not by their bytes", () => {
  expect(requestTokens({ ...base, system: "x".repeat(2000) })).toBe(1001);
  const small = requestTokens({ ...base, messages: withPicture(pngHead(300, 250)) });
  const large = requestTokens({ ...base, messages: withPicture(pngHead(600, 500) + "A".repeat(100_000)) });
  expect(large - small).toBe(300);
});

test("an answer counts as its provider counted it, reasoning included", () => {
  const tokens = { input: 1, cached_input: 0, cache_write: 0, output: 900, reasoning: 800 };
  const messages: ModelMessage[] = [{ from: "model", answer: { text: "short", calls: [], stop: "said", tokens } }];
  expect(requestTokens({ ...base, messages })).toBe(921);
});
