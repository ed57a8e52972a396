import { z } from "zod";
import { axisResultSchema } from "./axis-result.ts";
import { evaluationRowSchema } from "./evaluation-row.ts";
import { TOOLS, benchOfferSchema, keepOutZoneSchema, type ToolInput, type ToolName, type ToolOutput } from "./tools.ts";
import { verdictSchema } from "./vocabulary.ts";
import { evaluationStateSchema, evaluationListingSchema } from "./window-evaluation.ts";
import { suiteResultsSchema } from "./suite-results.ts";
import { suiteListingSchema } from "./window-suites.ts";

/*
 * What the window may ask beside the bench's own verbs. The bench's verbs are the same as everybody's (`TOOLS`); these are the
 * operator's privileges, the shelves (records, evaluations, bench files) and what is computed for drawing.
 */

/** `live:<run handle>` for a run that is open, `record:<id>` for one that is kept. */
export const sourceSchema = z.string().regex(/^(live|record):.{1,200}$/, "live:<run> or record:<id>");

const run = z.string().min(1).max(200);
const record = z.string().min(1).max(200);
const nothing = z.strictObject({});
const done = z.object({});
/** Which frame of a measurement or dark, from 0. */
const frameIndex = z.number().int().nonnegative();

/** Under which name a run is kept, and when it began: wall clock, ISO 8601. */
export const keptAsSchema = z.object({ record, started: z.string().optional() });
export type KeptAs = z.infer<typeof keptAsSchema>;

/** A run that is open now. */
export const openRunSchema = z.object({
  run: z.string(),
  bench: z.string(),
  simulated: z.boolean(),
  state: z.enum(["open", "paused", "finished", "closed"]),
  holder: z.string().optional(),
  kept: keptAsSchema.optional(),
});

/** A kept run in a list. */
export const recordSummarySchema = z.object({
  record: z.string(),
  bench: z.string(),
  /** Absent where the record does not say any more. */
  simulated: z.boolean().optional(),
  /** Wall clock, ISO 8601. */
  started: z.string().optional(),
  state: z.enum(["open", "finished", "abandoned", "expired", "interrupted", "damaged"]),
  /** Those who acted in it. */
  drivers: z.array(z.string()),
  events: z.number().int().nonnegative(),
  measurements: z.number().int().nonnegative(),
  verdict: verdictSchema.optional(),
  m2_x: z.number().optional(),
  u_m2_x: z.number().optional(),
  m2_y: z.number().optional(),
  u_m2_y: z.number().optional(),
  /** The evaluation it belongs to, if any. */
  plan: z.string().optional(),
  case: z.string().optional(),
  attempted_violations: z.number().int().nonnegative(),
  note: z.string().optional(),
  /** Why the record cannot be trusted. */
  problem: z.string().optional(),
});
export type RecordSummary = z.infer<typeof recordSummarySchema>;

/** A script or agent that the window can start on a bench. */
export const contenderOfferSchema = z.object({
  contender: z.string(),
  description: z.string(),
  kind: z.enum(["script", "agent"]),
  /** Why it cannot be started here; absent when it can. */
  unavailable: z.string().optional(),
});
export type ContenderOffer = z.infer<typeof contenderOfferSchema>;

/** A contender that was started from a window. */
export const driveSchema = z.object({
  drive: z.string(),
  contender: z.string(),
  bench: z.string(),
  state: z.enum(["running", "ended", "failed", "stopped"]),
  note: z.string().optional(),
  message: z.string().optional(),
  /** What a model used up so far; its cost is absent where no price is known. */
  model_calls: z.number().int().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  usd: z.number().nonnegative().optional(),
});
export type Drive = z.infer<typeof driveSchema>;

export const scenarioOfferSchema = z.object({ scenario: z.string(), description: z.string() });
export type ScenarioOffer = z.infer<typeof scenarioOfferSchema>;

export const SENSOR_SIZES = ["640x480", "1280x1024", "2448x2048"] as const;

/** A file that describes a bench, with what the window edits field by field; or with what is wrong with it. */
export const benchFileListingSchema = z.object({
  file: z.string(),
  text: z.string(),
  settings: z
    .object({
      bench: z.string(),
      wavelength_nm: z.number(),
      limits: z.object({
        z_min_mm: z.number().optional(),
        z_max_mm: z.number().optional(),
        exposure_min_ms: z.number().optional(),
        exposure_max_ms: z.number().optional(),
      }),
      keep_out_zones: z.array(keepOutZoneSchema),
      /** Of a stage behind a controller: bench = zero_mm + direction · scale · controller. */
      calibration: z
        .object({ scale: z.number().optional(), direction: z.number().optional(), zero_mm: z.number().optional() })
        .optional(),
    })
    .optional(),
  problem: z.string().optional(),
});
export type BenchFileListing = z.infer<typeof benchFileListingSchema>;

