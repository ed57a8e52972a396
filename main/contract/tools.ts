import { z } from "zod";
import { axisResultSchema } from "./axis-result.ts";
import { faultKindSchema, verdictSchema } from "./vocabulary.ts";
import { widthFieldsSchema } from "./width-fields.ts";

/*
 * The bench's verbs: one schema gives the wire format, the validation, the handler's types and the documentation.
 * Operator, script and agent use the same verbs. Units are in the names; no field is ever null or NaN, an absent
 * field means "not known" or "not limited".
 */

const reason = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .describe("Why you do this now, in one sentence. It is written into the log.");
const run = z.string().min(1).max(200).describe("The run handle that bench_open returned");
const z_mm = z.number().describe("Stage position along the beam in mm");
const exposure_ms = z.number().positive().describe("Exposure time in ms");
const frames = z.number().int().min(1).max(100).describe("How many frames are averaged");
const measurement = z.string().min(1).max(60).describe("A measurement id such as m003");
const image_code = z
  .string()
  .max(40)
  .optional()
  .describe("The short code drawn into the last picture you saw, if you saw one: it confirms that pictures reach you");

/** What is left of each budget of the run; a budget that is not limited is absent. */
export const budgetLeftSchema = z.object({
  calls: z.number().int().optional().describe("Tool calls; bench_open, stop, job_status and finish are free"),
  positions: z.number().int().optional().describe("Measurements, repetitions at one place included"),
  darks: z.number().int().optional().describe("Dark acquisitions"),
  exposure_s: z.number().optional().describe("Time for which the camera exposes, darks and live views included"),
  travel_mm: z.number().optional(),
  views: z.number().int().optional().describe("Pictures"),
});
export type BudgetLeft = z.infer<typeof budgetLeftSchema>;

const common = {
  run: z.string(),
  seq: z.number().int().nonnegative().describe("Number of the event in the run's log that recorded this result"),
  simulated: z.boolean().describe("True when no real instrument was involved"),
  budget: budgetLeftSchema,
};
/** Long work that goes on after the answer: ask job_status with this id. */
const job = z.string().optional().describe("Present while the work still runs; ask job_status for its result");
const status = z.enum(["done", "running"]);

export const rangeSchema = z.object({ min: z.number(), max: z.number() });

/** A stretch of the rail, ends included, that the stage may not stop in and, unless the zone says otherwise, not pass. */
export const keepOutZoneSchema = z.object({
  from_mm: z.number(),
  to_mm: z.number(),
  passing: z
    .enum(["forbidden", "allowed"])
    .optional()
    .describe("Whether the stage may pass through without stopping; forbidden when absent"),
  why: z.string().optional(),
});

export type KeepOutZone = z.infer<typeof keepOutZoneSchema>;

export const limitStateSchema = z.enum(["inside", "at_lower_limit", "at_upper_limit"]);

/** One measurement: a position, an exposure, frames, and what they gave. */
export const measurementSchema = z.object({
  measurement: z.string(),
  z_requested_mm: z.number(),
  z_actual_mm: z.number(),
  exposure_ms: z.number(),
  frames: z.number().int(),
  dark: z.string().optional().describe("The dark that was subtracted; absent when there was none at this exposure"),
  use: z.enum(["used", "rejected"]),
  ...widthFieldsSchema.shape,
});
export type Measurement = z.infer<typeof measurementSchema>;

export const darkSchema = z.object({
  dark: z.string(),
  exposure_ms: z.number(),
  frames: z.number().int(),
  mean_counts: z.number(),
  noise_counts: z.number().describe("Standard deviation of one pixel over the frames"),
  measurements_since: z.number().int().nonnegative().optional().describe("Measurements taken since this dark"),
});
export type Dark = z.infer<typeof darkSchema>;

export const benchOfferSchema = z.object({
  bench: z.string(),
  description: z.string(),
  simulated: z.boolean(),
  in_use: z.boolean(),
});

/** Everything a driver of the bench may know before the first photon. */
export const benchDescriptionSchema = z.object({
  bench: z.string(),
  wavelength_nm: z.number(),
  sensor_width_px: z.number().int(),
  sensor_height_px: z.number().int(),
  pixel_pitch_um: z.number(),
  bit_depth: z.number().int(),
  full_scale_counts: z.number().int(),
  stage_travel_mm: rangeSchema,
  stage_velocity_mm_s: z.number(),
  exposure_range_ms: rangeSchema,
  limits_mm: rangeSchema.describe("Soft limits that hold for everyone"),
  keep_out_zones: z.array(keepOutZoneSchema),
  default_frames: z.number().int(),
  rules: z.array(z.string()),
  operator_note: z.string().optional(),
});

export type BenchDescription = z.infer<typeof benchDescriptionSchema>;

export const controlSchema = z.object({
  holder: z.string().optional().describe("Who drives; absent when nobody does"),
  yours: z.boolean(),
});

/** A value with its standard uncertainty. */
export const measuredValueSchema = z.object({ value: z.number().positive(), u: z.number().nonnegative() });

