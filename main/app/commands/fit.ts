import { type Command, Option } from "commander";
import { toAxisResult } from "../../analysis/caustic-axis-result.ts";
import { defaultWeights, fitCaustic } from "../../analysis/caustic-fit.ts";
import type { AxisResult } from "../../contract/axis-result.ts";
import { FIT_WEIGHTS, type FitWeights } from "../../contract/vocabulary.ts";
import { readCausticTable, type TableWidth } from "../../files/read-caustic-table.ts";
import { axisText, isResult } from "../axis-text.ts";
import { numberOption } from "../option-values.ts";
import { printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface FitOptions {
  readonly wavelengthNm: number;
  readonly weights?: FitWeights;
  readonly json?: true;
}

const EXAMPLE = `
The table has a header and one position per line: z_mm and d_um, or z_mm, dx_um and dy_um; standard uncertainties as u_um, or
u_dx_um and u_dy_um. Widths are full d4σ diameters. Separated by comma, semicolon or tab, decimal point or comma.

Weights: given = the uncertainties of the table (default where there are any); relative = relative deviations (1/d⁴ on d²,
default otherwise); uniform_d = equal on d; uniform_d2 = equal on d².

Exit status 1 when M² is not determined, or lies so far below 1 that it is not a result.

Example:
  $ caustic fit scan.csv --wavelength-nm 632.8
  $ caustic fit scan.csv --wavelength-nm 1064 --weights uniform_d --json`;

export function registerFit(program: Command): void {
  program
    .command("fit")
    .description("M² from a table of widths along the beam")
    .argument("<table>", "CSV or text file")
    .requiredOption("--wavelength-nm <L>", "wavelength in nm", numberOption({ above: 0, most: 1_000_000 }))
    .addOption(new Option("--weights <weights>", "what the fit weighs equally").choices(FIT_WEIGHTS))
    .option("--json", "print {x, y} as JSON")
    .addHelpText("after", EXAMPLE)
    .action(fit);
}

async function fit(path: string, options: FitOptions): Promise<void> {
  const { rows, notes } = await readCausticTable(path);
  for (const note of notes) printNote(`${path}: ${note}`);
  const axis = (name: "x" | "y", widthOf: (row: (typeof rows)[number]) => TableWidth | undefined) => {
    const points = rows.flatMap((row) => {
      const width = widthOf(row);
      return width === undefined ? [] : [{ z_mm: row.z_mm, ...width }];
    });
    if (points.length === 0) return undefined;
    const weights = options.weights ?? defaultWeights(points);
    if (weights === "given" && defaultWeights(points) !== "given") {
      throw new UsageError(
        `${path}: --weights given needs uncertainties; expected a column u_um, or u_dx_um and u_dy_um`,
      );
    }
    return { name, result: toAxisResult(fitCaustic(points, { wavelength_nm: options.wavelengthNm, weights })) };
  };
  const axes = [axis("x", (row) => row.x), axis("y", (row) => row.y)].filter((entry) => entry !== undefined);
  if (options.json) printJson(Object.fromEntries(axes.map(({ name, result }) => [name, asJson(result)])));
  else printResult(axes.map(({ name, result }) => axisText(axes.length > 1 ? name : "d", result)).join("\n"));
  if (!axes.every(({ result }) => isResult(result))) process.exitCode = 1;
}

/** Every field of the contract is there; χ²/ν has no value where the table states no uncertainties. */
function asJson(axis: AxisResult): object {
  return axis.determined ? { ...axis, chi2_ndf: axis.chi2_ndf ?? null } : axis;
}
