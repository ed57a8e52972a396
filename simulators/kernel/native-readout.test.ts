import { describe, expect, test } from "vitest";
import { exposeSensor, plainReadout, type Readout } from "../world/exposure.ts";
import { lightOnSensor } from "../world/light.ts";
import { noiseKey } from "../world/noise-key.ts";
import { randomScenario } from "../world/random-scenario.ts";
import { createSensor, type PixelFormat } from "../world/sensor.ts";
import { loadNativeReadout } from "./native-readout.ts";

const readOut = loadNativeReadout();

describe.skipIf(readOut === undefined)("the compiled readout (skipped where it is not built)", () => {
  const formats: readonly PixelFormat[] = ["Mono8", "Mono10", "Mono12", "Mono16"];
  for (const [index, pixelFormat] of formats.entries()) {
    test(`${pixelFormat}: the plain loop's counts to the last bit, lit and unlit, dim and glaring`, () => {
      const sensor = createSensor({ pixelFormat });
      for (const seed of [1, 2, 3].map((n) => n + 10 * index)) {
        const light = lightOnSensor(randomScenario(seed), sensor, 40 * seed, 0);
        for (const exposure_ms of [0.02, 1, 37.13, 1000]) {
          const key = noiseKey(seed, "measurement", 0, Math.round(exposure_ms));
          for (const lit of [light, undefined]) {
            const exposure = { sensor, exposure_ms, light: lit, roomLight_counts_per_ms: seed * 0.1, key };
            expect(equal(exposeSensor(exposure, readOut), exposeSensor(exposure))).toBe(true);
          }
        }
      }
    });
  }

  test("any number of pixels, whole stretches or not, and a light brighter than 32 bits", () => {
    for (const pixels of [1, 7, 1023, 1024, 1025, 5000]) {
      const light = Float32Array.from({ length: pixels }, (_, i) => (i % 3 === 0 ? 0 : i % 3 === 1 ? 20 * i : 1e30));
      const frame = (samples: Uint16Array): Readout => ({
        samples,
        light,
        exposure_ms: 3.3,
        floor_counts: 0.5,
        evenVariance: 9,
        variancePerCount: 0.39,
        fullScale_counts: 4095,
        key: noiseKey(pixels, "free"),
      });
      const [native, plain] = [new Uint16Array(pixels), new Uint16Array(pixels)];
      readOut?.(frame(native));
      plainReadout(frame(plain));
      expect(native).toEqual(plain);
      if (pixels > 2) expect(plain[2]).toBe(4095);
    }
  });

  test("arrays that do not fit together are refused, not read past their end", () => {
    const readout: Readout = {
      samples: new Uint16Array(100),
      light: new Float32Array(99),
      exposure_ms: 1,
      floor_counts: 64,
      evenVariance: 9,
      variancePerCount: 0.4,
      fullScale_counts: 4095,
      key: noiseKey(1, "free"),
    };
    expect(() => readOut?.(readout)).toThrow(RangeError);
  });
});

/** Faster than `toEqual` on hundreds of thousands of pixels. */
function equal(a: Uint16Array, b: Uint16Array): boolean {
  return a.length === b.length && Buffer.compare(bytes(a), bytes(b)) === 0;
}

function bytes(samples: Uint16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
