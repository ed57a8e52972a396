import { encode } from "fast-png";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { GLYPH_HEIGHT, drawText, textWidth } from "./bitmap-font.ts";
import { type Colour, DIM_INK, INK, PAPER, SATURATED, createRamp } from "./colour-map.ts";

export interface Crop {
  readonly x_px: number;
  readonly y_px: number;
  readonly width_px: number;
  readonly height_px: number;
}

export interface PictureOptions {
  /** Whole frame when absent. Inside the frame. */
  readonly crop?: Crop;
  readonly logScale: boolean;
  readonly pixelPitch_um: number;
  /** Drawn above the picture. */
  readonly caption: string;
  /** The delivery code, drawn below it. */
  readonly code: string;
  readonly simulated: boolean;
}

export interface Picture {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly minimum_counts: number;
  readonly maximum_counts: number;
  readonly scale_um_per_picture_px: number;
}

/** Largest picture that hosts pass on without trouble. */
export const LARGEST_PICTURE_BYTES = 100_000;
/** Longest side of the frame's part of the picture. */
const LONGEST_SIDE = 640;
/** Smaller frames are drawn with larger pixels until they are about this wide. */
const COMFORTABLE_SIDE = 320;
const LEVELS = 128;
const FEW_LEVELS = 24;
const LEFT = 34;
const TOP = 12;
const BOTTOM = 44;
const RIGHT = 8;

/** Colours after the ramp. */
const EXTRA: readonly Colour[] = [PAPER, INK, DIM_INK, SATURATED];

/**
 * A false-colour picture of a frame as PNG, at most 100 kB: raw counts from the fewest to the most, saturated pixels in a
 * colour of their own, sensor pixels along the edges, a scale bar, the caption, the delivery code, and a watermark when no
 * photon was involved. Large sensors are averaged over blocks; where noise does not compress, colours are reduced first and
 * then the size. Bytes depend on the arguments alone.
 */
export function drawPicture(frame: Frame, options: PictureOptions): Picture {
  const crop = options.crop ?? { x_px: 0, y_px: 0, width_px: frame.width_px, height_px: frame.height_px };
  const longest = Math.max(crop.width_px, crop.height_px);
  for (let block = Math.ceil(longest / LONGEST_SIDE); ; ) {
    let picture = drawAt(frame, crop, options, block, LEVELS);
    // Fewer colours save up to half of the bytes; where that cannot be enough, only a smaller picture helps.
    if (picture.png.length > LARGEST_PICTURE_BYTES && picture.png.length < 2 * LARGEST_PICTURE_BYTES) {
      picture = drawAt(frame, crop, options, block, FEW_LEVELS);
    }
    const excess = picture.png.length / LARGEST_PICTURE_BYTES;
    if (excess <= 1 || longest / block < 16) return picture;
    block = Math.max(block + 1, Math.ceil(block * Math.sqrt(excess)));
  }
}

interface Reduced {
  readonly width: number;
  readonly height: number;
  readonly counts: Float64Array;
  readonly saturated: Uint8Array;
}

/** Averages blocks of `block` × `block` pixels; a block with a saturated pixel is saturated. */
function reduce(frame: Frame, crop: Crop, block: number): Reduced {
  const width = Math.ceil(crop.width_px / block);
  const height = Math.ceil(crop.height_px / block);
  const counts = new Float64Array(width * height);
  const saturated = new Uint8Array(width * height);
  const fullScale = 2 ** frame.bitDepth - 1;
  for (let y = 0; y < height; y++) {
    const rows = Math.min(block, crop.height_px - y * block);
    for (let x = 0; x < width; x++) {
      const columns = Math.min(block, crop.width_px - x * block);
      let sum = 0;
      for (let row = 0; row < rows; row++) {
        const start = (crop.y_px + y * block + row) * frame.width_px + crop.x_px + x * block;
        for (let column = 0; column < columns; column++) {
          const sample = frame.samples[start + column] ?? 0;
          sum += sample;
          if (sample >= fullScale) saturated[y * width + x] = 1;
        }
      }
      counts[y * width + x] = sum / (rows * columns);
    }
  }
  return { width, height, counts, saturated };
}

function extremes(frame: Frame, crop: Crop): { minimum: number; maximum: number } {
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  for (let row = crop.y_px; row < crop.y_px + crop.height_px; row++) {
    for (let column = crop.x_px; column < crop.x_px + crop.width_px; column++) {
      const sample = frame.samples[row * frame.width_px + column] ?? 0;
      if (sample < minimum) minimum = sample;
      if (sample > maximum) maximum = sample;
    }
  }
  return { minimum, maximum };
}

