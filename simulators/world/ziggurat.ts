import { type NoiseKey, randomBits } from "./noise-key.ts";

/*
 * Normal deviates by the ziggurat method (Marsaglia and Tsang, J. Stat. Softw. 5(8), 2000): 256 layers of equal area
 * cover the half bell; 98.5 % of the draws lie inside a layer's rectangle and cost one table look-up and one product.
 * The low 8 bits choose the layer, the high 24 bits the abscissa, so that the two are independent.
 */
const LAYERS = 256;
/** Start of the tail and area of each layer, for 256 layers. */
const TAIL_START = 3.6541528853610088;
const LAYER_AREA = 4.92867323399e-3;
const HALF_STEPS = 2 ** 23;

/** Right edges of the layers, from the base strip (0) upwards; entry 1 is where the tail starts. */
const edges = new Float64Array(LAYERS + 1);
/** Height of the bell at each edge. */
export const ZIGGURAT_HEIGHTS = new Float64Array(LAYERS + 1);

/** Step of the abscissa in each layer: a signed 24-bit integer times this is the deviate. */
export const ZIGGURAT_STEPS = new Float64Array(LAYERS);
/** An integer below this in magnitude lies inside the layer's rectangle under the bell. */
export const ZIGGURAT_LIMITS = new Int32Array(LAYERS);

const bell = (x: number): number => Math.exp(-0.5 * x * x);

edges[0] = LAYER_AREA / bell(TAIL_START);
edges[1] = TAIL_START;
for (let layer = 2; layer < LAYERS; layer++) {
  const below = edges[layer - 1] as number;
  edges[layer] = Math.sqrt(-2 * Math.log(LAYER_AREA / below + bell(below)));
}
edges[LAYERS] = 0;
for (let layer = 0; layer <= LAYERS; layer++) ZIGGURAT_HEIGHTS[layer] = bell(edges[layer] as number);
for (let layer = 0; layer < LAYERS; layer++) {
  const edge = edges[layer] as number;
  ZIGGURAT_STEPS[layer] = edge / HALF_STEPS;
  ZIGGURAT_LIMITS[layer] = Math.floor(((edges[layer + 1] as number) / edge) * HALF_STEPS);
}

/** Uniform in (0, 1), from another part of the stream than the pixels'. Plain numbers: no object is made per draw. */
function uniformAt(first: number, second: number, index: number, draw: number): number {
  let bits = (index + (first ^ 0x5bd1e995)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = ((bits ^ (bits >>> 15)) + second + Math.imul(draw, 0x9e3779b9)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0xd35a2d97);
  bits ^= bits >>> 15;
  return ((bits >>> 0) + 0.5) / 2 ** 32;
}

/**
 * The deviate of one place whose first draw fell outside its layer's rectangle: wedge, tail, or new draws until one
 * holds. Depends on key and index alone.
 */
export function normalOutsideRectangle(first: number, second: number, index: number, firstBits: number): number {
  let bits = firstBits;
  for (let draw = 1; ; draw += 2) {
    const layer = bits & (LAYERS - 1);
    const steps = bits >> 8;
    const x = steps * (ZIGGURAT_STEPS[layer] as number);
    if ((steps ^ (steps >> 31)) < (ZIGGURAT_LIMITS[layer] as number)) return x;
    if (layer === 0) {
      const tail = tailDeviate(first, second, index, draw);
      return steps < 0 ? -tail : tail;
    }
    const floor = ZIGGURAT_HEIGHTS[layer] as number;
    const ceiling = ZIGGURAT_HEIGHTS[layer + 1] as number;
    if (floor + uniformAt(first, second, index, draw) * (ceiling - floor) < bell(x)) return x;
    bits = (uniformAt(first, second, index, draw + 1) * 2 ** 32) | 0;
  }
}

/** A deviate beyond the start of the tail (Marsaglia's method). */
function tailDeviate(first: number, second: number, index: number, firstDraw: number): number {
  for (let draw = firstDraw; ; draw += 2) {
    const x = -Math.log(uniformAt(first, second, index, draw)) / TAIL_START;
    const y = -Math.log(uniformAt(first, second, index, draw + 1));
    if (2 * y > x * x) return TAIL_START + x;
  }
}

/** Standard normal deviate of one place in a stream. */
export function normalAt(key: NoiseKey, index: number): number {
  const bits = randomBits(key, index);
  const layer = bits & (LAYERS - 1);
  const steps = bits >> 8;
  return (steps ^ (steps >> 31)) < (ZIGGURAT_LIMITS[layer] as number)
    ? steps * (ZIGGURAT_STEPS[layer] as number)
    : normalOutsideRectangle(key.first, key.second, index, bits);
}
