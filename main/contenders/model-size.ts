import type { ModelMessage, ModelRequest, Picture } from "./model-provider.ts";

/** JSON full of numbers has about this many characters a token where it has fewest. */
const CHARACTERS_PER_TOKEN = 2;
const PER_MESSAGE_TOKENS = 20;
/** Vendors reckon a picture by its area; these are the pixels a token of the dearest published rule. */
const PIXELS_PER_TOKEN = 750;
const PER_PICTURE_TOKENS = 300;
/** For pictures whose size is not known. */
const UNKNOWN_PICTURE_TOKENS = 5000;

const textTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

function pictureTokens({ media_type, base64 }: Picture): number {
  if (media_type !== "image/png") return UNKNOWN_PICTURE_TOKENS;
  const header = Buffer.from(base64.slice(0, 32), "base64");
  if (header.length < 24) return UNKNOWN_PICTURE_TOKENS;
  // PNG (ISO/IEC 15948, 11.2.2): width and height follow the signature and the head of the first chunk.
  return PER_PICTURE_TOKENS + Math.ceil((header.readUInt32BE(16) * header.readUInt32BE(20)) / PIXELS_PER_TOKEN);
}

function messageTokens(message: ModelMessage): number {
  switch (message.from) {
    case "operator":
      return textTokens(message.text);
    case "model":
      return message.answer.tokens?.output ?? textTokens(message.answer.text + JSON.stringify(message.answer.calls));
    case "bench":
      return message.answers
        .map(({ text, pictures }) => {
          const shown = pictures.map(pictureTokens).reduce((sum, tokens) => sum + tokens, 0);
          return PER_MESSAGE_TOKENS + textTokens(text) + shown;
        })
        .reduce((sum, tokens) => sum + tokens, textTokens(message.remark ?? ""));
  }
}

/** Tokens of a request, reckoned from above without the provider's tokeniser. */
export function requestTokens({ system, tools, messages }: Omit<ModelRequest, "max_output_tokens">): number {
  return messages
    .map((message) => PER_MESSAGE_TOKENS + messageTokens(message))
    .reduce((sum, tokens) => sum + tokens, textTokens(system) + textTokens(JSON.stringify(tools)));
}
