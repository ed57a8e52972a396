import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { frameOf, HEIGHT, RECTANGLES, WIDTH } from "../analysis/kernel-fixtures.ts";
import type { KernelFrame } from "../analysis/kernel.ts";
import { plainCounting } from "../analysis/threshold-widths.ts";
import { typescriptKernel } from "../analysis/typescript-kernel.ts";
import { type InstructionSet, loadNativeKernel } from "./native-kernel.ts";

const DARKS = ["none", "float32", "float64"] as const;
const SETS: readonly InstructionSet[] = ["avx512", "avx2", "plain"];

/** Wide rows, full scale everywhere: the integers of the loops at their bounds. */
function fullFrame(): KernelFrame {
  const [width_px, height_px] = [4099, 5];
  const samples = new Uint16Array(width_px * height_px).fill(65535);
  return { samples, width_px, height_px, saturation_counts: 65535 };
}

for (const set of SETS) {
  const native = loadNativeKernel(set);
  const title = native.loaded ? native.kernel.name : `native ${set} (skipped: ${native.detail})`;
  describe.skipIf(!native.loaded)(`the ${title} kernel gives the TypeScript kernel's numbers to the last bit`, () => {
    const kernel = native.loaded ? native.kernel : typescriptKernel;
    for (const dark of DARKS)
      for (const bitDepth of [8, 12, 16])
        test(`moments: ${bitDepth} bits, dark ${dark}, every rectangle`, () => {
          const frame = frameOf(bitDepth, dark);
          for (const [name, rectangle] of Object.entries(RECTANGLES))
            expect(kernel.moments(frame, rectangle), name).toEqual(typescriptKernel.moments(frame, rectangle));
        });

    for (const dark of DARKS)
      for (const block_px of [1, 4, 7, 8, 100])
        test(`survey: dark ${dark}, blocks of ${block_px}`, () => {
          const frame = frameOf(12, dark);
          expect(kernel.survey(frame, block_px)).toEqual(typescriptKernel.survey(frame, block_px));
        });

    test("sums of counts and of their squares, also where doubles begin to round", () => {
      const samples = new Uint16Array(2 ** 20 + 2 ** 21 + 77).map((_, index) => 65535 - (index % 7));
      const [ours, theirs] = [new Uint32Array(samples.length).fill(3), new Uint32Array(samples.length).fill(3)];
      expect(kernel.addCounts(ours, samples)).toBe(typescriptKernel.addCounts(theirs, samples));
      expect(Buffer.compare(new Uint8Array(ours.buffer), new Uint8Array(theirs.buffer))).toBe(0);
      expect(ours[1]).toBe(65537);
      expect(() => kernel.addCounts(new Uint32Array(3), new Uint16Array(4))).toThrow(RangeError);
    });

    test("histograms and lit pixels, whatever their number", () => {
      for (const length of [1, 2, 7, 63, 64, 65, 1000, 200_003]) {
        const samples = new Uint16Array(length).map((_, index) => (index * index * 2654435761) >>> 16);
        expect(kernel.counting?.histogram(samples)).toEqual(plainCounting.histogram(samples));
        // Twice: what the first use left behind would be counted again.
        expect(kernel.counting?.histogram(samples)).toEqual(plainCounting.histogram(samples));
        for (const least of [0, 1, 30_000, 65_535]) {
          expect(kernel.counting?.pixelsFrom(samples, least)).toEqual(plainCounting.pixelsFrom(samples, least));
        }
      }
      expect(kernel.counting?.histogram(new Uint16Array(5))).toEqual(Uint32Array.of(5));
    });

    test("full scale over rows of 4099 pixels overflows nothing", () => {
      const frame = fullFrame();
      const rectangle = { centreX_px: 1400, centreY_px: 2, halfLength_px: 3000, halfBreadth_px: 2.2, angle_rad: 0 };
      const moments = kernel.moments(frame, rectangle);
      expect(moments).toEqual(typescriptKernel.moments(frame, rectangle));
      expect(moments.s0).toBeCloseTo(65535 * moments.area_px, 3);
      expect(kernel.survey(frame, 4096)).toEqual(typescriptKernel.survey(frame, 4096));
    });

    test("a frame in shared memory is read where it lies", () => {
      const frame = frameOf(12, "float32");
      const samples = new Uint16Array(new SharedArrayBuffer(2 * frame.samples.length + 64), 64);
      samples.set(frame.samples);
      const shared = { ...frame, samples };
      const rectangle = RECTANGLES["turned"] ?? expect.fail("no such rectangle");
      expect(kernel.moments(shared, rectangle)).toEqual(typescriptKernel.moments(frame, rectangle));
      expect(kernel.survey(shared, 8)).toEqual(typescriptKernel.survey(frame, 8));
    });

    test("arrays that do not fit the size are refused, not read beyond", () => {
      const frame = frameOf(12, "float32");
      const rectangle = RECTANGLES["turned"] ?? expect.fail("no such rectangle");
      const short = { ...frame, samples: frame.samples.subarray(1) };
      const shortDark = { ...frame, dark: new Float32Array(WIDTH * HEIGHT - 1) };
      for (const broken of [short, shortDark]) {
        expect(() => kernel.moments(broken, rectangle)).toThrow(RangeError);
        expect(() => kernel.survey(broken, 8)).toThrow(RangeError);
      }
      expect(() => kernel.survey(frame, 0)).toThrow(RangeError);
    });
  });
}

describe("the loops under sanitizers", () => {
  const folder = mkdtempSync(join(tmpdir(), "caustic-kernel-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const source = join(dirname(fileURLToPath(import.meta.url)), "src");
  const works = spawnSync("c++", ["--version"]).status === 0 && process.platform !== "win32";
  const title = "no step beside a frame, no undefined behaviour, the same numbers by every instruction set";

  test.skipIf(!works)(
    works ? title : `${title} (skipped: no C++ compiler)`,
    () => {
      const program = join(folder, "driver");
      const flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-fsanitize=address,undefined"];
      const built = spawnSync(
        "c++",
        [
          ...flags,
          "-fno-sanitize-recover=all",
          "-w",
          "-o",
          program,
          join(source, "sanitizer-driver.cpp"),
          join(source, "moments.cpp"),
        ],
        { encoding: "utf8" },
      );
      expect(built.stderr).toBe("");
      // The leak check needs ptrace, which containers forbid.
      const ran = spawnSync(program, { encoding: "utf8", env: { ...process.env, ASAN_OPTIONS: "detect_leaks=0" } });
      expect(ran.stderr).toBe("");
      expect(ran.status).toBe(0);
      const digests = ran.stdout.trim().split("\n");
      expect(digests.length).toBeGreaterThanOrEqual(1);
      expect(new Set(digests.map((line) => line.split(" ")[1])).size).toBe(1);
    },
    300_000,
  );
});
