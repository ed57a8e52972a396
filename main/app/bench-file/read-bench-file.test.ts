import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { benchFileSchema } from "../../contract/bench-file.ts";
import { BenchFileError, parseBenchFile, readBenchFile } from "./read-bench-file.ts";

const BENCHES = fileURLToPath(new URL("../../../tasks/benches/", import.meta.url));

const SOUND = `bench: one
wavelength_nm: 632.8
instruments:
  stage: { driver: simulated }
  camera: { driver: simulated, scenario: clean, seed: 1 }
`;

const withStage = (address: string): string =>
  SOUND.replace("{ driver: simulated }", `{ driver: grbl, address: "${address}" }`);

/** Nine lists of ten aliases each: a thousand million words from a few hundred bytes. */
const MULTIPLYING = Array.from({ length: 9 }, (_, level) =>
  level === 0
    ? "n0: &n0 [x]"
    : `n${level}: &n${level} [${Array(10)
        .fill(`*n${level - 1}`)
        .join(", ")}]`,
);

function problemsOf(text: string) {
  try {
    parseBenchFile(text, "bench.yaml");
  } catch (error) {
    expect(error).toBeInstanceOf(BenchFileError);
    return error as BenchFileError;
  }
  throw new Error("the file was accepted");
}

describe("a bench file", () => {
  test.each(readdirSync(BENCHES))("%s of the examples fits the schema", (name) => {
    expect(readBenchFile(`${BENCHES}${name}`).bench).not.toBe("");
  });

  test("the annotated example shows every field that there is", () => {
    const shown = readFileSync(`${BENCHES}example.yaml`, "utf8");
    const example = readBenchFile(`${BENCHES}example.yaml`);
    expect(Object.keys(example).sort()).toEqual(Object.keys(benchFileSchema.shape).sort());
    for (const [name, schema] of Object.entries(benchFileSchema.shape.instruments.shape)) {
      const options = ("options" in schema ? schema.options : schema.unwrap().options) as readonly {
        readonly shape: Readonly<Record<string, unknown>> & { readonly driver: { readonly value: string } };
      }[];
      const chosen = (example.instruments as Record<string, { driver: string }>)[name];
      for (const { shape } of options) {
        expect(shown).toContain(shape.driver.value);
        if (shape.driver.value === chosen?.driver)
          expect(Object.keys(chosen).sort()).toEqual(Object.keys(shape).sort());
      }
    }
  });

  test("names line, column, field, what was expected and what stands there, for every mistake at once", () => {
    const error = problemsOf(`bench: one
wavelength_nm: red
instruments:
  stage:
    driver: zaber-ascii
    address: ftp://somewhere
    soft_limit: 3
  camera: { driver: webcam }
`);
    expect(error.problems).toEqual([
      { line: 2, column: 1, field: "wavelength_nm", message: 'expected number, found "red"' },
      {
        line: 4,
        column: 3,
        field: "instruments.stage.microstep_um",
        message: "expected number, found nothing",
      },
      {
        line: 6,
        column: 5,
        field: "instruments.stage.address",
        message:
          'expected the path of a serial port, "tcp://host:port" or "emulated://<controller>", found "ftp://somewhere"',
      },
      { line: 7, column: 5, field: "instruments.stage.soft_limit", message: "there is no such field, found 3" },
      {
        line: 8,
        column: 13,
        field: "instruments.camera.driver",
        message: 'expected one of genicam, simulated, found "webcam"',
      },
    ]);
    expect(error.message).toMatch(/^bench\.yaml has 5 mistakes: line 2, column 1, wavelength_nm: expected number/);
  });

  test.each([
    ["", 1, "the file"],
    ["- 1\n", 1, "the file"],
    ["bench: one\nbench: two\n", 2, ""],
    ["bench: [one\n", 2, ""],
    [`${SOUND}limits: { z_min_mm: 5, z_max_mm: 4 }\n`, 6, "limits.z_max_mm"],
    [`${SOUND}keep_out_zones:\n  - from_mm: 2\n    to_mm: 1\n`, 8, "keep_out_zones[0].to_mm"],
    [`${SOUND}bad: 1\n`, 6, "bad"],
    [SOUND.replace("632.8", ".nan"), 2, "wavelength_nm"],
    ["a: &a [*a]\n", 1, ""],
    [SOUND.replace("scenario: clean", "scenario: claen"), 5, "instruments.camera.scenario"],
    [withStage("emulated://zaber"), 4, "instruments.stage.address"],
    [withStage("emulated://grbl?line=usb"), 4, "instruments.stage.address"],
    [withStage("tcp://localhost:65536"), 4, "instruments.stage.address"],
    [withStage("localhost:4001"), 4, "instruments.stage.address"],
    [
      SOUND.replace(
        "driver: simulated, scenario: clean, seed: 1",
        'driver: genicam, address: "emulated://camera?seed=1"',
      ).replace("bench:", "pixel_pitch_um: 5\nbench:"),
      6,
      "instruments.camera.address",
    ],
    [SOUND.replace("seed: 1", "seed: 99999999999999999999"), 5, "instruments.camera.seed"],
    [SOUND.replace("seed: 1", "seed: 1.5"), 5, "instruments.camera.seed"],
    [SOUND.replace("driver: simulated, scenario: clean, seed: 1", "driver: genicam"), 1, "pixel_pitch_um"],
  ])("%j is refused at its line", (text, line, field) => {
    expect(problemsOf(text).problems).toMatchObject([{ line, field }]);
  });

  test.each(["COM3", "/dev/ttyUSB0", "tcp://10.0.0.4:65535", "emulated://grbl?line=pty"])(
    "%s is an address",
    (address) => {
      expect(parseBenchFile(withStage(address), "bench.yaml").instruments.stage).toMatchObject({ address });
    },
  );

  test("aliases that multiply are refused by the file's name", () => {
    expect(problemsOf(MULTIPLYING.join("\n")).message).toMatch(/^bench\.yaml, line 1, column 1: the aliases/);
  });

  test("an infinite number is shown as it is", () => {
    expect(problemsOf(SOUND.replace("632.8", ".inf")).message).toMatch(
      /wavelength_nm: expected number, found Infinity$/,
    );
  });

  test("a name that nobody knows is told beside other mistakes", () => {
    const text = withStage("emulated://zaber").replace("632.8", "red");
    expect(problemsOf(text).problems.map(({ field }) => field)).toEqual(["wavelength_nm", "instruments.stage.address"]);
  });

  test("limits and zones the wrong way round are named beside other mistakes", () => {
    const text = `${SOUND.replace("632.8", "red")}limits: { z_min_mm: 200, z_max_mm: 10 }
keep_out_zones: [{ from_mm: 2, to_mm: 1 }]
`;
    expect(problemsOf(text).problems.map(({ field }) => field)).toEqual([
      "wavelength_nm",
      "limits.z_max_mm",
      "keep_out_zones[0].to_mm",
    ]);
  });

  test("a stage that would search its reference through a keep-out zone is refused", () => {
    const stage = "{ driver: grbl, address: COM3, home_at_start: true }";
    const text = `${SOUND.replace("{ driver: simulated }", stage)}keep_out_zones: [{ from_mm: 1, to_mm: 2 }]\n`;
    expect(problemsOf(text).message).toContain("instruments.stage.home_at_start");
  });

  test("a simulated shutter before a real camera is refused", () => {
    const text = SOUND.replace("driver: simulated, scenario: clean, seed: 1", "driver: genicam").replace(
      "instruments:",
      "pixel_pitch_um: 5\ninstruments:\n  shutter: { driver: simulated }",
    );
    expect(problemsOf(text).problems).toMatchObject([{ line: 5, field: "instruments.shutter.driver" }]);
  });
});
