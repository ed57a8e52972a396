import type { Message } from "./window-store.ts";

/** One text, however often it was told. */
export type GatheredMessage = Omit<Message, "id"> & { readonly ids: readonly number[] };

/** More at once nobody reads. */
const MOST_SHOWN = 2;

/** The newest texts, each once, the newest at the end. */
export function gatherMessages(messages: readonly Message[]): GatheredMessage[] {
  const byText = new Map<string, GatheredMessage>();
  for (const { id, ...message } of messages) {
    const key = `${message.tone} ${message.text}`;
    const before = byText.get(key);
    byText.delete(key);
    byText.set(key, { ...message, ids: [...(before?.ids ?? []), id] });
  }
  return [...byText.values()].slice(-MOST_SHOWN);
}