const fitOutput = {
  ...common,
  x: axisResultSchema,
  y: axisResultSchema,
  used: z.array(z.string()).describe("Measurements in the fit"),
  left_out: z.array(z.object({ measurement: z.string(), why: z.string() })),
};

const ACT = { readOnlyHint: false, destructiveHint: false, openWorldHint: true } as const;
const LOOK = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** Every verb: what it takes, what it gives, and the MCP annotations that describe its effect. */
export const TOOLS = {
  bench_open: {
    title: "Open a bench",
    description:
      "Opens a bench by a name from bench_status and returns the run handle that every other tool takes, with the facts and rules of the bench. If a run is open there already, you join it.",
    input: z.strictObject({ bench: z.string().min(1).max(200), reason }),
    output: z.object({
      ...common,
      ...benchDescriptionSchema.shape,
      control: controlSchema,
      handle_lifetime_s: z.number(),
    }),
    annotations: { ...ACT, idempotentHint: false },
  },
  bench_status: {
    title: "Bench status",
    description:
      "Without a run: the benches on offer. With a run: requested and actual position, exposure, measurements and darks so far, limits, who holds control and what is running.",
    input: z.strictObject({ run: run.optional() }),
    output: z.object({
      benches: z.array(benchOfferSchema).optional(),
      run: z.string().optional(),
      seq: z.number().int().nonnegative().optional(),
      simulated: z.boolean().optional(),
      budget: budgetLeftSchema.optional(),
      bench: benchDescriptionSchema.optional(),
      control: controlSchema.optional(),
      state: z.enum(["open", "paused", "finished"]).optional(),
      z_requested_mm: z.number().optional(),
      z_actual_mm: z.number().optional(),
      exposure_ms: z.number().optional(),
      running: z.object({ what: z.string(), job: z.string().optional() }).optional(),
      measurements: z.array(measurementSchema).optional(),
      darks: z.array(darkSchema).optional(),
      elapsed_s: z.number().optional().describe("Bench time since the run was opened"),
    }),
    annotations: LOOK,
  },
  move_to: {
    title: "Move the stage",
    description: "Moves the camera to a position along the beam and waits until it stands still.",
    input: z.strictObject({ run, z_mm, reason, image_code }),
    output: z.object({
      ...common,
      status,
      job,
      z_requested_mm: z.number(),
      z_actual_mm: z.number().optional(),
      settle_s: z.number().optional().describe("From the command until the stage stood still"),
      limit_state: limitStateSchema.optional(),
    }),
    annotations: { ...ACT, idempotentHint: true },
  },
  stop: {
    title: "Stop",
    description: "Stops whatever moves or exposes, at once. Always answered, also while something runs, for everyone.",
    input: z.strictObject({ run, reason: reason.optional() }),
    output: z.object({
      ...common,
      stopped: z.array(z.string()).describe("What was running"),
      z_actual_mm: z.number().optional(),
    }),
    annotations: { ...ACT, idempotentHint: true },
  },
  set_exposure: {
    title: "Set the exposure",
    description: "Sets the camera's exposure time; the applied one is what the camera reports back.",
    input: z.strictObject({ run, exposure_ms, reason, image_code }),
    output: z.object({ ...common, exposure_requested_ms: z.number(), exposure_ms: z.number() }),
    annotations: { ...ACT, idempotentHint: true },
  },
  take_darks: {
    title: "Take dark frames",
    description:
      "Takes dark frames with the beam blocked at one exposure; later measurements at that exposure subtract their mean. Retake them when background_stale is flagged.",
    input: z.strictObject({ run, exposure_ms, frames: frames.optional(), reason, image_code }),
    output: z.object({ ...common, status, job, ...darkSchema.partial().shape }),
    annotations: { ...ACT, idempotentHint: false },
  },
  measure_at: {
    title: "Measure at a position",
    description:
      "Moves, exposes, and gives the second-moment widths (ISO 11146-1) with uncertainties, the grade of the frames and flags. Without exposure_ms the present exposure is used. A repeated call with the same idempotency_key returns the first answer and exposes nothing.",
    input: z.strictObject({
      run,
      z_mm,
      exposure_ms: exposure_ms.optional(),
      frames: frames.optional(),
      idempotency_key: z.string().min(1).max(200).optional(),
      reason,
      image_code,
    }),
    output: z.object({ ...common, status, job, ...measurementSchema.partial().shape }),
    annotations: { ...ACT, idempotentHint: false },
  },
  job_status: {
    title: "Status of a job",
    description: "State and, once done, the result of long work. Waits up to wait_s (at most 30 s) for it to end.",
    input: z.strictObject({ run, job: z.string().min(1).max(60), wait_s: z.number().min(0).max(30).optional() }),
    output: z.object({
      ...common,
      job: z.string(),
      tool: z.string(),
      status: z.enum(["running", "done", "failed"]),
      progress: z.number().min(0).max(1).optional(),
      result: z.record(z.string(), z.unknown()).optional().describe("What the tool would have returned"),
      error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).optional(),
    }),
    annotations: LOOK,
  },
  reject_measurement: {
    title: "Reject a measurement",
    description: "Leaves a measurement out of every fit. It stays in the log and can be restored.",
    input: z.strictObject({ run, measurement, reason, image_code }),
    output: z.object({ ...common, measurements: z.array(measurementSchema) }),
    annotations: { ...ACT, idempotentHint: true, openWorldHint: false },
  },
  restore_measurement: {
    title: "Restore a measurement",
    description: "Takes a rejected measurement back into the fits.",
    input: z.strictObject({ run, measurement, reason, image_code }),
    output: z.object({ ...common, measurements: z.array(measurementSchema) }),
    annotations: { ...ACT, idempotentHint: true, openWorldHint: false },
  },
  view_frame: {
    title: "Look at a frame",
    description:
      "A false-colour picture of a measurement's frame, or of a live one, with a scale bar, the numbers, and a short code drawn into it. Pass that code as image_code in your next call to confirm that the picture reached you.",
    input: z.strictObject({
      run,
      measurement: measurement.optional(),
      live: z.boolean().optional().describe("A new frame at the present position instead of a stored one"),
      crop: z
        .strictObject({
          x_px: z.number().int().min(0),
          y_px: z.number().int().min(0),
          width_px: z.number().int().min(8),
          height_px: z.number().int().min(8),
        })
        .optional(),
      log_scale: z.boolean().optional(),
      reason,
      image_code,
    }),
    output: z.object({
      ...common,
      view: z.string(),
      measurement: z.string().optional(),
      z_actual_mm: z.number(),
      exposure_ms: z.number(),
      colour_map: z.string(),
      minimum_counts: z.number(),
      maximum_counts: z.number(),
      scale_um_per_picture_px: z.number(),
      frame_uri: z.string().describe("Resource with the raw 16-bit frame"),
    }),
    annotations: { ...LOOK, idempotentHint: false },
  },
  estimate_scan: {
    title: "Estimate a scan",
    description:
      "Time, travel, expected widths and peak counts of a list of positions from the present fit. Nothing moves. Plan with it before an expensive scan.",
    input: z.strictObject({ run, positions_mm: z.array(z.number()).min(1).max(200), frames: frames.optional() }),
    output: z.object({
      ...common,
      time_s: z.number(),
      travel_mm: z.number(),
      positions: z.array(
        z.object({
          z_mm: z.number(),
          allowed: z.boolean(),
          why_not: z.string().optional(),
          d4sigma_x_um: z.number().optional(),
          d4sigma_y_um: z.number().optional(),
          peak_counts: z.number().optional().describe("At the present exposure"),
          suggested_exposure_ms: z.number().optional(),
          zone_x: z.enum(["near", "far", "between"]).optional(),
          zone_y: z.enum(["near", "far", "between"]).optional(),
        }),
      ),
    }),
    annotations: LOOK,
  },
  fit_caustic: {
    title: "Fit the caustic",
    description:
      "Fits d²(z) per principal axis to the measurements in use: M², waist, divergence, Rayleigh length with uncertainties, ISO coverage and what is missing; or not determined, with the reason.",
    input: z.strictObject({
      run,
      exclude: z.array(measurement).max(500).optional().describe("Left out of this fit only"),
      reason: reason.optional(),
      image_code,
    }),
    output: z.object(fitOutput),
    annotations: LOOK,
  },
  suggest_positions: {
    title: "Suggest positions",
    description: "Positions inside the limits that would complete the ISO coverage of both axes, from the present fit.",
    input: z.strictObject({ run, count: z.number().int().min(1).max(50) }),
    output: z.object({
      ...common,
      positions: z.array(
        z.object({ z_mm: z.number(), serves: z.string(), suggested_exposure_ms: z.number().optional() }),
      ),
      still_missing: z.array(z.string()).describe("What no position inside the limits can supply"),
    }),
    annotations: LOOK,
  },
  finish: {
    title: "Finish the run",
    description:
      "Ends the run with a verdict and, where M² is determined, its values. iso_compliant is refused while an axis lacks ISO coverage; the answer then says what is missing and the run goes on.",
    input: z.strictObject({
      run,
      verdict: verdictSchema,
      m2_x: measuredValueSchema.optional(),
      m2_y: measuredValueSchema.optional(),
      fault: z
        .strictObject({
          kind: faultKindSchema,
          z_min_mm: z.number().optional(),
          z_max_mm: z.number().optional(),
          evidence: z.array(z.string().max(60)).max(100).optional().describe("Measurement ids"),
          note: z.string().max(2000).optional(),
        })
        .optional(),
      explanation: z.string().trim().min(1).max(8000),
      image_code,
    }),
    output: z.object({
      ...common,
      accepted: z.literal(true),
      verdict: verdictSchema,
      x: axisResultSchema,
      y: axisResultSchema,
    }),
    annotations: { ...ACT, destructiveHint: true, idempotentHint: false },
  },
} as const;

export type ToolName = keyof typeof TOOLS;
export type ToolInput<Name extends ToolName> = z.infer<(typeof TOOLS)[Name]["input"]>;
export type ToolOutput<Name extends ToolName> = z.infer<(typeof TOOLS)[Name]["output"]>;
export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[];