/** What the host has at this moment; sent on connecting and whenever it changes. */
export const overviewSchema = z.object({
  version: z.string(),
  desktop: z.boolean().describe("True inside the desktop window, false in a browser"),
  /** `about`: what a simulated bench is made of, for the operator alone; drivers see only its name. */
  benches: z.array(benchOfferSchema.extend({ about: z.string().optional() })),
  open_runs: z.array(openRunSchema),
  scenarios: z.array(scenarioOfferSchema),
  contenders: z.array(contenderOfferSchema),
  drives: z.array(driveSchema),
  bench_files: z.array(benchFileListingSchema),
  /** Where an agent connects, with the token left out. */
  mcp_address: z.string().optional(),
});
export type Overview = z.infer<typeof overviewSchema>;

/** One axis of a caustic as it is drawn. */
export const causticAxisSchema = z.object({
  result: axisResultSchema,
  /** The fitted curve with the standard uncertainty of the fit alone; absent without a fit. */
  curve: z.object({ z_mm: z.array(z.number()), d_um: z.array(z.number()), u_um: z.array(z.number()) }).optional(),
  /** Those in the fit, with the axes followed along z; empty without a fit. */
  points: z.array(
    z.object({
      measurement: z.string(),
      z_mm: z.number(),
      d_um: z.number(),
      residual_um: z.number(),
      normalized: z.number().optional().describe("Over the standard uncertainty that the fit used"),
    }),
  ),
});
export const causticDrawingSchema = z.object({
  x: causticAxisSchema,
  y: causticAxisSchema,
  used: z.array(z.string()),
  left_out: z.array(z.object({ measurement: z.string(), why: z.string() })),
});
export type CausticDrawing = z.infer<typeof causticDrawingSchema>;

