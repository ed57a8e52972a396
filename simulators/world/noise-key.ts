/** What a stream of noise is for. Streams of different purposes, acquisitions or frames have nothing in common. */
export type NoisePurpose = "measurement" | "dark" | "live" | "position" | "scenario" | "fault" | "free";

const PURPOSE_NUMBERS: Readonly<Record<NoisePurpose, number>> = {
  measurement: 1,
  dark: 2,
  live: 3,
  position: 4,
  scenario: 5,
  fault: 6,
  free: 7,
};

/** Two 32-bit words that select one stream of the counter-based generator. */
export interface NoiseKey {
  readonly first: number;
  readonly second: number;
}

const GOLDEN = 0x9e3779b9;

/** Bijective mixing of 32 bits: xor-shifts and odd multipliers, three rounds, every bit reaches every other. */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 17), 0xed5ad4bb);
  bits = Math.imul(bits ^ (bits >>> 11), 0xac4c1b51);
  bits = Math.imul(bits ^ (bits >>> 15), 0x31848bab);
  return bits ^ (bits >>> 14);
}

/**
 * The key of one stream.
 * @param seed any safe integer
 * @param acquisition,frame any safe integers ≥ 0
 */
export function noiseKey(seed: number, purpose: NoisePurpose, acquisition = 0, frame = 0): NoiseKey {
  const words = [seed, Math.floor(seed / 2 ** 32), PURPOSE_NUMBERS[purpose], acquisition, frame];
  let first = 0x243f6a88;
  let second = 0x85a308d3 | 0;
  for (const word of words) {
    first = mix((first + GOLDEN) ^ (word | 0));
    second = mix((second ^ first) + Math.imul(word | 0, GOLDEN));
  }
  return { first, second };
}

/**
 * 32 random bits of one place in a stream: two keyed rounds, so that streams are not shifted copies of each other.
 * The exposure loop holds the same lines inline for speed; a test keeps the two together.
 */
export function randomBits(key: NoiseKey, index: number): number {
  let bits = (index + key.first) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = ((bits ^ (bits >>> 15)) + key.second) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0xd35a2d97);
  bits ^= bits >>> 15;
  return bits;
}
