import type { Clock } from "../../drivers/protocol/clock.ts";
import type { ReadoutLoop } from "../world/exposure.ts";
import type { Scenario } from "../world/scenario.ts";
import { createSensor, type PixelFormat, type SensorSize } from "../world/sensor.ts";
import { World } from "../world/world.ts";

/** Formats of the simulated sensor by their bits. */
const FORMATS: Readonly<Record<number, PixelFormat>> = { 8: "Mono8", 10: "Mono10", 12: "Mono12", 16: "Mono16" };
const REFERENCE_BITS = 12;

/** What somebody who looks through an emulated camera has set. */
export interface SensorLook {
  readonly exposure_ms: number;
  readonly x_px: number;
  readonly y_px: number;
  readonly width_px: number;
  readonly height_px: number;
  /** 8, 10, 12 or 16. */
  readonly bitDepth: number;
  readonly gain_dB: number;
  /** Counts of 12 bits at which a dark pixel lies. */
  readonly blackLevel_counts: number;
}

export interface SensorViewOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly clock: Clock;
  /** Default 640x480. */
  readonly size?: SensorSize;
  /** Where the stage is at this instant, in the coordinates of the simulated beam. */
  readonly position_mm: () => number;
  readonly beamBlocked?: () => boolean;
  /** Which loop fills the frames; all give the same counts. Default: the plain one. */
  readonly readOut?: ReadoutLoop;
}

/**
 * What a sensor in the simulated beam sees, for cameras that are emulated on the wire. Every look takes as long as its
 * exposure and shows the place at the middle of it. Each has its own noise: nobody labels the frames of a real camera.
 */
export class SensorView {
  readonly width_px: number;
  readonly height_px: number;
  readonly pixelPitch_um: number;
  readonly #options: SensorViewOptions;
  readonly #worlds = new Map<number, World>();
  #frames = 0;
  #places = -1;
  #place_mm = Number.NaN;

  constructor(options: SensorViewOptions) {
    this.#options = options;
    const { sensor } = this.#worldOf(REFERENCE_BITS);
    this.width_px = sensor.width_px;
    this.height_px = sensor.height_px;
    this.pixelPitch_um = sensor.pixelPitch_um;
  }

  /** Right-aligned counts of the region, row-major. Throws RangeError for a bit depth that the sensor does not have. */
  async look(look: SensorLook): Promise<Uint16Array> {
    const { clock, position_mm, beamBlocked } = this.#options;
    await clock.wait(look.exposure_ms / 2);
    const here_mm = position_mm();
    const blocked = beamBlocked?.() ?? false;
    await clock.wait(look.exposure_ms / 2);
    // Drift and room light go on from place to place, as they do from one measurement to the next.
    if (here_mm !== this.#place_mm) {
      this.#place_mm = here_mm;
      this.#places += 1;
    }
    const world = this.#worldOf(look.bitDepth);
    const whole = world.expose({
      purpose: "live",
      acquisition: this.#frames,
      frame: 0,
      measurements: this.#places,
      position_mm: here_mm,
      exposure_ms: look.exposure_ms,
      beamBlocked: blocked,
    });
    this.#frames += 1;
    return amplify(crop(whole, world.sensor.width_px, look), look, world);
  }

  #worldOf(bitDepth: number): World {
    let world = this.#worlds.get(bitDepth);
    if (world === undefined) {
      const pixelFormat = FORMATS[bitDepth];
      if (pixelFormat === undefined) throw new RangeError(`the simulated sensor has no ${bitDepth} bits`);
      const { scenario, seed, size, readOut } = this.#options;
      world = new World(
        scenario,
        createSensor({ pixelFormat, ...(size === undefined ? {} : { size }) }),
        seed,
        readOut,
      );
      this.#worlds.set(bitDepth, world);
    }
    return world;
  }
}

function crop(samples: Uint16Array, width: number, { x_px, y_px, width_px, height_px }: SensorLook): Uint16Array {
  const region = new Uint16Array(width_px * height_px);
  for (let row = 0; row < height_px; row++) {
    const first = (y_px + row) * width + x_px;
    region.set(samples.subarray(first, first + width_px), row * width_px);
  }
  return region;
}

/** Gain acts on what lies above the black level, the black level on all. */
function amplify(samples: Uint16Array, look: SensorLook, world: World): Uint16Array {
  const { fullScale_counts, blackLevel_counts, countScale } = world.sensor;
  const wanted = look.blackLevel_counts * countScale;
  if (look.gain_dB === 0 && wanted === blackLevel_counts) return samples;
  const factor = 10 ** (look.gain_dB / 20);
  return samples.map((sample) =>
    Math.min(fullScale_counts, Math.max(0, Math.round((sample - blackLevel_counts) * factor + wanted))),
  );
}
