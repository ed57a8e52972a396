/** What a format decoder makes of a file, before one channel is chosen and its bits are interpreted. */
export interface Raster {
  /** For messages: "8-bit PNG". */
  readonly format: string;
  readonly width_px: number;
  readonly height_px: number;
  /** Interleaved channels per pixel: 1 for grey, 3 for red, green, blue; transparency is left out. */
  readonly channels: number;
  /** Row-major from the top left, `width_px * height_px * channels` values; floating point where counts are no integers. */
  readonly samples: Uint8Array | Uint16Array | Float64Array;
  /**
   * Largest value that the file says a sample can have (PGM's maxval, TIFF's MaxSampleValue, 255 for 8 bits); absent
   * where the file does not say (text, floating point).
   */
  readonly maximum?: number;
  /** True when the file says of itself that it is simulated. */
  readonly simulated?: boolean;
  readonly notes: readonly string[];
}

/** Larger than any beam camera's sensor; above it a header is taken for damaged. */
const PIXEL_LIMIT = 160e6;

/** Why `width × height` cannot be the size of an image whose samples fill at least `leastBytes` of the file, or undefined. */
export function sizeProblem(
  width: number,
  height: number,
  leastBytes: number,
  availableBytes: number,
): string | undefined {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1) {
    return `the header says ${width} × ${height} pixels; expected at least 1 × 1`;
  }
  if (width * height > PIXEL_LIMIT) {
    return `the header says ${width} × ${height} pixels; expected at most ${PIXEL_LIMIT / 1e6} million in all`;
  }
  if (leastBytes > availableBytes) {
    return `truncated: ${width} × ${height} pixels need at least ${Math.ceil(leastBytes)} bytes of image data, found ${Math.max(0, availableBytes)}`;
  }
  return undefined;
}

/** Whether a description that travels in a file (TIFF's ImageDescription, PNG's text) says that no photon was involved. */
export function saysSimulated(description: string): boolean {
  return /"simulated":\s*true/.test(description);
}
