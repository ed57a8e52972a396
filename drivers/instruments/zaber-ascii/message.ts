/**
 * Zaber's ASCII messages. Sources: https://www.zaber.com/wiki/Manuals/ASCII_Protocol_Manual (message format, checksum)
 * and https://www.zaber.com/protocol-manual?protocol=ASCII (firmware 7).
 */

export interface ZaberReply {
  readonly kind: "reply";
  readonly device: number;
  readonly axis: number;
  /** Number of the command; absent when the command carried none. */
  readonly messageId?: number;
  readonly accepted: boolean;
  readonly busy: boolean;
  /** The highest warning flag that is set, "--" for none. */
  readonly flag: string;
  readonly data: string;
  /** It carried a checksum, and the right one. */
  readonly checked: boolean;
  readonly text: string;
}

/** "!": a change that nobody asked about; "#": text for a person. Never the answer to a command. */
export interface ZaberNotice {
  readonly kind: "alert" | "info";
  readonly text: string;
}

/** A line that is none of these: noise, or a reply that was garbled on its way. */
export interface ZaberNoise {
  readonly kind: "noise";
  readonly text: string;
}

export type ZaberMessage = ZaberReply | ZaberNotice | ZaberNoise;

/** Two upper-case hexadecimal digits: 256 minus the sum of the bytes behind the first character, modulo 256. */
export function zaberChecksum(body: string): string {
  let sum = 0;
  for (let index = 0; index < body.length; index += 1) {
    sum += body.charCodeAt(index);
  }
  return ((256 - (sum % 256)) % 256).toString(16).toUpperCase().padStart(2, "0");
}

/** A command with message number and checksum, so that a garbled one is ignored and replies cannot be mistaken. */
export function zaberCommand(device: number, axis: number, messageId: number, text: string): string {
  const body = `${device} ${axis} ${messageId}${text === "" ? "" : ` ${text}`}`;
  return `/${body}:${zaberChecksum(body)}\n`;
}

const REPLY = /^@(\d{1,2}) (\d) (?:(\d{1,2}) )?(OK|RJ) (BUSY|IDLE) ([A-Z]{2}|--) ?(.*)$/;

export function parseZaberLine(line: string): ZaberMessage {
  // A byte of noise before the line's own first character does no harm to what follows.
  const start = line.search(/[@!#]/);
  const text = start > 0 ? line.slice(start) : line;
  const checksum = /:([0-9A-F]{2})$/.exec(text);
  const bare = checksum === null ? text : text.slice(0, -3);
  if (checksum !== null && checksum[1] !== zaberChecksum(bare.slice(1))) {
    return { kind: "noise", text: line };
  }
  if (bare.startsWith("!")) {
    return { kind: "alert", text: bare };
  }
  if (bare.startsWith("#")) {
    return { kind: "info", text: bare };
  }
  const match = REPLY.exec(bare);
  if (match === null) {
    return { kind: "noise", text: line };
  }
  const [, device, axis, messageId, verdict, status, flag = "--", data = ""] = match;
  return {
    kind: "reply",
    device: Number(device),
    axis: Number(axis),
    ...(messageId === undefined ? {} : { messageId: Number(messageId) }),
    accepted: verdict === "OK",
    busy: status === "BUSY",
    flag,
    data,
    checked: checksum !== null,
    text: bare,
  };
}
