import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SuiteRow, suiteRowSchema } from "../../contract/suite-results.ts";

/** What makes a kept grade today's grade: the same question, graders, and whoever answered. */
export interface TranscriptKey {
  readonly question_sha256: string;
  readonly grader_version: string;
  readonly contender: string;
  readonly model?: string;
}

/** One question's run, a line a thing: what was asked, every call with its answer, every turn of a model, the answer, the grade. */
export class QuestionTranscript {
  readonly #path: string;
  readonly #unfinished: string;

  /** `name` is the file's, relative to the results. */
  constructor(out: string, name: string) {
    this.#path = join(out, name);
    this.#unfinished = `${this.#path}.unfinished`;
    mkdirSync(dirname(this.#path), { recursive: true });
    // What a killed run left behind is kept apart from what begins now.
    if (existsSync(this.#unfinished)) renameSync(this.#unfinished, `${this.#path}.broken`);
  }

  add(type: string, what: object): void {
    appendFileSync(this.#unfinished, `${JSON.stringify({ type, ...what })}\n`);
  }

  /** The last line. From here on the transcript stands for the run, also for a later command. */
  end(key: TranscriptKey, row: SuiteRow): void {
    this.add("graded", { key, row });
    renameSync(this.#unfinished, this.#path);
  }
}

export function transcriptName(contender: string, question: string): string {
  return `transcripts/${contender}/${question}.jsonl`;
}

/** The grade of a run that was made before; undefined where there is none, or where it is not what would be run today. */
export function keptRow(out: string, name: string, key: TranscriptKey): SuiteRow | undefined {
  const path = join(out, name);
  if (!existsSync(path)) return undefined;
  const last = readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
  try {
    const said = JSON.parse(last) as { type?: unknown; key?: Partial<TranscriptKey>; row?: unknown };
    const same = (["question_sha256", "grader_version", "contender", "model"] as const).every(
      (part) => said.key?.[part] === key[part],
    );
    const row = suiteRowSchema.safeParse(said.row);
    return said.type === "graded" && same && row.success && row.data.status === "graded" ? row.data : undefined;
  } catch {
    return undefined;
  }
}
