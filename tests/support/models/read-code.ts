import { decode } from "fast-png";
import { drawText, GLYPH_HEIGHT, textWidth } from "../../../main/bench/bitmap-font.ts";

const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const SCALE = 2;
const PREFIX = "CODE ";
const LENGTH = 5;
/** Left edge of everything that is drawn below the frame. */
const LEFT = 34;

/** Reads the code that is drawn into a picture of view_frame, from its pixels and nothing else. */
export function readCode(png: Uint8Array): string {
  const { width, height, data, palette } = decode(png);
  // The colours after the ramp are paper, ink, dim ink and saturated.
  const ink = (palette?.length ?? 0) - 3;
  const top = height - 2 * GLYPH_HEIGHT - 3;
  const advance = textWidth("AA", SCALE) - textWidth("A", SCALE);
  let code = "";
  for (let place = 0; place < LENGTH; place++) {
    const left = LEFT + (PREFIX.length + place) * advance;
    const seen = new Set<string>();
    for (let y = top; y < top + SCALE * GLYPH_HEIGHT; y++) {
      for (let x = left; x < left + advance; x++) if (data[y * width + x] === ink) seen.add(`${x},${y}`);
    }
    code +=
      Array.from(SIGNS).find((sign) => {
        const drawn = new Set<string>();
        drawText(sign, left, top, SCALE, (x, y) => drawn.add(`${x},${y}`));
        return drawn.size === seen.size && [...drawn].every((pixel) => seen.has(pixel));
      }) ?? "?";
  }
  return code;
}
