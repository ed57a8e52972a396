import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { CallContext, Caller } from "../../contract/bench-verbs.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { BenchEvent } from "../../contract/events.ts";
import { TOOL_NAMES, type ToolName } from "../../contract/tools.ts";
import {
  type Overview,
  PAGE_VERBS,
  type PageInput,
  type PageOutput,
  type PageVerb,
  type WindowVerbName,
} from "../../contract/window-verbs.ts";
import type { FrameTasks } from "../live-chain/frame-tasks.ts";
import { setExposureByItself } from "./auto-exposure.ts";
import { causticDrawing } from "./caustic-drawing.ts";
import { type PdfPrinter, printable } from "./pdf-printer.ts";
import type { FrameReading } from "./read-frame.ts";
import type { WindowShelves } from "./shelves.ts";

/** A frame to be sent before the answer of the call that asked for it. */
export interface StoredFrame {
  readonly source: string;
  readonly frame: Frame;
  readonly pixelPitch_um: number;
  /** Which of the frames of a kept measurement or dark it is, from 0, and how many that has. */
  readonly index?: number;
  readonly count?: number;
  readonly reading: FrameReading;
}

export interface VerbContext extends CallContext {
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  /** Sends a frame and returns its number. */
  readonly sendFrame: (frame: StoredFrame) => number;
}

/** What the host computes with. */
export interface HostTools {
  readonly tasks: FrameTasks;
  /** Absent where nothing on this machine prints. */
  readonly printPdf?: PdfPrinter;
}

/** A kept frame waits this long for its numbers; then it is shown without them. */
const READING_WITHIN_MS = 5000;

/** The value, or `otherwise` where it does not come in time. */
function soon<Value>(value: Value | Promise<Value>, within_ms: number, otherwise: Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(otherwise);
    }, within_ms);
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
      });
  });
}

type Handlers = {
  readonly [Verb in WindowVerbName]: (
    input: PageInput<Verb>,
    context: VerbContext,
  ) => PageOutput<Verb> | Promise<PageOutput<Verb>>;
};

/** Runs any verb that a window may call. Throws `BenchError`, or ZodError when the arguments do not fit. */
export function createVerbRunner(
  shelves: WindowShelves,
  overview: () => Overview,
  tools: HostTools,
): (verb: string, input: unknown, context: VerbContext) => Promise<unknown> {
  const handlers = createHandlers(shelves, overview, tools);
  return async (verb, input, context) => {
    if (!Object.hasOwn(PAGE_VERBS, verb)) {
      throw new BenchError(
        "bad_argument",
        `there is no verb ${verb}`,
        "Reload the page: it may be older than the host.",
      );
    }
    const parsed: unknown = PAGE_VERBS[verb as PageVerb].input.parse(input);
    const run = (TOOL_NAMES as readonly string[]).includes(verb)
      ? (shelves.benches.verbs[verb as ToolName] as (input: unknown, context: CallContext) => Promise<unknown>)
      : (handlers[verb as WindowVerbName] as (input: unknown, context: VerbContext) => unknown);
    return run(parsed, context);
  };
}

