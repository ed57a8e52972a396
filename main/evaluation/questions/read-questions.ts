import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import {
  type AnswerField,
  type Question,
  questionFileSchema,
  questionSchema,
  type QuestionSuiteHead,
  questionSuiteSchema,
} from "../../contract/question.ts";
import { FormulaError, reckon } from "./expression.ts";
import { USUAL_ROLES } from "./tool-log.ts";

/** Holds what all questions of a folder share. */
export const SUITE_FILE = "suite.yaml";

export interface QuestionSuite {
  readonly head: QuestionSuiteHead;
  readonly questions: readonly Question[];
}

/** Questions that cannot be read. The message names the file, the line or the field, and what was expected. */
export class QuestionError extends Error {
  override readonly name = "QuestionError";
}

/**
 * Reads a folder with a question in each file, or a file with many. YAML or JSON.
 *
 * @throws QuestionError
 */
export function readQuestions(path: string): QuestionSuite {
  let suite: QuestionSuite;
  let placeOf: (i: number) => Place;
  let headPlace: Place;
  if (isFolder(path)) {
    const files = readdirSync(path)
      .filter((name) => /\.(ya?ml|json)$/.test(name) && name !== SUITE_FILE)
      .sort();
    if (files.length === 0) throw new QuestionError(`${path}: holds no question; expected .yaml or .json files`);
    const head = readOne(join(path, SUITE_FILE), questionSuiteSchema);
    const read = files.map((name) => readOne(join(path, name), questionSchema));
    suite = { head: head.value, questions: read.map(({ value }) => value) };
    headPlace = head.place;
    placeOf = (i) => read[i]?.place ?? (() => path);
  } else {
    const { value, place } = readOne(path, questionFileSchema);
    const { tasks, ...head } = value;
    suite = { head, questions: tasks };
    headPlace = place;
    placeOf = (i) => (field) => place(["tasks", String(i), ...field]);
  }
  checkRoles(suite.head, headPlace);
  const ids = new Set<string>();
  for (const [i, question] of suite.questions.entries()) {
    if (ids.has(question.id)) throw new QuestionError(`${path}: the id ${question.id} is there twice`);
    ids.add(question.id);
    checkReferences(question, suite.head, placeOf(i));
  }
  return suite;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new QuestionError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** File and line of a field, as `questions.yaml:12`. */
type Place = (field: readonly string[]) => string;

function readOne<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): { readonly value: z.infer<Schema>; readonly place: Place } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new QuestionError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    throw new QuestionError(
      `${path}:${fault.linePos?.[0].line ?? 1}: ${fault.message.split("\n", 1)[0] ?? "not YAML"}`,
    );
  }
  const place: Place = (field) => `${path}:${lineOf(document, lines, field)}`;
  const checked = schema.safeParse(document.toJS());
  if (checked.success) return { value: checked.data, place };
  const [issue] = checked.error.issues;
  const field = issue?.path.map(String) ?? [];
  throw new QuestionError(`${place(field)}: ${field.join(".") || "the file"}: ${issue?.message ?? "does not fit"}`);
}

/** The line of a field, or of the nearest one around it that is there. */
function lineOf(document: Document, lines: LineCounter, field: readonly string[]): number {
  for (let depth = field.length; depth > 0; depth--) {
    const path = field.slice(0, depth).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const node = document.getIn(path, true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** What a schema cannot see: names that stand for something elsewhere in the question or its suite. */
function checkReferences(question: Question, head: QuestionSuiteHead, place: Place): void {
  const complain = (field: string, words: string): never => {
    throw new QuestionError(`${place(field.split("."))}: ${question.id}: ${field}: ${words}`);
  };
  const fields = new Map(question.answer.map((field) => [field.key, field]));
  const roles = head.roles ?? USUAL_ROLES;
  for (const [key, value] of Object.entries(question.reference.values)) {
    const field = fields.get(key);
    if (field === undefined) complain(`reference.values.${key}`, "no field of the answer has this key");
    const wrong = field === undefined ? undefined : unfit(field, value);
    if (wrong !== undefined) complain(`reference.values.${key}`, wrong);
  }
  for (const [i, check] of question.checks.entries()) {
    const where = `checks.${i}`;
    if ("key" in check && !fields.has(check.key)) complain(`${where}.key`, `no field of the answer is ${check.key}`);
    if (check.check === "value" && question.reference.values[check.key] === undefined) {
      complain(`${where}.key`, `reference.values has no ${check.key}`);
    }
    if (check.check === "mentions" && head.topics?.[check.topic] === undefined) {
      complain(`${where}.topic`, `the suite has no topic ${check.topic}`);
    }
    const after = check.check === "spec" ? (check.after ?? []) : [];
    const named = [...("role" in check ? [check.role] : []), ...after.map(({ role }) => role)];
    const stranger = named.find((role) => !Object.hasOwn(roles, role));
    if (stranger !== undefined) complain(`${where}.role`, `${stranger} is none of ${Object.keys(roles).join(", ")}`);
  }
  const scripts = { reference: question.reference.script, ...(question.naive ? { naive: question.naive.script } : {}) };
  for (const [name, script] of Object.entries(scripts)) {
    const stranger = Object.keys(script.answer.values).find((key) => !fields.has(key));
    if (stranger !== undefined) complain(`${name}.script.answer.values`, `no field of the answer is ${stranger}`);
    for (const [key, value] of Object.entries(script.answer.values)) {
      if (typeof value === "string" && value.startsWith("="))
        checkFormula(value.slice(1), (words) => complain(`${name}.script.answer.values.${key}`, words));
    }
  }
}

/** Why a value can never be what a field asks for; undefined where it can. */
function unfit({ choices, unit }: AnswerField, value: number | string): string | undefined {
  if (choices === undefined) {
    if (typeof value === "number") return undefined;
    return `"${value}" is no number; expected one${unit === "1" ? ", without a unit" : ` in ${unit ?? ""}, without the unit`}`;
  }
  if (typeof value === "string" && choices.includes(value)) return undefined;
  return `${JSON.stringify(value)} is none of ${choices.join(", ")}`;
}

function checkRoles(head: QuestionSuiteHead, place: Place): void {
  for (const [role, pattern] of Object.entries(head.roles ?? {})) {
    try {
      new RegExp(pattern, "i");
    } catch {
      throw new QuestionError(`${place(["roles", role])}: roles.${role}: "${pattern}" is no regular expression`);
    }
  }
}

/** A formula may name what only a run knows; anything else that is wrong with it is found here. */
function checkFormula(formula: string, complain: (words: string) => void): void {
  try {
    reckon(formula, {});
  } catch (error) {
    if (error instanceof FormulaError && !error.message.endsWith("is not known")) complain(error.message);
  }
}
