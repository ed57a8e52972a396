import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "./command-table.ts";
import { CAUSTIC, runCaustic } from "./run-caustic.ts";

const folder = mkdtempSync(join(tmpdir(), "caustic-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/**
 * An 8-bit PGM of a round spot of radius `w` (1/e²) on a background of 5 counts. Rounding is dithered as a sensor's noise
 * does it: plain rounding would cut the wings below half a count and with them 0.6 % of the width.
 */
function spot(name: string, w_px: number, shape: (x: number, y: number) => number = gaussian(60, 50, w_px)): string {
  const pixels = Uint8Array.from({ length: 120 * 100 }, (_, i) =>
    Math.floor(5 + shape(i % 120, Math.floor(i / 120)) + ((i * 0.6180339887) % 1)),
  );
  return file(name, new Uint8Array([...new TextEncoder().encode("P5 120 100 255\n"), ...pixels]));
}

const gaussian = (x0: number, y0: number, w_px: number) => (x: number, y: number) =>
  200 * Math.exp((-2 * ((x - x0) ** 2 + (y - y0) ** 2)) / w_px ** 2);

/** Refused in one sentence on stderr, with nothing on stdout and no stack trace. */
async function refusal(...args: string[]) {
  const { status, stdout, stderr } = await runCaustic(args);
  expect(stdout).toBe("");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).not.toMatch(/^\s+at /m);
  return { status, sentence: stderr.trimEnd() };
}

describe("the command", () => {
  it.each(COMMANDS.map(({ name }) => name))("shows an example of %s", async (name) => {
    const { status, stdout } = await runCaustic([name, "--help"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`$ caustic ${name}`);
    expect((await runCaustic(["help", name])).stdout).toBe(stdout);
  });

  it("lists every command and its version", async () => {
    const { status, stdout } = await runCaustic(["--help"]);
    expect(status).toBe(0);
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`${name}.*${summary.slice(0, 10)}`));
    expect((await runCaustic(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [["anlyze"], "caustic: unknown command 'anlyze' (Did you mean analyze?)"],
    [["analyze", "x.pgm"], "caustic analyze: required option '--pixel-um <P>' not specified"],
    [["analyze", "--pixel-um", "5"], "caustic analyze: missing required argument 'image'"],
    [["analyze", "x.pgm", "--pixel-um", "five"], "argument 'five' is invalid. Expected a number above 0"],
    [
      ["analyze", "x.pgm", "--pixel-um", "5", "--bits", "7"],
      "argument '7' is invalid. Expected a whole number from 8 to 16",
    ],
    [["analyze", "x.pgm", "--pixel-um", "5", "--crop", "1,2,3"], "Expected four whole numbers X,Y,W,H"],
    [["analyze", "x.pgm", "--pixel-um", "5", "--channel", "red"], "Expected a channel number from 0, or luminance"],
    [
      ["analyze", "x.pgm", "--pixel-um", "5", "--background", "dark"],
      "--background dark needs a dark frame; expected --dark FILE",
    ],
    [
      ["analyze", "x.pgm", "--pixel-um", "5", "--background", "iso", "--dark", "d.pgm"],
      "--background iso uses no dark frame",
    ],
    [["analyze", "x.pgm", "--pixel-um", "5", "--json", "--csv"], "option '--json' cannot be used with option '--csv'"],
    [["analyze", "x.pgm", "--pixel-um", "5", "--colour"], "unknown option '--colour'"],
    [
      ["simulate", "--scenario", "clan", "--seed", "1", "--z", "1", "--exposure", "1", "--out", "x.tiff"],
      'no scenario "clan"; expected clean,',
    ],
    [
      ["simulate", "--scenario", "clean", "--seed", "1", "--z", "251", "--exposure", "1", "--out", "x.tiff"],
      "--z 251 is outside the bench; expected 0 to 250 mm",
    ],
    [
      ["simulate", "--scenario", "clean", "--seed", "1.5", "--z", "1", "--exposure", "1", "--out", "x.tiff"],
      "argument '1.5' is invalid. Expected a whole number",
    ],
  ])("refuses %j in one sentence with status 2", async (args, expected) => {
    const { status, sentence } = await refusal(...args);
    expect(sentence).toContain(expected);
    expect(status).toBe(2);
  });

  it("ends quietly when its reader goes away", async () => {
    const child = spawn(process.execPath, [CAUSTIC, "doctor", "--json"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toBe("");
  });
});

const olderNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  try {
    return Number(/^v(\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))?.[1]) < 24;
  } catch {
    return false;
  }
});

describe("the launcher", () => {
  it.skipIf(olderNode === undefined)(
    "hands over to the Node of the packages (skipped without a Node below 24)",
    async () => {
      const doctor = await runCaustic(["doctor", "--json"], olderNode);
      const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; found: string }[] };
      expect(checks.find(({ name }) => name === "Node")?.found).toMatch(/^v(2[4-9]|[3-9]\d)\./);
      const refused = await runCaustic(["analyze"], olderNode);
      expect(refused.status).toBe(2);
    },
  );

  it("says what to do when the packages are not there", async () => {
    const checkout = join(folder, "fresh", "bin");
    mkdirSync(checkout, { recursive: true });
    copyFileSync(CAUSTIC, join(checkout, "caustic.mjs"));
    const child = spawn(process.execPath, [join(checkout, "caustic.mjs"), "doctor"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toBe(`caustic: the packages are not installed in ${join(folder, "fresh")}; run npm ci there\n`);
    expect(status).toBe(2);
  });
});

const FIELDS = [
  "file",
  "width_px",
  "height_px",
  "centroid_x_px",
  "centroid_y_px",
  "d4sigma_x_um",
  "d4sigma_y_um",
  "u_x_um",
  "u_y_um",
  "d4sigma_sensor_x_um",
  "d4sigma_sensor_y_um",
  "azimuth_deg",
  "ellipticity",
  "peak_counts",
  "saturated_fraction",
  "iterations",
  "converged",
  "background",
  "grade",
  "reasons",
  "flags",
];

type Row = Record<string, unknown> & {
  readonly grade: string;
  readonly reasons: string[];
  readonly flags: { code: string }[];
};
const rowsOf = (stdout: string): Row[] => JSON.parse(stdout) as Row[];

describe("caustic analyze", () => {
  it("prints one JSON array with exactly the fields of the contract", async () => {
    const { status, stdout } = await runCaustic(["analyze", spot("round.pgm", 12), "--pixel-um", "4", "--json"]);
    expect(status).toBe(0);
    const [row] = rowsOf(stdout);
    expect(Object.keys(row ?? {})).toEqual(FIELDS);
    expect(row?.grade).not.toBe("refused");
    // d4σ = 2 w, and 4 µm per pixel.
    expect(Math.abs(Number(row?.["d4sigma_x_um"]) - 96)).toBeLessThan(3 * Number(row?.["u_x_um"]) + 0.2);
    expect(row?.["centroid_x_px"]).toBeCloseTo(60, 1);
    expect(row?.["centroid_y_px"]).toBeCloseTo(50, 1);
  });

  it("subtracts a dark frame and says so", async () => {
    const dark = spot("dark.pgm", 12, () => 0);
    const { stdout } = await runCaustic([
      "analyze",
      spot("light.pgm", 12),
      "--dark",
      dark,
      "--pixel-um",
      "4",
      "--json",
    ]);
    const [row] = rowsOf(stdout);
    expect(row?.["background"]).toBe("dark");
    expect(row?.["peak_counts"]).toBeCloseTo(200, 0);
    expect(Number(row?.["d4sigma_y_um"])).toBeCloseTo(96, 0);
  });

  it("counts pixels of a crop from its corner", async () => {
    const args = ["analyze", spot("crop.pgm", 8), "--crop", "20,10,80,80", "--pixel-um", "1", "--json"];
    const [row] = rowsOf((await runCaustic(args)).stdout);
    expect(row).toMatchObject({ width_px: 80, height_px: 80 });
    expect(row?.["centroid_x_px"]).toBeCloseTo(40, 1);
    expect(row?.["centroid_y_px"]).toBeCloseTo(40, 1);
    const outside = await refusal("analyze", spot("crop.pgm", 8), "--crop", "20,10,101,80", "--pixel-um", "1");
    expect(outside.sentence).toContain("the crop 20,10,101,80 leaves the image; expected it inside 120 × 100 pixels");
  });

  it("reports every unreadable file, prints the others and ends with status 2", async () => {
    const paths = [
      join(folder, "missing.pgm"),
      spot("good.pgm", 12),
      file("nan.csv", "1,2\n3,NaN\n"),
      file("zero.pgm", "P5 0 0 255\n"),
    ];
    const { status, stdout, stderr } = await runCaustic(["analyze", ...paths, "--pixel-um", "4", "--json"]);
    expect(status).toBe(2);
    expect(rowsOf(stdout).map((row) => row["file"])).toEqual([join(folder, "good.pgm")]);
    expect(stderr).toContain("missing.pgm: no such file");
    expect(stderr).toContain('nan.csv: line 2, column 2: "NaN" where a finite number was expected');
    expect(stderr).toContain("zero.pgm: PGM: the header says 0 × 0 pixels; expected at least 1 × 1");
    const none = await runCaustic(["analyze", join(folder, "missing.pgm"), "--pixel-um", "4", "--json"]);
    expect([none.status, rowsOf(none.stdout)]).toEqual([2, []]);
  });

  const twoBeams = (x: number, y: number) => gaussian(30, 50, 8)(x, y) + gaussian(90, 50, 8)(x, y);
  it.each<[string, (x: number, y: number) => number]>([
    ["constant", () => 0],
    ["all saturated", () => 250],
    ["black", () => -5],
    ["of one pixel", (x, y) => (x === 60 && y === 50 ? 200 : 0)],
    ["on the edge", gaussian(2, 50, 12)],
    ["of two equal beams", twoBeams],
  ])("gives no widths for a frame that is %s, but reasons", async (name, shape) => {
    const path = spot(`${name.replaceAll(" ", "-")}.pgm`, 0, shape);
    const { status, stdout } = await runCaustic(["analyze", path, "--pixel-um", "4", "--json"]);
    expect(status).toBe(0);
    const [row] = rowsOf(stdout);
    expect(row?.grade).toBe("refused");
    expect(row?.reasons.length).toBeGreaterThan(0);
    for (const field of FIELDS.filter((one) => /^(d4sigma|u)_/.test(one))) expect(row?.[field]).toBeNull();
    for (const field of ["peak_counts", "saturated_fraction", "iterations"])
      expect(row?.[field]).toEqual(expect.any(Number));
  });

  it("says in words for people what it found", async () => {
    const paths = [spot("round.pgm", 12), spot("constant.pgm", 0, () => 0)];
    const { stdout } = await runCaustic(["analyze", ...paths, "--pixel-um", "4"]);
    expect(stdout).toMatch(/round\.pgm {2}120 × 100 {2}(good|usable), background: iso\n {2}d4σ x 9\d\.\d ± \d+\.\d µm/);
    expect(stdout).toMatch(/constant\.pgm {2}120 × 100 {2}refused, background: iso\n {2}\w+/);
  });

  it("prints a table that a spreadsheet can read", async () => {
    const paths = [spot("a,b.pgm", 12), spot("constant.pgm", 0, () => 0)];
    const { stdout } = await runCaustic(["analyze", ...paths, "--pixel-um", "4", "--csv"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(FIELDS.join(","));
    expect(lines[1]).toMatch(/^".*a,b\.pgm",120,100,/);
    expect(lines[2]).toMatch(/,120,100,,,,,,,,,,,/);
  });

  it("finds the same widths whatever a picture's format and scale", async () => {
    const values = Array.from({ length: 100 }, (_, y) =>
      Array.from({ length: 120 }, (_, x) =>
        (0.01 + gaussian(60, 50, 12)(x, y) / 1000).toFixed(7).replace(".", ","),
      ).join(";"),
    ).join("\r\n");
    const { stdout } = await runCaustic([
      "analyze",
      file("values.csv", values),
      spot("round.pgm", 12),
      "--pixel-um",
      "4",
      "--json",
    ]);
    const [text, binary] = rowsOf(stdout);
    expect(Number(text?.["d4sigma_x_um"])).toBeCloseTo(96, 0);
    expect(Number(text?.["peak_counts"])).toBeCloseTo(0.2, 2);
    expect(Number(binary?.["d4sigma_x_um"])).toBeCloseTo(96, 0);
  });
});

describe("caustic simulate", () => {
  const simulate = (...args: string[]) => runCaustic(["simulate", "--scenario", "clean", "--seed", "3", ...args]);

  it("writes a frame whose widths analyze finds again", async () => {
    const [light, dark] = [join(folder, "light.tiff"), join(folder, "dark.tiff")];
    expect((await simulate("--z", "50", "--exposure", "20", "--out", light)).status).toBe(0);
    expect((await simulate("--z", "50", "--exposure", "20", "--dark", "--out", dark)).status).toBe(0);
    const { stdout, stderr } = await runCaustic(["analyze", light, "--dark", dark, "--pixel-um", "5.5", "--json"]);
    expect(stderr).toContain("light.tiff: simulated, no photon was involved");
    const [row] = rowsOf(stdout);
    // Closed form of the scenario: 609.0 and 615.9 µm at 50 mm.
    expect(Math.abs(Number(row?.["d4sigma_sensor_x_um"]) / 609.0 - 1)).toBeLessThan(0.01);
    expect(Math.abs(Number(row?.["d4sigma_sensor_y_um"]) / 615.9 - 1)).toBeLessThan(0.01);
  });

  it("writes the same bytes for the same arguments and others for another seed", async () => {
    const make = async (name: string, ...args: string[]) => {
      await simulate("--z", "100", "--exposure", "1", "--frames", "2", "--out", join(folder, name), ...args);
      return execFileSync("cksum", [join(folder, name)], { encoding: "utf8" }).split(" ")[0];
    };
    const first = await make("first.tiff");
    expect(await make("second.tiff")).toBe(first);
    expect(await make("third.tiff", "--seed", "4")).not.toBe(first);
  });

  it("names a folder that does not exist", async () => {
    const { status, stderr } = await simulate("--z", "50", "--exposure", "1", "--out", join(folder, "no", "x.tiff"));
    expect(status).toBe(2);
    expect(stderr).toContain("cannot be written (ENOENT)");
    expect(existsSync(join(folder, "no"))).toBe(false);
  });
});

describe("caustic doctor", () => {
  it("prints checks of which each failed one has a command that mends it", async () => {
    const { status, stdout } = await runCaustic(["doctor", "--json"]);
    const report = JSON.parse(stdout) as { works: boolean; checks: { name: string; works: boolean; mend?: string }[] };
    expect(status).toBe(report.works ? 0 : 1);
    expect(report.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "Node",
        "packages",
        "native kernel",
        "native simulator",
        "Chromium",
        "Electron",
        "display",
        "serial ports",
        "GenICam cameras",
        "socat",
        "Python",
      ]),
    );
    for (const check of report.checks) expect(check.mend !== undefined, check.name).toBe(!check.works);
  });
});