/** A round number (1, 2 or 5 times a power of ten) not above the value. */
function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const share = value / power;
  return (share >= 5 ? 5 : share >= 2 ? 2 : 1) * power;
}

function drawAt(frame: Frame, crop: Crop, options: PictureOptions, block: number, levels: number): Picture {
  const reduced = reduce(frame, crop, block);
  const zoom = Math.max(1, Math.floor(COMFORTABLE_SIDE / Math.max(reduced.width, reduced.height)));
  const imageWidth = reduced.width * zoom;
  const imageHeight = reduced.height * zoom;
  const width = Math.max(LEFT + imageWidth + RIGHT, textWidth(options.caption) + 8, 220);
  const height = TOP + imageHeight + BOTTOM;
  const paper = levels;
  const ink = levels + 1;
  const dim = levels + 2;
  const saturatedIndex = levels + 3;
  const data = new Uint8Array(width * height).fill(paper);
  const plot = (colour: number) => (x: number, y: number) => {
    if (x >= 0 && x < width && y >= 0 && y < height) data[y * width + x] = colour;
  };

  const { minimum, maximum } = extremes(frame, crop);
  const span = Math.max(1, maximum - minimum);
  const logSpan = Math.log1p(span);
  for (let y = 0; y < imageHeight; y++) {
    for (let x = 0; x < imageWidth; x++) {
      const cell = Math.floor(y / zoom) * reduced.width + Math.floor(x / zoom);
      const above = Math.max(0, (reduced.counts[cell] ?? 0) - minimum);
      const share = options.logScale ? Math.log1p(above) / logSpan : above / span;
      data[(TOP + y) * width + LEFT + x] =
        reduced.saturated[cell] === 1 ? saturatedIndex : Math.min(levels - 1, Math.floor(share * levels));
    }
  }

  drawText(options.caption, LEFT, 2, 1, plot(ink));
  // Sensor pixels along both edges.
  const step = Math.max(1, roundBelow(Math.max(crop.width_px, crop.height_px) / 3));
  const toPicture = zoom / block;
  for (let pixel = Math.ceil(crop.x_px / step) * step; pixel < crop.x_px + crop.width_px; pixel += step) {
    const x = LEFT + Math.floor((pixel - crop.x_px + 0.5) * toPicture);
    for (let tick = 0; tick < 4; tick++) plot(dim)(x, TOP + imageHeight + tick);
    const label = String(pixel);
    drawText(label, x - Math.floor(textWidth(label) / 2), TOP + imageHeight + 5, 1, plot(dim));
  }
  for (let pixel = Math.ceil(crop.y_px / step) * step; pixel < crop.y_px + crop.height_px; pixel += step) {
    const y = TOP + Math.floor((pixel - crop.y_px + 0.5) * toPicture);
    for (let tick = 1; tick <= 4; tick++) plot(dim)(LEFT - tick, y);
    const label = String(pixel);
    drawText(label, LEFT - 6 - textWidth(label), Math.max(TOP, y - 3), 1, plot(dim));
  }
  const perPicturePixel_um = (options.pixelPitch_um * block) / zoom;
  const bar_um = roundBelow(0.4 * imageWidth * perPicturePixel_um);
  const bar = Math.max(1, Math.round(bar_um / perPicturePixel_um));
  const barTop = TOP + imageHeight + 17;
  for (let x = 0; x < bar; x++) for (let y = 0; y < 3; y++) plot(ink)(LEFT + x, barTop + y);
  drawText(`${bar_um} µm`, LEFT + bar + 5, barTop - 2, 1, plot(ink));
  const code = `CODE ${options.code}`;
  drawText(code, LEFT, height - 2 * GLYPH_HEIGHT - 3, 2, plot(ink));
  if (options.simulated) {
    const mark = "SIMULATED";
    // Every other pixel, so that it stands in the picture without hiding what lies below, and dark on bright ground.
    const hatched = (x: number, y: number): void => {
      if ((x + y) % 2 === 0) plot((data[y * width + x] ?? 0) > levels / 2 ? paper : ink)(x, y);
    };
    drawText(mark, LEFT + 4, TOP + imageHeight - 2 * GLYPH_HEIGHT - 4, 2, hatched);
  }

  const palette = [...createRamp(levels), ...EXTRA];
  const png = encode({ width, height, data, depth: 8, channels: 1, palette }, { zlib: { level: 4 } });
  return {
    png: new Uint8Array(png),
    minimum_counts: minimum,
    maximum_counts: maximum,
    scale_um_per_picture_px: perPicturePixel_um,
  };
}
