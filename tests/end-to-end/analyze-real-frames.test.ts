import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCaustic } from "../../main/app/run-caustic.ts";

const BEAMS = fileURLToPath(new URL("../../../shared/data/beams/", import.meta.url));

interface Frame {
  readonly file: string;
  /** Its entry in the table of reference values. */
  readonly reference: string;
  readonly options: readonly string[];
}

const frame = (file: string, reference = file, ...options: string[]): Frame => ({ file, reference, options });
/** The 17 frames with the crops and the channel that their description states. */
const FRAMES: readonly Frame[] = [
  ...["168", "280", "414", "510", "580", "770"].map((z) => frame(`t-${z}mm.pgm`)),
  ...["200", "400", "470", "520", "570", "650", "800"].map((z) => frame(`k-${z}mm.png`)),
  frame("t-hene.pgm"),
  frame("TEM02_100mm.pgm.gz", "TEM02_100mm.pgm"),
  frame("sb_259mm_10.pgm.gz", "sb_259mm_10.pgm", "--crop", "0,200,1280,760"),
  frame("astigmatic_beam.tif", "astigmatic_beam.tif", "--channel", "0", "--crop", "500,250,500,500"),
];

interface Reference {
  readonly size: readonly [number, number];
  readonly iso_noise_false: {
    readonly xc: number;
    readonly yc: number;
    readonly d_major: number;
    readonly d_minor: number;
  };
}

const present = existsSync(`${BEAMS}reference-laserbeamsize-2.1.0.json`);

function referenceOf(name: string): Reference {
  const table = JSON.parse(readFileSync(`${BEAMS}reference-laserbeamsize-2.1.0.json`, "utf8")) as Record<
    string,
    Reference
  >;
  const key = Object.keys(table).find((one) => one.startsWith(name));
  if (key === undefined) throw new Error(`no reference for ${name}`);
  return table[key] as Reference;
}

interface Row {
  readonly file: string;
  readonly width_px: number;
  readonly height_px: number;
  readonly centroid_x_px: number | null;
  readonly centroid_y_px: number | null;
  readonly d4sigma_x_um: number | null;
  readonly d4sigma_y_um: number | null;
  readonly u_x_um: number | null;
  readonly grade: string;
  readonly reasons: readonly string[];
}

/** Results by file name; frames that need the same options go through one process. */
async function analyzeAll(...more: string[]): Promise<ReadonlyMap<string, Row>> {
  const groups = Map.groupBy(FRAMES, ({ options }) => options.join(" "));
  const rows = new Map<string, Row>();
  for (const [options, frames] of groups) {
    const paths = frames.map(({ file }) => `${BEAMS}${file}`);
    const words = options === "" ? [] : options.split(" ");
    const { status, stdout } = await runCaustic(["analyze", ...paths, "--pixel-um", "1", "--json", ...words, ...more]);
    expect(status).toBe(0);
    for (const row of JSON.parse(stdout) as Row[]) rows.set(row.file.slice(BEAMS.length), row);
  }
  return rows;
}

describe.skipIf(!present)("real frames (skipped without ../shared/data/beams)", () => {
  it("agree with another program by its method, within 1 % or 1 pixel", async () => {
    const rows = await analyzeAll("--background", "threshold");
    expect(rows.size).toBe(17);
    for (const { file, reference } of FRAMES) {
      const row = rows.get(file);
      const { size, iso_noise_false: expected } = referenceOf(reference);
      expect([row?.width_px, row?.height_px].sort(), file).toEqual([...size].sort());
      const close = (value: number, wanted: number) =>
        expect(Math.abs(value - wanted), file).toBeLessThanOrEqual(Math.max(1, 0.01 * wanted));
      const widths = [row?.d4sigma_x_um ?? 0, row?.d4sigma_y_um ?? 0];
      close(Math.max(...widths), expected.d_major);
      close(Math.min(...widths), expected.d_minor);
      close(row?.centroid_x_px ?? 0, expected.xc);
      close(row?.centroid_y_px ?? 0, expected.yc);
    }
  });

  it("get a grade with its reasons by the default method, and widths only where the grade allows", async () => {
    const rows = await analyzeAll();
    expect(rows.size).toBe(17);
    for (const [file, row] of rows) {
      expect(["good", "usable", "refused"], file).toContain(row.grade);
      if (row.grade !== "good") expect(row.reasons.length, file).toBeGreaterThan(0);
      if (row.grade === "refused") expect(row.d4sigma_x_um, file).toBeNull();
      else expect(row.u_x_um, file).toBeGreaterThan(0);
    }
  });
});
