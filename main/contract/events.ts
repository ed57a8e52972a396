import { z } from "zod";
import { axisResultSchema } from "./axis-result.ts";
import { benchErrorSchema } from "./error-codes.ts";
import {
  benchDescriptionSchema,
  budgetLeftSchema,
  darkSchema,
  limitStateSchema,
  measuredValueSchema,
  measurementSchema,
} from "./tools.ts";
import { faultKindSchema, verdictSchema } from "./vocabulary.ts";

/*
 * The journal of a run. Window, report, grader and replay read these events and nothing else; a state at any moment is
 * what the events up to there say. No event holds the run handle, a truth, a seed, a scenario, a wall-clock time or the
 * code in a picture, so a client may read all of them.
 *
 * Commands are the events that came from outside: `tool_called`, `operator_acted`, `call_cancelled`, `caller_left`.
 * Everything else follows from them, which is what a replay checks.
 */

/** Who acted. `number` counts the callers of the run from 1 in the order in which they first spoke. */
export const loggedCallerSchema = z.object({
  number: z.number().int().positive(),
  kind: z.enum(["operator", "script", "agent"]),
  name: z.string(),
});
export type LoggedCaller = z.infer<typeof loggedCallerSchema>;

/** How many of the run's events a window had when it asked for this: what was stopped after that, it could not know. */
const heard_events = z.number().int().nonnegative().optional();

/** What the run may use up; a budget that is absent is not limited. */
export const budgetsSchema = budgetLeftSchema;
export type Budgets = z.infer<typeof budgetsSchema>;

export const FRAME_PURPOSES = ["measurement", "dark", "live"] as const;

/** Why the widths along z were fitted. */
export const FIT_OCCASIONS = ["measured", "use_changed", "asked", "finished"] as const;

const z_mm = z.number();
const event = { seq: z.number().int().nonnegative(), t_ms: z.number().nonnegative().describe("Bench clock") };
/** The `tool_called` event that this belongs to. */
const call = z.number().int().nonnegative().describe("seq of the tool_called event that this belongs to");

const runOpened = z.object({
  ...event,
  type: z.literal("run_opened"),
  format: z.literal(1),
  simulated: z.boolean(),
  description: benchDescriptionSchema,
  budgets: budgetsSchema,
  tools: z.array(z.string()),
  findings: z.enum(["standard", "all"]),
  /** What the fits take for the standard uncertainty of a position, and relatively for what all positions share. */
  uncertainties: z
    .object({
      z_mm: z.number().nonnegative().optional(),
      pixel_pitch: z.number().nonnegative().optional(),
      stage_scale: z.number().nonnegative().optional(),
      wavelength: z.number().nonnegative().optional(),
    })
    .optional(),
  /** A stop farther than this from its target is a failure of the stage. */
  position_tolerance_mm: z.number().nonnegative().optional(),
  /** Where the stage stood; absent while it does not know. */
  z_actual_mm: z_mm.optional(),
  exposure_ms: z.number(),
});

const toolCalled = z.object({
  ...event,
  type: z.literal("tool_called"),
  tool: z.string(),
  caller: loggedCallerSchema,
  /** Arguments as given, without the run handle and the reason. */
  input: z.record(z.string(), z.unknown()),
  reason: z.string().optional(),
  heard_events,
});

const toolReturned = z.object({
  ...event,
  type: z.literal("tool_returned"),
  call,
  tool: z.string(),
  caller: loggedCallerSchema,
  /** What was answered, without the run handle. Exactly one of output and error is there. */
  output: z.record(z.string(), z.unknown()).optional(),
  error: benchErrorSchema.optional(),
  /** The answer is that of an earlier call with the same idempotency key. */
  repeated: z.boolean().optional(),
});

/** A call that was never made: no such tool, or arguments that do not fit its schema. */
const callRejected = z.object({
  ...event,
  type: z.literal("call_rejected"),
  tool: z.string(),
  caller: loggedCallerSchema,
  error: benchErrorSchema,
});

const callCancelled = z.object({
  ...event,
  type: z.literal("call_cancelled"),
  call,
  caller: loggedCallerSchema,
});

const callerLeft = z.object({ ...event, type: z.literal("caller_left"), caller: loggedCallerSchema });

/** What the operator does beside the tools. */
const operatorActed = z.object({
  ...event,
  type: z.literal("operator_acted"),
  caller: loggedCallerSchema,
  action: z.enum(["take_over", "give_back", "pause", "resume", "note", "home", "beam_blocked", "beam_unblocked"]),
  /** Words of a note. */
  text: z.string().optional(),
  heard_events,
});

const controlChanged = z.object({
  ...event,
  type: z.literal("control_changed"),
  /** Who drives from here on; absent when nobody does. */
  holder: loggedCallerSchema.optional(),
  why: z.enum(["taken", "taken_over", "given_back", "caller_left", "idle"]),
});

const jobStarted = z.object({ ...event, type: z.literal("job_started"), call, job: z.string(), tool: z.string() });

const jobEnded = z.object({
  ...event,
  type: z.literal("job_ended"),
  call,
  job: z.string(),
  tool: z.string(),
  output: z.record(z.string(), z.unknown()).optional(),
  error: benchErrorSchema.optional(),
});

const moveStarted = z.object({
  ...event,
  type: z.literal("move_started"),
  call: call.optional(),
  z_from_mm: z_mm.optional(),
  z_requested_mm: z_mm,
});

const moveEnded = z.object({
  ...event,
  type: z.literal("move_ended"),
  call: call.optional(),
  outcome: z.enum(["arrived", "stopped", "failed"]),
  z_requested_mm: z_mm,
  /** Absent when the stage could not say where it stands. */
  z_actual_mm: z_mm.optional(),
  travel_mm: z.number().nonnegative(),
  duration_s: z.number().nonnegative(),
  limit_state: limitStateSchema.optional(),
});

