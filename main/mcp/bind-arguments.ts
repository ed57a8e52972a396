import type { z } from "zod";
import { BenchError } from "../contract/error-codes.ts";
import { TOOLS, type ToolInput, type ToolName } from "../contract/tools.ts";
import { listedTool } from "./tool-schemas.ts";

/** Longest part of a caller's own words that an error repeats. */
const QUOTED_LENGTH = 80;

/**
 * The arguments of a call as its tool takes them.
 *
 * @throws BenchError `bad_argument` that names every field that does not fit and what was expected; its hint lists the arguments.
 */
export function bindArguments<Name extends ToolName>(name: Name, given: unknown): ToolInput<Name> {
  const parsed = TOOLS[name].input.safeParse(given ?? {});
  if (parsed.success) return parsed.data as ToolInput<Name>;
  const complaints = parsed.error.issues.slice(0, 5).map(complaint);
  throw new BenchError("bad_argument", `${name}: ${complaints.join("; ")}`, argumentsOf(name));
}

function complaint(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? "arguments" : issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.slice(0, 5).map((key) => `"${key.slice(0, QUOTED_LENGTH)}"`);
    return `${field === "arguments" ? "" : `${field}: `}unknown argument ${names.join(", ")}`;
  }
  return `${field}: ${issue.message.replace(/^Invalid input: /, "").replace(/^Invalid option: /, "")}`;
}

function argumentsOf(name: ToolName): string {
  const { properties = {}, required = [] } = listedTool(name).inputSchema;
  const words = Object.entries(properties).map(([field, schema]) => {
    const { type = "value" } = schema as { readonly type?: string };
    return `${field} (${type}${required.includes(field) ? "" : ", optional"})`;
  });
  return `${name} takes ${words.length === 0 ? "no arguments" : words.join(", ")}.`;
}
