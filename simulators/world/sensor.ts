/** Formats that the simulated cameras offer, by their GenICam names. Packing concerns the wire alone. */
const BIT_DEPTHS = {
  Mono8: 8,
  Mono10: 10,
  Mono10p: 10,
  Mono12: 12,
  Mono12p: 12,
  Mono16: 16,
} as const;
export type PixelFormat = keyof typeof BIT_DEPTHS;

/** Sizes on offer, in pixels. */
const SENSOR_SIZES = {
  "640x480": { width_px: 640, height_px: 480 },
  "1280x1024": { width_px: 1280, height_px: 1024 },
  "2448x2048": { width_px: 2448, height_px: 2048 },
} as const;
export type SensorSize = keyof typeof SENSOR_SIZES;

/**
 * What a pixel reads of the irradiance on it. `centre`: the value at its centre times its area; the sampled second
 * moments are then those of the beam. `area`: the integral over the whole pixel, which adds pitch²/12 to the variance
 * along each axis (+0.12 % of width at 130 µm with 5.5 µm pixels).
 */
export type PixelResponse = "centre" | "area";

/** A monochrome sensor with its readout. Counts are those of its own bit depth. */
export interface Sensor {
  readonly width_px: number;
  readonly height_px: number;
  readonly pixelPitch_um: number;
  readonly pixelFormat: PixelFormat;
  readonly bitDepth: number;
  /** Largest count, 2 ** bitDepth − 1. */
  readonly fullScale_counts: number;
  readonly electronsPerCount: number;
  readonly blackLevel_counts: number;
  /** Standard deviation of one pixel without light. */
  readonly readNoise_counts: number;
  /** Counts of this readout per count of a 12-bit one: what the scenarios' powers are multiplied with. */
  readonly countScale: number;
  readonly pixelResponse: PixelResponse;
}

const PITCH_um = 5.5;
const FULL_WELL_electrons = 10_500;
const REFERENCE_FULL_SCALE_counts = 2 ** 12 - 1;
const BLACK_LEVEL_counts = 64;
const READ_NOISE_counts = 3;

export interface SensorChoice {
  /** Default 640x480. */
  readonly size?: SensorSize;
  /** Default Mono12. */
  readonly pixelFormat?: PixelFormat;
  /** Default `centre`. */
  readonly pixelResponse?: PixelResponse;
}

/**
 * The simulated sensor: 5.5 µm pixels whose full well of 10 500 e⁻ is full scale in every format; black level 64 and
 * read noise 3 counts rms at 12 bits, and the same charges in the other formats.
 */
export function createSensor(choice: SensorChoice = {}): Sensor {
  const { size = "640x480", pixelFormat = "Mono12", pixelResponse = "centre" } = choice;
  const bitDepth = BIT_DEPTHS[pixelFormat];
  const fullScale_counts = 2 ** bitDepth - 1;
  const countScale = fullScale_counts / REFERENCE_FULL_SCALE_counts;
  return {
    ...SENSOR_SIZES[size],
    pixelPitch_um: PITCH_um,
    pixelFormat,
    bitDepth,
    fullScale_counts,
    electronsPerCount: FULL_WELL_electrons / fullScale_counts,
    blackLevel_counts: BLACK_LEVEL_counts * countScale,
    readNoise_counts: READ_NOISE_counts * countScale,
    countScale,
    pixelResponse,
  };
}