function createHandlers(
  { benches, records, contenders, evaluations, suites }: WindowShelves,
  overview: () => Overview,
  { tasks, printPdf }: HostTools,
): Handlers {
  const split = (source: string): { kind: "live" | "record"; id: string } => {
    const colon = source.indexOf(":");
    return { kind: source.slice(0, colon) === "live" ? "live" : "record", id: source.slice(colon + 1) };
  };
  const eventsOf = async (source: string): Promise<readonly BenchEvent[]> => {
    const { kind, id } = split(source);
    return kind === "live" ? benches.session(id).events() : records.events(id);
  };
  const frameOf = async (
    { source, id, index }: PageInput<"frame">,
    cancellation: Cancellation,
  ): Promise<Omit<StoredFrame, "source" | "reading">> => {
    const { kind, id: run } = split(source);
    if (kind === "record") return records.frame(run, id, index, cancellation);
    const session = benches.session(run);
    if (index === undefined) return { frame: session.frame(id), pixelPitch_um: session.description.pixel_pitch_um };
    throw new BenchError(
      "not_offered",
      "an open run has the last frame of a measurement alone",
      "Ask without an index.",
    );
  };
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

  return {
    overview: () => overview(),
    async take_over({ run }, { caller }) {
      await benches.session(run).takeOver(caller);
      return {};
    },
    give_back({ run }, { caller }) {
      benches.session(run).giveBack(caller);
      return {};
    },
    drives({ run }, { caller }) {
      return { yours: benches.session(run).isHolder(caller.id) };
    },
    pause({ run }, { caller }) {
      benches.session(run).pause(caller);
      return {};
    },
    resume({ run }, { caller }) {
      benches.session(run).resume(caller);
      return {};
    },
    note({ run, text }, { caller }) {
      benches.session(run).note(caller, text);
      return {};
    },
    async home({ run }, { caller, heardEvents }) {
      await benches.session(run).home(caller, heardEvents);
      return {};
    },
    set_beam_blocked({ run, blocked }, { caller }) {
      benches.session(run).setBeamBlocked(caller, blocked);
      return {};
    },
    async close_run({ run }) {
      const session = benches.session(run);
      await session.close(session.snapshot().state === "finished" ? "finished" : "abandoned");
      return {};
    },
    auto_exposure: ({ run, reason }, context) => setExposureByItself(benches.session(run), reason, context, tasks),
    async caustic({ source, seq }) {
      return causticDrawing(await eventsOf(source), seq);
    },
    async frame({ source, id, index }, { sendFrame, cancellation }) {
      const found = await frameOf({ source, id, index }, cancellation);
      const { frame, pixelPitch_um } = found;
      const reading = id.startsWith("d")
        ? {}
        : await soon<FrameReading>(tasks.read(frame, pixelPitch_um, cancellation), READING_WITHIN_MS, {});
      return { number: sendFrame({ source, ...found, reading }) };
    },
    async picture({ source, view }) {
      const { kind, id } = split(source);
      const png = kind === "live" ? benches.session(id).picture(view) : await records.picture(id, view);
      if (png === undefined)
        throw new BenchError("unknown_id", `the record kept no picture ${view}`, "Its numbers are in the log.");
      return { png_base64: base64(png) };
    },
    async frame_tiff({ source, id, index }, { cancellation }) {
      const { frame, pixelPitch_um } = await frameOf({ source, id, index }, cancellation);
      const provenance = { program: "caustic", simulated: frame.simulated, exposure_ms: frame.exposure_ms };
      return { tiff_base64: base64(await tasks.tiff(frame, pixelPitch_um, provenance, cancellation)) };
    },
    async list_records() {
      return { records: [...(await records.list())] };
    },
    open_record: ({ folder }) => ({ record: records.open(folder) }),
    grade_record: ({ record }) => records.grade(record),
    verify_record: ({ record }) => records.verify(record),
    async print_pdf({ html }, { cancellation }) {
      if (printPdf === undefined) {
        throw new BenchError(
          "not_offered",
          "no Chromium, Chrome or Edge was found that could print the report",
          "Save the report as HTML and print that, or name a browser in CAUSTIC_BROWSER.",
        );
      }
      return { pdf_base64: base64(await printPdf(printable(html), cancellation)) };
    },
    start_contender: (input) => contenders.start(input),
    stop_contender: ({ drive }) => contenders.stop(drive),
    offer_simulator: (input) => ({ bench: benches.offerSimulator(input) }),
    offer_bench_file: ({ file }) => ({ bench: benches.offerBenchFile(file) }),
    save_bench_file({ file, text }) {
      benches.saveBenchFile(file, text);
      return {};
    },
    edit_bench_file: ({ file, edits }) => ({ text: benches.editBenchFile(file, edits) }),
    test_bench: ({ bench }) => benches.testBench(bench),
    async list_evaluations() {
      return { evaluations: [...(await evaluations.list())] };
    },
    evaluation: ({ evaluation }) => evaluations.read(evaluation),
    list_suites: () => ({ suites: [...suites.list()] }),
    suite_results: ({ suite_run }) => suites.read(suite_run),
  };
}
