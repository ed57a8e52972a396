import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import type { z } from "zod";
import { type Plan, planSchema } from "../contract/plan.ts";
import { PlanError } from "./evaluation-case.ts";

/**
 * Reads a plan.
 *
 * @throws PlanError naming the file, the line or the field, and what was expected.
 */
export function readPlan(path: string): Plan {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new PlanError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw new PlanError(`${path}: ${fault.message.split("\n", 1)[0] ?? "not YAML"}`);
  return parsePlan(document.toJS(), path);
}

/** The plan in a value that was read; `where` is named in the error. */
export function parsePlan(value: unknown, where: string): Plan {
  const checked = planSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw new PlanError(`${where}: ${complaint(checked.error)}`);
}

function complaint(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "does not fit the schema of a plan";
  const field = issue.path.length === 0 ? "the plan" : issue.path.map(String).join(".");
  return `${field}: ${issue.message}`;
}
