/** Text to bytes, one byte per character (ISO 8859-1), which keeps the real-time bytes above 0x7F of GRBL whole. */
export function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}

/** Bytes to text, one character per byte (ISO 8859-1): never fails, loses nothing. */
export function toText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Bytes as two hexadecimal digits each, separated by spaces: "06 00 54". */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

/** The reverse of `toHex`. Throws a SyntaxError that names the part that is not a byte. */
export function fromHex(hex: string): Uint8Array {
  const parts = hex.split(/\s+/).filter((part) => part !== "");
  return Uint8Array.from(parts, (part) => {
    if (!/^[0-9a-fA-F]{2}$/.test(part)) {
      throw new SyntaxError(`"${part}" is not a byte of two hexadecimal digits`);
    }
    return Number.parseInt(part, 16);
  });
}