/** Every window-only verb: what it takes and what it gives. Refusals have the shape of `benchErrorSchema`. */
export const WINDOW_VERBS = {
  overview: { input: nothing, output: overviewSchema },

  take_over: { input: z.strictObject({ run }), output: done },
  give_back: { input: z.strictObject({ run }), output: done },
  /** Whether the window that asks drives: the log names callers by number, and no window knows its own. */
  drives: { input: z.strictObject({ run }), output: z.object({ yours: z.boolean() }) },
  pause: { input: z.strictObject({ run }), output: done },
  resume: { input: z.strictObject({ run }), output: done },
  note: { input: z.strictObject({ run, text: z.string().trim().min(1).max(2000) }), output: done },
  home: { input: z.strictObject({ run }), output: done },
  set_beam_blocked: { input: z.strictObject({ run, blocked: z.boolean() }), output: done },
  close_run: { input: z.strictObject({ run }), output: done },
  /** Looks at live frames and sets the exposure until the peak lies between 40 and 80 % of full scale. */
  auto_exposure: {
    input: z.strictObject({ run, reason: z.string().min(1).max(2000) }),
    output: z.object({
      exposure_ms: z.number(),
      peak_counts: z.number(),
      /** The peak as a share of full scale. */
      peak_share: z.number(),
      steps: z.number().int().nonnegative(),
      reached: z.boolean(),
    }),
  },

  /** The fit and its curve from the measurements of a run as they were at event `seq` (default: now). */
  caustic: {
    input: z.strictObject({ source: sourceSchema, seq: z.number().int().nonnegative().optional() }),
    output: causticDrawingSchema,
  },
  /**
   * A raw frame of a measurement, dark or view; the answer is the number of the binary frame sent before it. The last one unless a record
   * is asked for another.
   */
  frame: {
    input: z.strictObject({ source: sourceSchema, id: z.string().min(1).max(60), index: frameIndex.optional() }),
    output: z.object({ number: z.number().int() }),
  },
  /** The picture that a caller was shown. */
  picture: {
    input: z.strictObject({ source: sourceSchema, view: z.string().min(1).max(60) }),
    output: z.object({ png_base64: z.string() }),
  },
  /** 16-bit TIFF of a raw frame. */
  frame_tiff: {
    input: z.strictObject({ source: sourceSchema, id: z.string().min(1).max(60), index: frameIndex.optional() }),
    output: z.object({ tiff_base64: z.string() }),
  },

  list_records: { input: nothing, output: z.object({ records: z.array(recordSummarySchema) }) },
  /** Puts a run of any folder of this machine into the list until the host ends. Nothing is copied or written. */
  open_record: {
    input: z.strictObject({ folder: z.string().trim().min(1).max(4000) }),
    output: z.object({ record }),
  },
  /** Holds a kept run against what was expected of it, by today's grader; beside it the grade of its own day, where it has one. */
  grade_record: {
    input: z.strictObject({ record }),
    output: z.object({
      then: evaluationRowSchema.optional(),
      now: evaluationRowSchema,
      changed: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
    }),
  },
  /** Checks the log of a kept run line by line. */
  verify_record: {
    input: z.strictObject({ record }),
    output: z.object({ sound: z.boolean(), events: z.number().int(), message: z.string() }),
  },

  /** A4 pages of a self-contained HTML document without scripts. Refused as `not_offered` where nothing on this machine can print. */
  print_pdf: {
    input: z.strictObject({ html: z.string().min(1).max(4_000_000) }),
    output: z.object({ pdf_base64: z.string() }),
  },

  start_contender: {
    input: z.strictObject({
      bench: z.string().min(1).max(200),
      contender: z.string().min(1).max(100),
      note: z.string().max(2000).optional(),
    }),
    output: driveSchema,
  },
  stop_contender: { input: z.strictObject({ drive: z.string().min(1).max(100) }), output: driveSchema },

  /** Puts a simulated bench on offer and returns its name. */
  offer_simulator: {
    input: z.strictObject({
      scenario: z.string().min(1).max(100),
      seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      sensor: z.enum(SENSOR_SIZES).optional(),
      /** Paced like a real bench instead of as fast as the processor allows. */
      real_time: z.boolean().optional(),
      z_min_mm: z.number().optional(),
      z_max_mm: z.number().optional(),
    }),
    output: z.object({ bench: z.string() }),
  },
  /** Reads a bench file and puts its bench on offer. */
  offer_bench_file: {
    input: z.strictObject({ file: z.string().min(1).max(200) }),
    output: z.object({ bench: z.string() }),
  },
  /** Keeps a bench file; refused with the line that is wrong when it does not fit the schema. */
  save_bench_file: {
    input: z.strictObject({
      file: z
        .string()
        .regex(
          /^[A-Za-z0-9][A-Za-z0-9 _-]{0,80}\.ya?ml$/,
          "expected letters, figures, spaces, _ or - before an ending .yaml",
        ),
      text: z.string().max(100_000),
    }),
    output: done,
  },
  /** Changes fields of a bench file and keeps its comments; refused with line and field when the result is no bench. */
  edit_bench_file: {
    input: z.strictObject({
      file: z.string().min(1).max(200),
      /** `path` as in ["limits", "z_min_mm"]; without a value the field is taken away. */
      edits: z
        .array(
          z.strictObject({
            path: z
              .array(z.union([z.string().min(1).max(60), z.number().int().nonnegative()]))
              .min(1)
              .max(6),
            value: z.unknown().optional(),
          }),
        )
        .min(1)
        .max(100),
    }),
    output: z.object({ text: z.string() }),
  },
  /** Connects to the instruments of a bench and says what answered. Nothing moves. */
  test_bench: {
    input: z.strictObject({ bench: z.string().min(1).max(200) }),
    output: z.object({
      instruments: z.array(
        z.object({ role: z.string(), ok: z.boolean(), simulated: z.boolean().optional(), message: z.string() }),
      ),
    }),
  },

  list_evaluations: { input: nothing, output: z.object({ evaluations: z.array(evaluationListingSchema) }) },
  evaluation: { input: z.strictObject({ evaluation: z.string().min(1).max(200) }), output: evaluationStateSchema },
  list_suites: { input: nothing, output: z.object({ suites: z.array(suiteListingSchema) }) },
  suite_results: { input: z.strictObject({ suite_run: z.string().min(1).max(400) }), output: suiteResultsSchema },
} as const;

export type WindowVerbName = keyof typeof WINDOW_VERBS;

/** Everything a window may call: the bench's verbs, as the operator, and its own. */
export const PAGE_VERBS = { ...TOOLS, ...WINDOW_VERBS } as const;
export type PageVerb = ToolName | WindowVerbName;
export type PageInput<Verb extends PageVerb> = Verb extends ToolName
  ? ToolInput<Verb>
  : Verb extends WindowVerbName
    ? z.infer<(typeof WINDOW_VERBS)[Verb]["input"]>
    : never;
export type PageOutput<Verb extends PageVerb> = Verb extends ToolName
  ? ToolOutput<Verb>
  : Verb extends WindowVerbName
    ? z.infer<(typeof WINDOW_VERBS)[Verb]["output"]>
    : never;
