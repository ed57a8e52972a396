import { decodeFrame, type FrameDetail, type WindowFrame } from "../../main/contract/window-frame.ts";
import {
  type HostMessage,
  hostMessageSchema,
  type PageMessage,
  WINDOW_PROTOCOL,
  type WindowPort,
} from "../../main/contract/window-messages.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import {
  type Overview,
  PAGE_VERBS,
  type PageInput,
  type PageOutput,
  type PageVerb,
} from "../../main/contract/window-verbs.ts";
import { PageError } from "./page-error.ts";

export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** It will be tried again. */
  | { readonly kind: "lost"; readonly attempt: number }
  /** The host will not talk to this page; trying again is of no use. */
  | { readonly kind: "refused"; readonly message: string };

/** What the host says without being asked. */
export interface ConnectionListener {
  readonly onState: (state: ConnectionState) => void;
  readonly onOverview: (overview: Overview) => void;
  readonly onFrame: (frame: WindowFrame) => void;
  readonly onStage: (signal: Extract<HostMessage, { type: "stage" }>) => void;
  readonly onWork: (signal: Extract<HostMessage, { type: "work" }>) => void;
  readonly onRecordsChanged: () => void;
  readonly onEvaluationChanged: (evaluation: string) => void;
}

export interface ConnectionOptions {
  readonly open: () => Promise<WindowPort>;
  readonly token?: string;
  /** Names the window over reloads, and this load of the page. */
  readonly window: string;
  readonly page: string;
  readonly listener: ConnectionListener;
  /** Silence after which the host counts as lost although the line stands. Default 5000. */
  readonly silence_ms?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number, message: string) => void;
}

interface PendingCall {
  readonly message: Extract<PageMessage, { type: "call" }>;
  /** It left over some connection, so the host may have it. */
  sent: boolean;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: PageError) => void;
  readonly onProgress: ((fraction: number, message: string) => void) | undefined;
}

interface Watch {
  next: number;
  readonly onEvents: (events: readonly BenchEvent[], more: boolean) => void;
  readonly onFailure: (error: PageError) => void;
}

const SILENCE_MS = 5000;
const BEAT_MS = 1000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

