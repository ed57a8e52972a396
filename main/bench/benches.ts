import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { BenchVerbs, CallContext } from "../contract/bench-verbs.ts";
import { BenchError } from "../contract/error-codes.ts";
import { instrumentFailed } from "./instrument-failed.ts";
import { TOOLS, TOOL_NAMES, type ToolInput, type ToolName, type ToolOutput } from "../contract/tools.ts";
import type { BenchSession } from "./bench-session.ts";

/** Whether an instrument answered, and what it said of itself or what went wrong. */
export interface InstrumentTest {
  readonly role: string;
  readonly ok: boolean;
  readonly simulated?: boolean;
  readonly message: string;
}

/** A bench on offer: how to open a run on it. */
export interface BenchOffer {
  /** Unique among the offers; the session that `open` gives must carry the same name. */
  readonly bench: string;
  readonly description: string;
  readonly simulated: boolean;
  /** Opens a run. Throws what the instruments throw, which callers get as `instrument_failed`, or `not_offered` when no further run may be had. */
  open(): Promise<BenchSession>;
  /** Connects to every instrument and says what answered; nothing moves. Absent where there is nothing to connect to. */
  test?(): Promise<readonly InstrumentTest[]>;
  /** Stops the stage, also while a run is being opened. Absent where nothing moves then. */
  stop?(): Promise<void>;
  /** Lets go of the instruments, once no further run will be opened. */
  close?(): Promise<void>;
}

/** Several benches behind one set of verbs: `bench_open` opens or joins a run, every other verb goes to the run of its handle. */
export interface Benches {
  readonly verbs: BenchVerbs;
  /** The open run of that handle. Throws `unknown_run`. */
  session(run: string): BenchSession;
  /** The open run on that bench, if there is one. */
  sessionOn(bench: string): BenchSession | undefined;
  close(why: "finished" | "abandoned" | "expired"): Promise<void>;
}

const isOver = ({ state, expired }: BenchSession): boolean => state === "finished" || state === "closed" || expired;

export function createBenches(offers: readonly BenchOffer[]): Benches {
  /** The run on each bench, also one that is being opened, so that two callers at once get the same. */
  const runs = new Map<string, Promise<BenchSession>>();
  const opened = new Map<string, BenchSession>();

  const sessionOn = (bench: string): BenchSession | undefined => {
    const session = opened.get(bench);
    return session === undefined || session.state === "closed" || session.expired ? undefined : session;
  };

  const session = (run: string): BenchSession => {
    for (const candidate of opened.values()) {
      if (candidate.handle === run && sessionOn(candidate.bench) === candidate) return candidate;
    }
    throw new BenchError(
      "unknown_run",
      "That run handle names no open run",
      "Use the handle that bench_open returned, or open the bench again.",
    );
  };

  /** Ends what is over on that bench and opens the next run. */
  const openNext = async (offer: BenchOffer, before: BenchSession | undefined): Promise<BenchSession> => {
    if (before !== undefined) await before.close(before.state === "finished" ? "finished" : "expired");
    try {
      const next = await offer.open();
      opened.set(offer.bench, next);
      return next;
    } catch (error) {
      throw error instanceof InstrumentError ? instrumentFailed(error) : error;
    }
  };

  const join = (offer: BenchOffer): Promise<BenchSession> => {
    const before = opened.get(offer.bench);
    const present = runs.get(offer.bench);
    if (present !== undefined && (before === undefined || !isOver(before))) return present;
    const next = openNext(offer, before);
    runs.set(offer.bench, next);
    // A bench that could not be opened may be tried again.
    next.catch(() => runs.delete(offer.bench));
    return next;
  };

  const bench_open = async (
    input: ToolInput<"bench_open">,
    context: CallContext,
  ): Promise<ToolOutput<"bench_open">> => {
    const parsed = TOOLS.bench_open.input.safeParse(input);
    const offer = parsed.success ? offers.find(({ bench }) => bench === parsed.data.bench) : undefined;
    if (offer === undefined) {
      const names = offers.map(({ bench }) => bench).join(", ");
      throw parsed.success
        ? new BenchError(
            "unknown_bench",
            `There is no bench ${JSON.stringify(parsed.data.bench)}`,
            `On offer: ${names}.`,
          )
        : new BenchError("bad_argument", `bench_open: ${parsed.error.message}`, "Give bench and reason.");
    }
    const joined = await join(offer);
    return joined.verbs.bench_open(input, context);
  };

  const bench_status = async (
    input: ToolInput<"bench_status">,
    context: CallContext,
  ): Promise<ToolOutput<"bench_status">> => {
    if (input.run !== undefined) return session(input.run).verbs.bench_status(input, context);
    return {
      benches: offers.map(({ bench, description, simulated }) => {
        const run = sessionOn(bench);
        return { bench, description, simulated, in_use: run !== undefined && !isOver(run) };
      }),
    };
  };

  const forward = (tool: ToolName) => async (input: { readonly run?: string }, context: CallContext) => {
    const verb = session(input.run ?? "").verbs[tool] as (input: unknown, context: CallContext) => Promise<unknown>;
    return verb(input, context);
  };

  return {
    verbs: {
      ...Object.fromEntries(TOOL_NAMES.map((tool) => [tool, forward(tool)])),
      bench_open,
      bench_status,
    } as unknown as BenchVerbs,
    session,
    sessionOn,
    async close(why) {
      // Instruments are let go even where a run could not stop its stage.
      const closed = await Promise.allSettled([...opened.values()].map((run) => run.close(why)));
      for (const offer of offers) await offer.close?.();
      for (const outcome of closed) if (outcome.status === "rejected") throw outcome.reason;
    },
  };
}