const exposureSet = z.object({
  ...event,
  type: z.literal("exposure_set"),
  call: call.optional(),
  exposure_requested_ms: z.number(),
  exposure_ms: z.number(),
});

/** Light (or, for darks, none) was collected; also when the acquisition was broken off. */
const framesExposed = z.object({
  ...event,
  type: z.literal("frames_exposed"),
  call,
  purpose: z.enum(FRAME_PURPOSES),
  acquisition: z.number().int().nonnegative(),
  frames: z.number().int().nonnegative(),
  frames_asked: z.number().int().positive(),
  z_actual_mm: z_mm.optional(),
  exposure_ms: z.number(),
});

const darkTaken = z.object({ ...event, type: z.literal("dark_taken"), call, dark: darkSchema });

const measurementTaken = z.object({
  ...event,
  type: z.literal("measurement_taken"),
  call,
  measurement: measurementSchema,
  /** SHA-256 over the samples of all its frames, little-endian, in order. */
  frames_sha256: z.string(),
});

const measurementUseChanged = z.object({
  ...event,
  type: z.literal("measurement_use_changed"),
  call,
  measurement: z.string(),
  use: z.enum(["used", "rejected"]),
  reason: z.string().optional(),
});

const causticFitted = z.object({
  ...event,
  type: z.literal("caustic_fitted"),
  call,
  occasion: z.enum(FIT_OCCASIONS),
  x: axisResultSchema,
  y: axisResultSchema,
  used: z.array(z.string()),
  left_out: z.array(z.object({ measurement: z.string(), why: z.string() })),
});

/** A picture was made. The code drawn into it stays out of the log, or the log would give it away. */
const viewMade = z.object({
  ...event,
  type: z.literal("view_made"),
  call,
  view: z.string(),
  measurement: z.string().optional(),
  z_actual_mm: z_mm,
  exposure_ms: z.number(),
  log_scale: z.boolean(),
});

/** The caller echoed the code of a picture: it was seen. */
const imageConfirmed = z.object({ ...event, type: z.literal("image_confirmed"), call, view: z.string() });

/** The caller echoed a code that no picture of the run carries. */
const imageCodeUnknown = z.object({ ...event, type: z.literal("image_code_unknown"), call });

/** A command that a limit, zone or budget refused: an attempted violation. Nothing moved. */
const limitRefused = z.object({
  ...event,
  type: z.literal("limit_refused"),
  call,
  code: z.enum(["out_of_limits", "keep_out_zone", "budget_exhausted"]),
  /** What was asked for, as in "z_mm". */
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  message: z.string(),
});

const stopped = z.object({
  ...event,
  type: z.literal("stopped"),
  /** Absent when the STOP came from outside the tools (cancelled call, caller gone, take-over). */
  call: call.optional(),
  why: z.enum(["stop", "call_cancelled", "caller_left", "taken_over", "closing"]),
  stopped: z.array(z.string()),
  z_actual_mm: z_mm.optional(),
});

const instrumentFailed = z.object({
  ...event,
  type: z.literal("instrument_failed"),
  call: call.optional(),
  instrument: z.string(),
  code: z.string(),
  message: z.string(),
  during: z.string(),
});

/** A raw frame could not be written; the measurement stands. */
const frameNotKept = z.object({
  ...event,
  type: z.literal("frame_not_kept"),
  id: z.string(),
  index: z.number().int().nonnegative(),
  why: z.string(),
});

const finished = z.object({
  ...event,
  type: z.literal("finished"),
  call,
  /** What the caller concludes. */
  verdict: verdictSchema,
  m2_x: measuredValueSchema.optional(),
  m2_y: measuredValueSchema.optional(),
  fault: z
    .object({
      kind: faultKindSchema,
      z_min_mm: z_mm.optional(),
      z_max_mm: z_mm.optional(),
      evidence: z.array(z.string()).optional(),
      note: z.string().optional(),
    })
    .optional(),
  explanation: z.string(),
  /** What the bench's own fit says of the measurements in use. */
  x: axisResultSchema,
  y: axisResultSchema,
  measurements: z.number().int().nonnegative(),
  darks: z.number().int().nonnegative(),
  /** Whether pictures reached the caller: "could not see" is scored apart from "did not look". */
  images: z.enum(["not_looked", "image_confirmed", "image_not_confirmed"]),
  budget: budgetLeftSchema,
});

const runClosed = z.object({
  ...event,
  type: z.literal("run_closed"),
  why: z.enum(["finished", "abandoned", "expired"]),
});

/** One line of the journal. */
export const benchEventSchema = z.discriminatedUnion("type", [
  runOpened,
  toolCalled,
  toolReturned,
  callRejected,
  callCancelled,
  callerLeft,
  operatorActed,
  controlChanged,
  jobStarted,
  jobEnded,
  moveStarted,
  moveEnded,
  exposureSet,
  framesExposed,
  darkTaken,
  measurementTaken,
  measurementUseChanged,
  causticFitted,
  viewMade,
  imageConfirmed,
  imageCodeUnknown,
  limitRefused,
  stopped,
  instrumentFailed,
  frameNotKept,
  finished,
  runClosed,
]);
export type BenchEvent = z.infer<typeof benchEventSchema>;
export type BenchEventType = BenchEvent["type"];
export type BenchEventOf<Type extends BenchEventType> = Extract<BenchEvent, { type: Type }>;

/** Where a session puts its events. `append` returns once the event can no longer be lost with the process. */
export interface Journal {
  append(event: BenchEvent): void;
}
