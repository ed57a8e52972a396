import { exposeSensor, plainReadout, type ReadoutLoop } from "./exposure.ts";
import { lightOnSensor } from "./light.ts";
import { noiseKey } from "./noise-key.ts";
import type { Scenario } from "./scenario.ts";
import type { Sensor } from "./sensor.ts";
import { normalAt } from "./ziggurat.ts";

/** Standard deviation of where the stage really stands about what it reads. */
const REPEATABILITY_mm = 0.002;

/** One exposure as the world needs to know it. */
export interface WorldExposure {
  readonly purpose: "measurement" | "dark" | "live";
  /** Number of the measurement or dark, and of the frame in it; with the seed they decide the noise. */
  readonly acquisition: number;
  readonly frame: number;
  /** Measurements taken so far; drift and room light follow it. */
  readonly measurements: number;
  /** What the stage reads. */
  readonly position_mm: number;
  readonly exposure_ms: number;
  readonly beamBlocked: boolean;
}

/**
 * The light path of one bench. A frame is a function of (scenario, sensor, seed, exposure) alone: nothing that was
 * looked at before changes it.
 */
export class World {
  readonly scenario: Scenario;
  readonly sensor: Sensor;
  readonly #seed: number;
  readonly #readOut: ReadoutLoop;
  /** The frames of one measurement share their light. */
  #light: { readonly position_mm: number; readonly measurements: number; readonly image: Float32Array } | undefined;

  /**
   * @param seed any safe integer
   * @param readOut which loop fills the frames; all give the same counts
   */
  constructor(scenario: Scenario, sensor: Sensor, seed: number, readOut: ReadoutLoop = plainReadout) {
    this.scenario = scenario;
    this.sensor = sensor;
    this.#seed = seed;
    this.#readOut = readOut;
  }

  /** Right-aligned counts of one frame, row-major; in the memory given, or else in memory of its own. */
  expose(exposure: WorldExposure, memory?: Uint16Array): Uint16Array {
    const { purpose, acquisition, frame, measurements, exposure_ms, beamBlocked } = exposure;
    const samples = exposeSensor(
      {
        sensor: this.sensor,
        exposure_ms,
        light: beamBlocked ? undefined : this.#lightAt(exposure.position_mm, measurements),
        roomLight_counts_per_ms: this.#roomLight_counts_per_ms(measurements),
        key: noiseKey(this.#seed, purpose, acquisition, frame),
      },
      this.#readOut,
      memory,
    );
    if (!beamBlocked) this.#addHotPixels(samples);
    return samples;
  }

  /** Where the stage stands when its encoder reads `position_mm`: one deviation per measurement and place. */
  truePosition_mm(position_mm: number, measurements: number): number {
    const place_um = Math.round(position_mm * 1000);
    return position_mm + REPEATABILITY_mm * normalAt(noiseKey(this.#seed, "position", measurements), place_um);
  }

  #lightAt(position_mm: number, measurements: number): Float32Array {
    if (this.#light?.position_mm !== position_mm || this.#light.measurements !== measurements) {
      const z_mm = this.truePosition_mm(position_mm, measurements);
      // Nobody else sees the light, so that its memory serves from place to place.
      const memory = this.#light?.image;
      this.#light = undefined;
      const image = lightOnSensor(this.scenario, this.sensor, z_mm, measurements, position_mm, memory);
      this.#light = { position_mm, measurements, image };
    }
    return this.#light.image;
  }

  #roomLight_counts_per_ms(measurements: number): number {
    let rate = 0;
    for (const fault of this.scenario.faults) {
      if (fault.kind === "room_light") {
        rate += fault.counts_per_ms + fault.counts_per_ms_per_measurement * measurements;
      }
    }
    return Math.max(0, rate) * this.sensor.countScale;
  }

  #addHotPixels(samples: Uint16Array): void {
    const { width_px, height_px, fullScale_counts, countScale } = this.sensor;
    for (const fault of this.scenario.faults) {
      if (fault.kind !== "hot_pixels") continue;
      for (const row of fault.rows) {
        for (const column of fault.columns) {
          if (row >= height_px || column >= width_px) continue;
          const index = row * width_px + column;
          const counts = (samples[index] as number) + Math.round(fault.counts * countScale);
          samples[index] = Math.min(fullScale_counts, counts);
        }
      }
    }
  }
}
