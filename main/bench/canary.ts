import { createHmac } from "node:crypto";

/** Letters and figures that nobody confuses in a small bitmap. */
const ALPHABET = "ACDEFHJKMNPRTVWXY34679";
const LENGTH = 5;

/**
 * Codes for pictures: five characters that follow from the key and the event that records the picture, so that the same
 * run seed gives the same log, while nobody can tell them from results. The key must not reach a client.
 */
export function createCanary(key: string): (seq: number) => string {
  return (seq) => {
    const digest = createHmac("sha256", key).update(`picture ${seq}`).digest();
    let number = digest.readUIntBE(0, 6);
    let code = "";
    for (let i = 0; i < LENGTH; i++) {
      code += ALPHABET[number % ALPHABET.length] ?? "";
      number = Math.floor(number / ALPHABET.length);
    }
    return code;
  };
}
