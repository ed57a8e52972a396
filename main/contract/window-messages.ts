import { z } from "zod";
import { benchErrorSchema } from "./error-codes.ts";
import { benchEventSchema } from "./events.ts";
import { frameDetailSchema } from "./window-frame.ts";
import { overviewSchema, sourceSchema } from "./window-verbs.ts";

/*
 * The messages between page and host, the same over a MessagePort (desktop) and a WebSocket (browser). Text messages are the JSON
 * of one of these; a binary message is a frame (`window-frame.ts`). Both sides parse what arrives.
 *
 * A connection may break. The page then connects again with the same `window` and `page`, sends its unanswered calls once more under
 * their numbers and watches again from the event after the last it has. The host runs a call of one number once and keeps its answer
 * until the page has it, so that nothing is done twice and nothing is lost. Frames are the exception: the newest wins.
 */

/** Raised when a message changes its meaning; a page of another number is told to reload. */
export const WINDOW_PROTOCOL = 3;

const id = z.number().int().nonnegative();

export const pageMessageSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    protocol: z.number().int(),
    /** From the page's address; not needed where the port itself is private. */
    token: z.string().max(200).optional(),
    /** Made by the page and kept over reconnections: the same window is the same caller. */
    window: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
    /** Made anew whenever the page is loaded; calls are numbered within it. */
    page: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
  }),
  z.strictObject({
    type: z.literal("call"),
    id,
    verb: z.string().max(100),
    input: z.unknown(),
    /** How many events of the run that it acts on the page had when it called; absent where it watches none. */
    heard_events: z.number().int().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal("cancel"), id }),
  /** Asks for a sign of life. */
  z.strictObject({ type: z.literal("ping") }),
  /** The answer to a call arrived; the host may forget it. */
  z.strictObject({ type: z.literal("got"), id }),
  /** Events of a run from `from` on, and every further one as it is written. */
  z.strictObject({ type: z.literal("watch"), source: sourceSchema, from: z.number().int().nonnegative() }),
  z.strictObject({ type: z.literal("unwatch"), source: sourceSchema }),
  /** Live frames of that run, or of none. */
  z.strictObject({ type: z.literal("live"), run: z.string().max(200).optional() }),
  /** What the page can show of live frames from now on. */
  z.strictObject({ type: z.literal("frame_detail"), ...frameDetailSchema.shape }),
  /** A frame is on the screen: the next one may come. */
  z.strictObject({ type: z.literal("frame_shown"), number: z.number().int().nonnegative() }),
]);
export type PageMessage = z.infer<typeof pageMessageSchema>;

export const hostMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    protocol: z.number().int(),
    /** The host still knows this page: calls that were under way go on and their answers follow. */
    resumed: z.boolean(),
    overview: overviewSchema,
  }),
  /** The host will not talk to this page; it closes the port. */
  z.object({ type: z.literal("refused"), why: z.enum(["token", "protocol", "message"]), message: z.string() }),
  z.object({ type: z.literal("pong") }),
  z.object({ type: z.literal("result"), id, output: z.unknown() }),
  z.object({ type: z.literal("error"), id, error: benchErrorSchema }),
  z.object({ type: z.literal("progress"), id, fraction: z.number().min(0).max(1), message: z.string() }),
  /** In the order of their numbers, without gaps. `more`: further ones are on their way already. */
  z.object({
    type: z.literal("events"),
    source: sourceSchema,
    events: z.array(benchEventSchema),
    more: z.boolean(),
  }),
  /** A watch that cannot be had. */
  z.object({ type: z.literal("watch_failed"), source: sourceSchema, error: benchErrorSchema }),
  z.object({ type: z.literal("stage"), run: z.string(), z_mm: z.number(), target_mm: z.number() }),
  z.object({
    type: z.literal("work"),
    run: z.string(),
    tool: z.string(),
    fraction: z.number().min(0).max(1),
    message: z.string(),
  }),
  z.object({ type: z.literal("overview"), overview: overviewSchema }),
  /** An evaluation's folder changed; ask for it again. */
  z.object({ type: z.literal("evaluation_changed"), evaluation: z.string() }),
  z.object({ type: z.literal("records_changed") }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** One end of a connection. What arrives before `receive` is set is kept by the implementation. */
export interface WindowPort {
  send(message: string | Uint8Array<ArrayBuffer>): void;
  /**
   * Sends one message in two pieces that are read where they lie, as they leave. `left` is called once, when neither is needed any more.
   * A port that cannot has no such function; there the whole message is sent.
   */
  sendPieces?(head: Uint8Array, samples: Uint16Array, left: () => void): void;
  /** Called once, with what to do with messages and with the end of the connection. */
  receive(onMessage: (message: string | ArrayBuffer) => void, onClose: () => void): void;
  /** Bytes that have not left yet; 0 where that is not known. */
  readonly backlog_bytes: number;
  close(): void;
}
