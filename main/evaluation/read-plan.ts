import { readFileSync } from "node:fs";
import { type Document, isMap, isNode, LineCounter, parseDocument } from "yaml";
import { type Plan, planSchema } from "../contract/plan.ts";
import { PlanError } from "./evaluation-case.ts";
import { type PlanProblem, planProblems } from "./plan-problems.ts";

/**
 * Reads a plan.
 *
 * @throws PlanError naming the file, the line, the field, and what was expected.
 */
export function readPlan(path: string): Plan {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new PlanError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const { line } = lines.linePos(fault.pos[0]);
    throw new PlanError(`${path}, line ${line}: ${fault.message.split(" at line ", 1)[0] ?? "not YAML"}`);
  }
  const complain = (problem: PlanProblem): never => {
    const field = problem.path.length === 0 ? "the plan" : problem.path.join(".");
    throw new PlanError(`${path}, line ${lineOf(document, problem.path, lines)}: ${field}: ${problem.message}`);
  };
  const checked = planSchema.safeParse(document.toJS());
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return complain({
      path: (issue?.path ?? []).map((step) => (typeof step === "number" ? step : String(step))),
      message: issue?.message ?? "does not fit the schema of a plan",
    });
  }
  const [problem] = planProblems(checked.data);
  return problem === undefined ? checked.data : complain(problem);
}

/** The line on which a field stands, or what holds it where it is not there; from 1. */
function lineOf(document: Document.Parsed, path: PlanProblem["path"], lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const at = path.slice(0, length);
    const parent: unknown = document.getIn(at.slice(0, -1), true);
    const key = isMap(parent) ? parent.items.find((pair) => String(pair.key) === String(at.at(-1)))?.key : undefined;
    const node: unknown = isNode(key) ? key : document.getIn(at, true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
