import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** What the tests of this folder share: a picture that no symmetry leaves alone, and files made by other programs. */

export const WIDTH = 37;
export const HEIGHT = 23;

/** A tilted spot off the centre on a slope, 0 … `top`, all 16 bits in use when `top` is 65535. */
export function picture(top: number): Uint16Array {
  return Uint16Array.from({ length: WIDTH * HEIGHT }, (_, index) => {
    const x = (index % WIDTH) - 14;
    const y = Math.floor(index / WIDTH) - 8;
    const spot = Math.exp(-(x * x + y * y + x * y) / 40);
    return Math.min(top, Math.round(top * (0.02 + 0.0005 * (index % 29) + 0.95 * spot)));
  });
}

/** A binary PGM of the samples; two bytes per sample above a maximum of 255. */
export function portableGreymap(samples: Uint16Array, maximum: number, width = WIDTH, height = HEIGHT): Uint8Array {
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n${maximum}\n`);
  const body =
    maximum > 255
      ? Uint8Array.from(
          { length: samples.length * 2 },
          (_, i) => ((samples[i >> 1] ?? 0) >> (i % 2 === 0 ? 8 : 0)) & 255,
        )
      : Uint8Array.from(samples);
  return new Uint8Array([...header, ...body]);
}

/** A folder for one test file's pictures; `remove` belongs into `afterAll`. */
export function temporaryFolder(): {
  readonly path: (name: string) => string;
  readonly write: (name: string, bytes: Uint8Array | string) => string;
  readonly remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), "caustic-files-"));
  const path = (name: string) => join(folder, name);
  return {
    path,
    write: (name, bytes) => {
      writeFileSync(path(name), bytes);
      return path(name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const found = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

export const hasImageMagick = found("convert") && found("identify");

/** Runs ImageMagick; its `convert` reads and writes every format here by code that is not ours. */
export function imageMagick(program: "convert" | "identify", ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8" });
}
