import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Seeded choices. The same seed gives the same ones in the same order. */
export interface Draw {
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** A multiple of `step` from `least` to `most`. */
  step(least: number, most: number, step: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** So many different items, in the order of the list. */
  some<Item>(items: readonly Item[], count: number): Item[];
}

const DIGITS = 12;
export const tidy = (value: number): number => Number(value.toPrecision(DIGITS));

/** 2³² over the golden ratio: spreads neighbouring seeds. */
const GOLDEN = 0x9e3779b1;
const WARM_UP = 16;

export function createDraw(seed: number): Draw {
  const generator = xoroshiro128plus(Math.imul(seed, GOLDEN));
  // The first draws of neighbouring seeds are alike.
  for (let i = 0; i < WARM_UP; i++) uniformInt(generator, 0, 1);
  const whole = (least: number, most: number): number => uniformInt(generator, least, most);
  return {
    whole,
    step: (least, most, step) => tidy(least + step * whole(0, Math.floor((most - least) / step + 1e-9))),
    pick: ([first, ...rest]) => {
      const place = whole(0, rest.length);
      return place === 0 ? first : (rest[place - 1] ?? first);
    },
    some(items, count) {
      const left = items.map((_, place) => place);
      while (left.length > count) left.splice(whole(0, left.length - 1), 1);
      return left.flatMap((place) => items.slice(place, place + 1));
    },
  };
}
