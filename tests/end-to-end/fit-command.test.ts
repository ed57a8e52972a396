import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axisResultSchema } from "../../main/contract/axis-result.ts";

const COMMAND = fileURLToPath(new URL("../../bin/caustic.mjs", import.meta.url));
const TABLES = new URL("../../../shared/data/beams/caustics-open.json", import.meta.url);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "caustic-fit-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function caustic(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** An axis of the printed JSON, checked against the contract; χ²/ν is null where the table states no uncertainties. */
function axisOf(printed: unknown) {
  const { chi2_ndf, ...axis } = printed as { readonly chi2_ndf?: unknown };
  return axisResultSchema.parse(chi2_ndf === null || chi2_ndf === undefined ? axis : printed);
}

function table(content: string): string {
  const path = join(folder, "table.csv");
  writeFileSync(path, content);
  return path;
}

function scan(columns: readonly string[], d0_um: readonly number[], positions: readonly number[]): string {
  const rows = positions.map((z) => [
    z,
    ...d0_um.map((d0) => Math.hypot(d0, 7 * (z - 100)) * (1 + 0.002 * Math.sin(z))),
  ]);
  return [["z_mm", ...columns], ...rows].map((row) => row.join(",")).join("\n");
}
const POSITIONS = [40, 50, 60, 85, 92, 100, 108, 115, 140, 150, 160];

describe("caustic fit", () => {
  test("one diameter: only x, as JSON alone on stdout", () => {
    const { status, stdout } = caustic(
      "fit",
      table(scan(["d_um"], [130], POSITIONS)),
      "--wavelength-nm",
      "632.8",
      "--json",
    );
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(result)).toEqual(["x"]);
    const x = axisOf(result["x"]);
    expect(x).toMatchObject({ determined: true, weights: "relative", iso_coverage: true, flags: [] });
    expect(result["x"]).toHaveProperty("chi2_ndf", null);
    expect(x.determined && Math.abs(x.m2 - (Math.PI * 130 * 7) / (4 * 632.8))).toBeLessThan(0.01);
  });

  test("two diameters in words, with a stated weighting", () => {
    const path = table(scan(["dx_um", "dy_um"], [130, 150], POSITIONS));
    const { status, stdout } = caustic("fit", path, "--wavelength-nm", "632.8", "--weights", "uniform_d");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^x {2}M² 1\.1\d+ ± 0\.\d+/m);
    expect(stdout).toMatch(/^y {2}M² 1\.3\d+ ± 0\.\d+/m);
    expect(stdout).toContain("weights uniform_d");
  });

  test("not determined ends with status 1 and the reason", () => {
    const path = table("z_mm,d_um\n1,100\n1,101\n2,90\n2,91\n");
    const { status, stdout, stderr } = caustic("fit", path, "--wavelength-nm", "632.8", "--json");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    const { x } = JSON.parse(stdout) as { x: unknown };
    expect(axisOf(x)).toEqual({
      determined: false,
      why: "A caustic needs at least 3 distinct positions; there are 2.",
      near: 0,
      far: 0,
      positions: 2,
      flags: [],
    });
  });

  test.each([
    [["--wavelength-nm", "0"], "above 0"],
    [["--wavelength-nm", "red"], "number"],
    [[], "--wavelength-nm"],
    [["--wavelength-nm", "632.8", "--weights", "some"], "uniform_d2"],
    [["--wavelength-nm", "632.8", "--weights", "given"], "expected a column u_um"],
  ])("bad arguments %j end with status 2", (args, words) => {
    const { status, stdout, stderr } = caustic("fit", table(scan(["d_um"], [130], POSITIONS)), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("an unreadable table ends with status 2 and names file, line and column", () => {
    const path = table("z_mm,d_um\n1,100\n2,NaN\n");
    const { status, stdout, stderr } = caustic("fit", path, "--wavelength-nm", "632.8", "--json");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`${path}: line 3, column d_um: "NaN"`);
  });

  test.skipIf(!existsSync(TABLES)).each(["C6", "C7"])(
    "published series %s is no valid result (skipped where ../shared/data/beams is absent)",
    (id) => {
      const tables = JSON.parse(readFileSync(TABLES, "utf8")) as Record<string, unknown>[];
      const series = tables.find((candidate) => candidate["id"] === id) as Record<string, unknown>;
      const columns = Object.keys(series).filter((name) => /_(mm|um)$/.test(name));
      const lines = (series["z_mm"] as number[]).map((_, i) => columns.map((name) => (series[name] as number[])[i]));
      const path = table([columns, ...lines].map((line) => line.join(";")).join("\n"));
      const words = caustic("fit", path, "--wavelength-nm", "632.8");
      expect(words.status).toBe(1);
      expect(words.stdout).toContain("not a valid result");
      expect(words.stdout).toContain("ISO positions incomplete");
      expect(words.stdout).not.toMatch(/^[xyd] {2}M²/m);
      const json = JSON.parse(caustic("fit", path, "--wavelength-nm", "632.8", "--json").stdout) as object;
      for (const axis of Object.values(json)) {
        expect(axisOf(axis)).toMatchObject({ iso_coverage: false, flags: [{ code: "m2_below_one" }] });
      }
    },
  );
});
