import { accessSync, constants, mkdirSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/**
 * Makes the folder for the results of a suite before anything is run, so that no result is lost for want of a place.
 *
 * @throws UsageError where it cannot be made or written.
 */
export function makeSuiteFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
    accessSync(out, constants.W_OK);
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--out ${out} cannot be written (${code}); expected a folder, or a place where one may be made`,
    );
  }
}
