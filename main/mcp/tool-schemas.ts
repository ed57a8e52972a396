import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { TOOLS, type ToolName } from "../contract/tools.ts";

/** Every whole number carries these bounds in zod's JSON Schema; they tell a reader nothing. */
const SAFE_BOUNDS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function objectSchema(schema: z.ZodType, io: "input" | "output"): Tool["inputSchema"] {
  const json = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === SAFE_BOUNDS.minimum) delete jsonSchema.minimum;
      if (jsonSchema.maximum === SAFE_BOUNDS.maximum) delete jsonSchema.maximum;
    },
  });
  if (json.type !== "object") throw new TypeError(`a tool's ${io} schema must be an object, not ${String(json.type)}`);
  return json as Tool["inputSchema"];
}

const listed = new Map<ToolName, Tool>();

/** The listing of a tool; made once per process, since a server is built anew for every request of the 2026 protocol. */
export function listedTool(name: ToolName): Tool {
  const known = listed.get(name);
  if (known !== undefined) return known;
  const { title, description, input, output, annotations } = TOOLS[name];
  const tool: Tool = {
    name,
    title,
    description,
    inputSchema: objectSchema(input, "input"),
    outputSchema: objectSchema(output, "output"),
    annotations: { title, ...annotations },
  };
  listed.set(name, tool);
  return tool;
}
