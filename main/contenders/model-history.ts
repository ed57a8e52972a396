import type { ModelMessage, ToolAnswer } from "./model-provider.ts";

/** Pictures that stay in the conversation; each is sent, and paid for, with every request. */
const PICTURES_KEPT = 2;
const STUB = "[This picture is no longer shown. Call view_frame again if you need it.]";

/** The conversation as it is sent: the newest pictures, and a stub in the place of each older one. */
export function withNewestPictures(messages: readonly ModelMessage[]): ModelMessage[] {
  let left = PICTURES_KEPT;
  const trimmed = (answer: ToolAnswer): ToolAnswer => {
    if (answer.pictures.length === 0) return answer;
    const kept = answer.pictures.slice(Math.max(0, answer.pictures.length - left));
    left -= kept.length;
    const stubs = Array.from({ length: answer.pictures.length - kept.length }, () => STUB);
    return { ...answer, pictures: kept, text: [answer.text, ...stubs].join("\n") };
  };
  const newestFirst = [...messages].reverse().map((message): ModelMessage => {
    if (message.from !== "bench") return message;
    return { ...message, answers: [...message.answers].reverse().map(trimmed).reverse() };
  });
  return newestFirst.reverse();
}
