import { z } from "zod";
import type { OfferedTool } from "../../contenders/model-provider.ts";
import { listedTool } from "../../mcp/tool-schemas.ts";
import type { DriverContext } from "./ladder-driver.ts";
import { capability, type ToolInputs } from "./registry.ts";

/*
 * What a model is told: the rules of the ladder, the facts that reasons are made of, the declared tools with their schemas, and three
 * ways to end a case that are the harness's own.
 */

const call = z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()) });

/** The ends of a case, which are no tools of the bench. */
export const ENDINGS = {
  ladder_done: {
    description: "Ends the case: what was asked is done. Give the reasons of your calls.",
    input: z.strictObject({
      said: z.string().max(2000).optional(),
      goals: z.array(z.string()).describe("The facts that were asked for").default([]),
      proof: z
        .array(
          z.strictObject({
            call: z.number().int().min(0).describe("Number of the call, from 0, failed ones included"),
            needs: z.array(z.strictObject({ fact: z.string(), by: z.union([z.literal("start"), z.number().int()]) })),
            gives: z.array(z.string()),
            uses: z.array(z.number().int()).describe("Earlier calls whose answers decided about this one").default([]),
          }),
        )
        .describe("One step a call, in their order")
        .default([]),
      readings: z.array(call).describe("All readings, where you tried each of a request that has several").optional(),
    }),
  },
  ladder_decline: {
    description:
      "Ends the case: it is not done, because no declared tool fits, something that is spoken of does not exist, or the request has several readings between which you may not choose.",
    input: z.strictObject({
      why: z.string().max(2000),
      readings: z.array(call).describe("The readings, where there are several").optional(),
    }),
  },
  ladder_recognise: {
    description: "Ends a case that shows a trace: which of the goals it was for, none of them, or several alike.",
    input: z.strictObject({ goals: z.array(z.string()).describe("One goal, none, or all that fit alike") }),
  },
} as const;

export const isEnding = (name: string): name is keyof typeof ENDINGS => Object.hasOwn(ENDINGS, name);

/** Values that show how the facts of a tool read. */
const EXAMPLE: ToolInputs = {
  z_mm: 150,
  exposure_ms: 2,
  measurement: "m002",
  positions_mm: [60, 120],
  exclude: ["m002"],
  count: 3,
  verdict: "iso_compliant",
};

/** What a tool needs and gives, by an example. */
function factsText(name: string): string {
  const known = capability(name);
  if (known === undefined) return "";
  const keys = [...known.required, ...known.optional];
  const input = Object.fromEntries(Object.entries(EXAMPLE).filter(([key]) => keys.includes(key)));
  const list = (facts: readonly string[]): string => (facts.length === 0 ? "nothing" : facts.join(", "));
  return ` With ${JSON.stringify(input)} it needs ${list(known.needs(input))} and gives ${list(known.gives(input))}.`;
}

/** The declared tools with the arguments that the registry knows, and the ends of a case. */
export function offeredTools(declared: readonly string[], recognises: boolean): OfferedTool[] {
  const bench = declared.flatMap((name): OfferedTool[] => {
    const known = capability(name);
    if (known === undefined) return [];
    const { description = "", inputSchema } = listedTool(known.name);
    const keys = new Set([...known.required, ...known.optional]);
    const properties = Object.fromEntries(
      Object.entries(inputSchema.properties ?? {}).filter(([key]) => keys.has(key)),
    );
    return [
      {
        name,
        description: description + factsText(name),
        inputSchema: { type: "object", properties, required: [...known.required], additionalProperties: false },
      },
    ];
  });
  const endings = (Object.keys(ENDINGS) as (keyof typeof ENDINGS)[])
    .filter((name) => (name === "ladder_recognise") === recognises)
    .map((name) => ({
      name,
      description: ENDINGS[name].description,
      inputSchema: z.toJSONSchema(ENDINGS[name].input, { io: "input" }),
    }));
  return [...bench, ...endings];
}

export const RULES = `You operate a laser bench through tools. You are given one request and must do exactly what it asks: every call that acts must be needed, in the right order, with the right arguments; looking is free. Only the tools that you are offered exist. A call to any other tool, or with arguments that a tool does not take, fails the case at once.

If no offered tool fits, if something that the request speaks of does not exist or lies outside the limits, decline with ladder_decline and do nothing. If a request can be read in several ways, do not pick one: with a tool that only looks, try every reading and name them all; with a tool that acts, decline and name them. If a step fails, see why and do something sensible instead. A condition in the request decides what comes next.

Frames, positions and exposures that the request leaves open are yours to choose, or to leave to the bench. When you are done, call ladder_done with the reasons of your calls. Reasons are made of facts: at(150) in mm, exposure(2) and dark(2) in ms, measured(150), measured(150,2), exists(m002), used(m002), rejected(m002), fitted, determined, covered, suggested, estimated(60,120), status_known, finished(iso_compliant), and by the bench's limits reachable(150) and exposable(2). Each step names what its call needed, by the start or by the number of the earlier call that gave it, and what it gave; a fit gives determined when both axes are, and covered when both are ISO compliant; a measurement gives exists and used of its id.`;

/** The request, and the bench as it stands. */
export function requestText(request: string, { bench, status, facts, trace, goals }: DriverContext): string {
  if (trace !== undefined) {
    const seen = trace.map((one) => `${one.name} ${JSON.stringify(one.input)}`).join("\n");
    const known = (goals ?? []).map(
      ({ goal, what, operators, differ }) =>
        `${goal}: ${what}; operators in order ${operators.map(({ name, bind }) => `${name} ${JSON.stringify(bind)}`).join(", ")}${differ.length === 0 ? "" : `; different: ${differ.map((pair) => pair.join(" and ")).join(", ")}`}`,
    );
    return `${request}\n\nSomebody was seen to do this:\n${seen}\n\nThe goals that it may have been for. A goal is recognised when the trace holds all its operators in order, other calls between them allowed, each variable bound alike; a goal that is a part of another recognised one does not count. Answer with ladder_recognise.\n${known.join("\n")}`;
  }
  const { run: _handle, seq: _seq, budget, control: _control, handle_lifetime_s: _life, ...described } = bench;
  const { measurements = [], darks = [], z_requested_mm, exposure_ms } = status;
  const state = { z_mm: z_requested_mm, exposure_ms, darks, measurements };
  return `${request}\n\nThe bench: ${JSON.stringify({ ...described, budget })}\nIts state: ${JSON.stringify(state)}\nWhat holds: ${facts.join(", ")}`;
}
