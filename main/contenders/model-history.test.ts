import { describe, expect, it } from "vitest";
import { withNewestPictures } from "./model-history.ts";
import type { ModelMessage, Picture, ToolAnswer } from "./model-provider.ts";

const picture = (name: string): Picture => ({ media_type: "image/png", base64: name });
const answer = (text: string, ...pictures: string[]): ToolAnswer => ({
  call: { id: text, name: "view_frame", arguments: { bound: {} } },
  text,
  isError: false,
  pictures: pictures.map(picture),
});
const bench = (...answers: ToolAnswer[]): ModelMessage => ({ from: "bench", answers });
const seen = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) =>
    message.from === "bench" ? message.answers.flatMap(({ pictures }) => pictures.map(({ base64 }) => base64)) : [],
  );

describe("the pictures of a conversation", () => {
  it("are the two newest, in their order, over answers and calls", () => {
    const messages = [
      bench(answer("1", "a")),
      bench(answer("2", "b"), answer("none"), answer("3", "c")),
      bench(answer("none")),
    ];
    const sent = withNewestPictures(messages);
    expect(seen(sent)).toEqual(["b", "c"]);
    expect(JSON.stringify(sent[0])).toContain("no longer shown");
    expect(sent[1]).toEqual(messages[1]);
    // The conversation itself keeps everything.
    expect(seen(messages)).toEqual(["a", "b", "c"]);
  });

  it("of one answer go oldest first", () => {
    const [sent] = withNewestPictures([bench(answer("1", "a", "b", "c"))]);
    expect(seen(sent === undefined ? [] : [sent])).toEqual(["b", "c"]);
    expect(JSON.stringify(sent).split("no longer shown")).toHaveLength(2);
  });

  it("leave everything else as it is", () => {
    const messages: ModelMessage[] = [
      { from: "operator", text: "begin" },
      { from: "model", answer: { text: "", calls: [], stop: "said" } },
      { from: "bench", answers: [answer("1")], remark: "go on" },
    ];
    expect(withNewestPictures(messages)).toEqual(messages);
  });
});
