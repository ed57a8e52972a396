import type { Rng } from "../../drivers/protocol/rng.ts";
import { type NoiseKey, type NoisePurpose, noiseKey, randomBits } from "./noise-key.ts";
import { normalAt } from "./ziggurat.ts";

/** Two words of the stream make the 53 bits of a double in [0, 1). */
function uniformFrom(high: number, low: number): number {
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/**
 * A seeded generator. Its draws depend on seed, purpose, number and their order alone.
 * @param number tells streams of one purpose apart
 */
export function createRng(seed: number, purpose: NoisePurpose = "free", number = 0): Rng {
  const key: NoiseKey = noiseKey(seed, purpose, number);
  let index = 0;
  return {
    uniform: () => uniformFrom(randomBits(key, index++), randomBits(key, index++)),
    normal: () => normalAt(key, index++),
  };
}
