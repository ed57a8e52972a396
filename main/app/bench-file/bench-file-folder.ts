import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BenchOffer } from "../../bench/benches.ts";
import type { BenchFile } from "../../contract/bench-file.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { BenchFileListing } from "../../contract/window-verbs.ts";
import { UsageError } from "../usage-error.ts";
import { type BenchFileEdit, editBenchFile } from "./edit-bench-file.ts";
import { given } from "./given.ts";
import { parseBenchFile } from "./read-bench-file.ts";

/** Where the window looks for bench files unless a command names one, below the folder in which it was started. */
export const BENCHES_FOLDER = "benches";

/** The bench files of one folder, as the window lists, edits and offers them. */
export class BenchFileFolder {
  readonly #folder: string;
  readonly #offerBench: (file: BenchFile) => BenchOffer;

  constructor(folder: string, offerBench: (file: BenchFile) => BenchOffer) {
    this.#folder = folder;
    this.#offerBench = offerBench;
  }

  list(): BenchFileListing[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map((file) => listing(file, this.#text(file)));
  }

  /** Throws `bad_argument` with line and field of every mistake; what was there before stays then. */
  save(file: string, text: string): void {
    this.#parse(file, text);
    mkdirSync(this.#folder, { recursive: true });
    const path = join(this.#folder, basename(file));
    writeFileSync(`${path}.new`, text, { flush: true });
    renameSync(`${path}.new`, path);
  }

  /** Changes single fields and keeps the rest of the file as a person wrote it. Throws as `save` does. */
  edit(file: string, edits: readonly BenchFileEdit[]): string {
    const text = editBenchFile(this.#text(file), edits);
    this.save(file, text);
    return text;
  }

  /** Throws `bad_argument`. */
  offer(file: string): BenchOffer {
    return this.#offerBench(this.#parse(file, this.#text(file)));
  }

  #text(file: string): string {
    try {
      return readFileSync(join(this.#folder, basename(file)), "utf8");
    } catch {
      throw new BenchError("bad_argument", `there is no bench file ${file}`, "Choose one of the list.");
    }
  }

  #parse(file: string, text: string): BenchFile {
    try {
      return parseBenchFile(text, file);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new BenchError("bad_argument", error.message, "Correct the file; nothing was changed.");
    }
  }
}

function listing(file: string, text: string): BenchFileListing {
  try {
    const { bench, limits, keep_out_zones, wavelength_nm, instruments } = parseBenchFile(text, file);
    const { stage } = instruments;
    return {
      file,
      text,
      settings: {
        bench,
        wavelength_nm,
        limits: given(limits ?? {}),
        keep_out_zones: keep_out_zones ?? [],
        ...(stage.driver === "simulated" ? {} : { calibration: given(stage.calibration ?? {}) }),
      },
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, text, problem: error.message };
  }
}
