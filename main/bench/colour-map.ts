/*
 * The false colours of pictures. The ramp runs through the OKLab space (B. Ottosson, 2020): lightness rises evenly from near
 * black to near white while the hue turns from violet over red to yellow, so that equal steps in counts look equal and the
 * picture still reads in grey. Values are computed here, not taken from another map.
 */

export type Colour = [red: number, green: number, blue: number];

/** Printed with every picture. */
export const COLOUR_MAP_NAME =
  "dark violet (fewest counts) over red to pale yellow (most counts); saturated pixels cyan";

const channel = (linear: number): number => {
  const clipped = Math.min(1, Math.max(0, linear));
  const encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  return Math.round(255 * encoded);
};

function fromOklch(lightness: number, chroma: number, hue_deg: number): Colour {
  const hue_rad = (hue_deg * Math.PI) / 180;
  const a = chroma * Math.cos(hue_rad);
  const b = chroma * Math.sin(hue_rad);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    channel(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    channel(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

/** The ramp in `levels` (≥ 2) steps, fewest counts first. */
export function createRamp(levels: number): Colour[] {
  return Array.from({ length: levels }, (_, i) => {
    const t = i / (levels - 1);
    const lightness = 0.08 + 0.88 * t;
    const chroma = 0.19 * Math.sin(Math.PI * Math.min(1, 0.12 + 0.82 * t));
    return fromOklch(lightness, chroma, 295 + 170 * t);
  });
}

export const SATURATED: Colour = [0, 255, 255];
export const INK: Colour = [240, 240, 240];
export const DIM_INK: Colour = [150, 150, 150];
export const PAPER: Colour = [16, 16, 20];
