import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { modelUsageSchema } from "../../contract/model-usage.ts";
import { submissionSchema } from "../../contract/question.ts";
import { type SuiteRow, suiteRowSchema } from "../../contract/suite-results.ts";
import { suiteHash } from "../suites/suite-hash.ts";
import type { RecordedAnswer } from "./question-row.ts";

/*
 * A line is a JSON object with `type` and, last, `sha256`: of the `sha256` of the line before, a line feed, and the line as it would be
 * without its own `sha256`, in hexadecimal. The last line is the grade. So whatever was changed, moved, put in or cut off shows.
 */

/** What stands for the hash before the first line. */
export const FIRST_LINK = "0".repeat(64);

/** What makes a kept grade today's grade: the same question, graders, and whoever answered. */
export interface TranscriptKey {
  readonly question_sha256: string;
  readonly grader_version: string;
  readonly contender: string;
  readonly model?: string;
}

/** A transcript that is not as it was written. The message names the file and what is wrong with it. */
export class TranscriptError extends Error {
  override readonly name = "TranscriptError";

  constructor(name: string, what: string) {
    super(
      `${name} was changed: ${what}; expected it as it was written, or no such file, for which the question is put again`,
    );
  }
}

const linkOf = (json: string, previous: string): string =>
  createHash("sha256").update(`${previous}\n${json}`).digest("hex");

/** A line of a transcript, line feed included, and its hash, which the next one needs. */
export function chainedTranscriptLine(
  what: object,
  previous: string,
): { readonly text: string; readonly sha256: string } {
  const json = JSON.stringify(what);
  const sha256 = linkOf(json, previous);
  return { text: `${json.slice(0, -1)},"sha256":"${sha256}"}\n`, sha256 };
}

/** One question's run, a line a thing: what was asked, every call with its answer, every turn of a model, the answer, the grade. */
export class QuestionTranscript {
  readonly #path: string;
  readonly #unfinished: string;
  #link = FIRST_LINK;

  /** `name` is the file's, relative to the results. */
  constructor(out: string, name: string) {
    this.#path = join(out, name);
    this.#unfinished = `${this.#path}.unfinished`;
    mkdirSync(dirname(this.#path), { recursive: true });
    // What a killed run left behind is kept apart from what begins now.
    if (existsSync(this.#unfinished)) renameSync(this.#unfinished, `${this.#path}.broken`);
  }

  add(type: string, what: object): void {
    const { text, sha256 } = chainedTranscriptLine({ type, ...what }, this.#link);
    appendFileSync(this.#unfinished, text);
    this.#link = sha256;
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

const callSchema = z.object({
  type: z.literal("call"),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  failed: z.boolean(),
  bad: z.boolean(),
  result: z.unknown(),
});
const turnSchema = z.object({ type: z.literal("turn"), usage: modelUsageSchema });
const submittedSchema = z.object({
  type: z.literal("submitted"),
  submission: submissionSchema.nullable(),
  status: suiteRowSchema.shape.status,
  note: z.string().optional(),
});
const gradedSchema = z.object({
  type: z.literal("graded"),
  key: z.object({
    question_sha256: z.string(),
    grader_version: z.string(),
    contender: z.string(),
    model: z.string().optional(),
  }),
  row: suiteRowSchema,
});

/**
 * The grade of a run that was made before, given again by `gradeOf` from what was recorded; undefined where there is none, or where it is
 * not what would be run today.
 *
 * @throws TranscriptError where the transcript is not as it was written, or where its grade is not what `gradeOf` gives.
 */
export function keptRow(
  out: string,
  name: string,
  key: TranscriptKey,
  gradeOf: (recorded: RecordedAnswer) => SuiteRow,
): SuiteRow | undefined {
  const path = join(out, name);
  if (!existsSync(path)) return undefined;
  const refuse = (what: string): never => {
    throw new TranscriptError(name, what);
  };
  const lines = chainedLines(readFileSync(path, "utf8"), refuse);
  const fitting = <Line>(schema: z.ZodType<Line>): Line[] =>
    lines.flatMap((line) => {
      const checked = schema.safeParse(line);
      return checked.success ? [checked.data] : [];
    });
  const [graded, submitted] = [fitting(gradedSchema).at(-1), fitting(submittedSchema).at(-1)];
  if (graded === undefined || submitted === undefined || lines.at(-1)?.type !== "graded") {
    return refuse("it does not end in an answer and its grade");
  }
  const same = (["question_sha256", "grader_version", "contender", "model"] as const).every(
    (part) => graded.key[part] === key[part],
  );
  if (!same || submitted.status !== "graded") return undefined;
  const usage = fitting(turnSchema).at(-1)?.usage;
  const row = gradeOf({
    submission: submitted.submission ?? undefined,
    log: fitting(callSchema),
    ended: { status: submitted.status, ...(submitted.note === undefined ? {} : { note: submitted.note }) },
    ...(usage === undefined ? {} : { usage }),
  });
  const stranger = Object.keys({ ...row, ...graded.row }).find(
    (field) => !alike(row[field as keyof SuiteRow], graded.row[field as keyof SuiteRow]),
  );
  if (stranger !== undefined) refuse(`its grade says another ${stranger} than the recorded answer and calls come to`);
  return row;
}

const alike = (one: unknown, other: unknown): boolean => suiteHash({ of: one }) === suiteHash({ of: other });

type Line = Readonly<Record<string, unknown>> & { readonly type?: unknown };

const CHAINED = /^(\{"type".*),"sha256":"([0-9a-f]{64})"\}$/s;

/** All lines of a transcript; calls `refuse` at the first whose hash is not what it follows from. */
function chainedLines(text: string, refuse: (what: string) => never): Line[] {
  let link = FIRST_LINK;
  return text
    .split("\n")
    .slice(0, text.endsWith("\n") ? -1 : undefined)
    .map((line, i) => {
      const [, said = "", sha256 = ""] = CHAINED.exec(line) ?? [];
      link = linkOf(`${said}}`, link);
      if (sha256 !== link)
        return refuse(`line ${i + 1} does not have the SHA-256 that follows from the lines up to there`);
      try {
        return JSON.parse(`${said}}`) as Line;
      } catch {
        return refuse(`line ${i + 1} is no JSON`);
      }
    });
}