/**
 * The page's side of the conversation with the host, over any port. It connects again by itself; calls under way are carried
 * over, watches go on after the last event that arrived.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #pending = new Map<number, PendingCall>();
  readonly #watches = new Map<string, Watch>();
  readonly #frameCalls = new Map<number, (frame: WindowFrame) => void>();
  #port: WindowPort | undefined;
  #welcomed = false;
  #nextId = 0;
  #attempt = 0;
  #live: string | undefined;
  #detail: FrameDetail = { reduction: 1 };
  #closed = false;
  #refused: PageError | undefined;
  /** When the last message came, and when a sign of life was last asked for. */
  #heard_ms = 0;
  #asked_ms = 0;
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.listener.onState({ kind: "connecting" });
    const silence_ms = this.#options.silence_ms ?? SILENCE_MS;
    this.#beat = setInterval(
      () => {
        this.#lookForLife(silence_ms);
      },
      Math.min(BEAT_MS, silence_ms / 4),
    );
    void this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#beat);
    this.#port?.close();
  }

  /** Calls a verb. Rejects with `PageError`. */
  call<Verb extends PageVerb>(
    verb: Verb,
    input: PageInput<Verb>,
    options: CallOptions = {},
  ): Promise<PageOutput<Verb>> {
    return this.#call(verb, input, options);
  }

  /** A raw frame of a measurement, dark or view: the last one, or of a record any, counted from 0. Rejects with `PageError`. */
  async frame(source: string, id: string, index?: number, options: CallOptions = {}): Promise<WindowFrame> {
    const number = this.#nextId;
    let frame: WindowFrame | undefined;
    this.#frameCalls.set(number, (arrived) => {
      frame = arrived;
    });
    try {
      await this.#call("frame", { source, id, ...(index === undefined ? {} : { index }) }, options);
    } finally {
      this.#frameCalls.delete(number);
    }
    if (frame !== undefined) return frame;
    throw new PageError("connection_lost", "the frame was lost with the connection", "Choose it again.");
  }

  /** Calls back with the events of a run from `from` on, in order and without gaps. Returns what ends it. */
  watch(source: string, from: number, onEvents: Watch["onEvents"], onFailure: Watch["onFailure"]): () => void {
    this.#watches.set(source, { next: from, onEvents, onFailure });
    this.#post({ type: "watch", source, from });
    return () => {
      if (this.#watches.delete(source)) this.#post({ type: "unwatch", source });
    };
  }

  /** Asks for the live frames of a run, or of none. */
  setLive(run: string | undefined): void {
    this.#live = run;
    this.#post({ type: "live", ...(run === undefined ? {} : { run }) });
  }

  /** Live frames may come in no more than this: nobody would see the difference. */
  setFrameDetail(detail: FrameDetail): void {
    if (JSON.stringify(detail) === JSON.stringify(this.#detail)) return;
    this.#detail = detail;
    this.#post({ type: "frame_detail", ...detail });
  }

  frameShown(number: number): void {
    this.#post({ type: "frame_shown", number });
  }

  #call<Verb extends PageVerb>(verb: Verb, input: PageInput<Verb>, options: CallOptions): Promise<PageOutput<Verb>> {
    const id = this.#nextId++;
    const { signal, onProgress } = options;
    if (this.#refused !== undefined) return Promise.reject(this.#refused);
    return new Promise<unknown>((resolve, reject) => {
      const heard_events = this.#heard(input);
      const message = {
        type: "call",
        id,
        verb,
        input,
        ...(heard_events === undefined ? {} : { heard_events }),
      } as const;
      const call: PendingCall = { message, sent: false, resolve, reject, onProgress };
      this.#pending.set(id, call);
      signal?.addEventListener("abort", () => {
        if (this.#pending.has(id)) this.#post({ type: "cancel", id });
      });
      call.sent = this.#post(message);
    }).then((output) => PAGE_VERBS[verb].output.parse(output) as PageOutput<Verb>);
  }

  /** Events that arrived here of the run that the input names, where it is watched. */
  #heard(input: object): number | undefined {
    return "run" in input ? this.#watches.get(`live:${String(input.run)}`)?.next : undefined;
  }

  async #connect(): Promise<void> {
    let port: WindowPort;
    try {
      port = await this.#options.open();
    } catch {
      this.#lost();
      return;
    }
    if (this.#closed) {
      port.close();
      return;
    }
    this.#port = port;
    port.receive(
      (message) => {
        this.#receive(message);
      },
      () => {
        if (this.#port === port) this.#lost();
      },
    );
    const { token, window, page } = this.#options;
    // The greeting asks for a sign of life, too: the welcome.
    this.#asked_ms = performance.now();
    port.send(
      JSON.stringify({
        type: "hello",
        protocol: WINDOW_PROTOCOL,
        window,
        page,
        ...(token === undefined ? {} : { token }),
      } satisfies PageMessage),
    );
  }

  /** A host that hangs keeps its line open: without an answer for so long it is lost, and STOP with it. */
  #lookForLife(silence_ms: number): void {
    if (this.#port === undefined) return;
    const now_ms = performance.now();
    if (this.#heard_ms >= this.#asked_ms) {
      this.#asked_ms = now_ms;
      this.#post({ type: "ping" });
    } else if (now_ms - this.#asked_ms > silence_ms) {
      const port = this.#port;
      this.#lost();
      port.close();
    }
  }

  #lost(): void {
    this.#port = undefined;
    this.#welcomed = false;
    if (this.#closed) return;
    const wait_ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#attempt);
    this.#attempt++;
    this.#options.listener.onState({ kind: "lost", attempt: this.#attempt });
    setTimeout(() => {
      if (!this.#closed) void this.#connect();
    }, wait_ms);
  }

  /** Whether it left: before the welcome nothing does. */
  #post(message: PageMessage): boolean {
    if (!this.#welcomed || this.#port === undefined) return false;
    this.#port.send(JSON.stringify(message));
    return true;
  }

  #receive(raw: string | ArrayBuffer): void {
    this.#heard_ms = performance.now();
    if (typeof raw !== "string") {
      const frame = decodeFrame(raw);
      const { reply } = frame.header;
      if (reply === undefined) this.#options.listener.onFrame(frame);
      else this.#frameCalls.get(reply)?.(frame);
      return;
    }
    const message = hostMessageSchema.parse(JSON.parse(raw));
    const { listener } = this.#options;
    switch (message.type) {
      case "welcome":
        this.#welcome(message);
        break;
      case "refused":
        this.#closed = true;
        clearInterval(this.#beat);
        this.#refuse(message.message);
        listener.onState({ kind: "refused", message: message.message });
        break;
      case "pong":
        break;
      case "result":
        this.#settle(message.id)?.resolve(message.output);
        break;
      case "error":
        this.#settle(message.id)?.reject(refusal(message.error));
        break;
      case "progress":
        this.#pending.get(message.id)?.onProgress?.(message.fraction, message.message);
        break;
      case "events":
        this.#deliver(message);
        break;
      case "watch_failed":
        this.#watches.get(message.source)?.onFailure(refusal(message.error));
        this.#watches.delete(message.source);
        break;
      case "stage":
        listener.onStage(message);
        break;
      case "work":
        listener.onWork(message);
        break;
      case "overview":
        listener.onOverview(message.overview);
        break;
      case "evaluation_changed":
        listener.onEvaluationChanged(message.evaluation);
        break;
      case "records_changed":
        listener.onRecordsChanged();
        break;
    }
  }

  /** Nothing that was or will be asked for is answered any more. */
  #refuse(why: string): void {
    const refused = new PageError("connection_lost", `the bench does not admit this page: ${why}`, "Nothing was done.");
    this.#refused = refused;
    for (const call of this.#pending.values()) call.reject(refused);
    this.#pending.clear();
  }

  #welcome({ resumed, overview }: Extract<HostMessage, { type: "welcome" }>): void {
    this.#welcomed = true;
    this.#attempt = 0;
    this.#options.listener.onOverview(overview);
    this.#options.listener.onState({ kind: "open" });
    for (const [id, call] of this.#pending) {
      if (call.sent && !resumed) {
        this.#pending.delete(id);
        call.reject(
          new PageError(
            "connection_lost",
            `the connection was lost while ${call.message.verb} ran`,
            "Whether it was done is in the log of the run.",
          ),
        );
      } else call.sent = this.#post(call.message);
    }
    for (const [source, watch] of this.#watches) this.#post({ type: "watch", source, from: watch.next });
    this.#post({ type: "frame_detail", ...this.#detail });
    if (this.#live !== undefined) this.#post({ type: "live", run: this.#live });
  }

  /** The pending call of that number, once. The host may forget its answer. */
  #settle(id: number): PendingCall | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    this.#post({ type: "got", id });
    return call;
  }

  /** Events that came twice, because a watch was renewed, are passed on once. */
  #deliver({ source, events, more }: Extract<HostMessage, { type: "events" }>): void {
    const watch = this.#watches.get(source);
    if (watch === undefined) return;
    const fresh = events.filter((event) => event.seq >= watch.next);
    const [first] = fresh;
    if (first === undefined) {
      if (events.length === 0) watch.onEvents([], more);
      return;
    }
    if (first.seq !== watch.next) {
      this.#post({ type: "watch", source, from: watch.next });
      return;
    }
    watch.next = (fresh.at(-1) ?? first).seq + 1;
    watch.onEvents(fresh, more);
  }
}

function refusal(error: { code: PageError["code"]; message: string; hint: string }): PageError {
  return new PageError(error.code, error.message, error.hint);
}
