import { sessionKeptAs } from "../keep-run.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { Caller } from "../../contract/bench-verbs.ts";
import { encodeFrame, encodeFrameHead, type FrameDetail, type FrameHeader } from "../../contract/window-frame.ts";
import {
  type HostMessage,
  type PageMessage,
  pageMessageSchema,
  WINDOW_PROTOCOL,
  type WindowPort,
} from "../../contract/window-messages.ts";
import type { Overview } from "../../contract/window-verbs.ts";
import { EventFeed } from "./event-feed.ts";
import { type FrameSamples, LiveFeed, type LiveFrame, type Viewer } from "./live-feed.ts";
import { PageSession } from "./page-session.ts";
import { toRefusal } from "./refusal.ts";
import type { WindowShelves } from "./shelves.ts";
import { createVerbRunner, type HostTools, type StoredFrame } from "./window-verb-handlers.ts";

export interface WindowHostOptions extends HostTools {
  readonly version: string;
  /** True in the desktop window. */
  readonly desktop: boolean;
  readonly shelves: WindowShelves;
  /** What a page must say; absent where the port is private to one page. */
  readonly token?: string;
  readonly mcpAddress?: string;
  /** How long a page may be away before its driver counts as gone and what it started stops. Default 5000. */
  readonly grace_ms?: number;
  /** Shortest time between two live frames. Default 33 ms. */
  readonly liveInterval_ms?: number;
  readonly log?: (message: string) => void;
}

/** Frames that may be on their way to a page and not yet on its screen. */
const FRAMES_UNDER_WAY = 2;
const HELLO_WITHIN_MS = 5000;

/** Serves any number of windows, each over a port. */
export class WindowHost {
  readonly #options: WindowHostOptions;
  readonly #shelves: WindowShelves;
  readonly #run: ReturnType<typeof createVerbRunner>;
  readonly #connections = new Set<Connection>();
  readonly #pages = new Map<string, { session: PageSession; grace?: NodeJS.Timeout }>();
  readonly #feeds = new Map<string, LiveFeed>();
  readonly #ends: (() => void)[];

  constructor(options: WindowHostOptions) {
    this.#options = options;
    this.#shelves = options.shelves;
    this.#run = createVerbRunner(options.shelves, () => this.overview(), options);
    const { benches, records, contenders, evaluations } = options.shelves;
    const tellOverview = (): void => {
      const overview = this.overview();
      this.#broadcast({ type: "overview", overview });
      this.#dropFeeds(overview);
    };
    this.#ends = [
      benches.onChange(tellOverview),
      contenders.onChange(tellOverview),
      records.onChange(() => {
        this.#broadcast({ type: "records_changed" });
      }),
      evaluations.onChange((evaluation) => {
        this.#broadcast({ type: "evaluation_changed", evaluation });
      }),
    ];
  }

  overview(): Overview {
    const { benches, contenders } = this.#shelves;
    return {
      version: this.#options.version,
      desktop: this.#options.desktop,
      benches: benches.offers(),
      open_runs: benches.openRuns().map((session) => {
        const { state, holder } = session.snapshot();
        const kept = sessionKeptAs(session);
        return {
          run: session.handle,
          bench: session.bench,
          simulated: session.simulated,
          state,
          ...(holder === undefined ? {} : { holder: holder.name }),
          ...(kept === undefined ? {} : { kept }),
        };
      }),
      scenarios: [...benches.scenarios()],
      contenders: [...contenders.offers()],
      drives: [...contenders.drives()],
      bench_files: benches.benchFiles(),
      ...(this.#options.mcpAddress === undefined ? {} : { mcp_address: this.#options.mcpAddress }),
    };
  }

  /** Serves a window over this port until it closes. */
  accept(port: WindowPort): void {
    const connection = new Connection(port, {
      admits: (token) => this.#admits(token),
      overview: () => this.overview(),
      page: (window, page) => this.#page(window, page),
      left: (window, page) => {
        this.#connections.delete(connection);
        if (window !== undefined && page !== undefined) this.#startGrace(window, page);
      },
      session: (run) => this.#shelves.benches.session(run),
      recordEvents: (record) => this.#shelves.records.events(record),
      liveFeed: (run) => this.#liveFeed(run),
      run: this.#run,
      log: this.#options.log ?? (() => undefined),
    });
    this.#connections.add(connection);
  }

  close(): void {
    for (const end of this.#ends) end();
    for (const connection of [...this.#connections]) connection.close();
    for (const feed of this.#feeds.values()) feed.close();
    for (const { session, grace } of this.#pages.values()) {
      clearTimeout(grace);
      session.close();
    }
    this.#pages.clear();
  }

  #admits(token: string | undefined): boolean {
    const expected = this.#options.token;
    if (expected === undefined) return true;
    const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
    return timingSafeEqual(digest(token ?? ""), digest(expected));
  }

  #broadcast(message: HostMessage): void {
    for (const connection of this.#connections) connection.tell(message);
  }

  #page(window: string, page: string): { session: PageSession; resumed: boolean } {
    const key = `${window}/${page}`;
    const known = this.#pages.get(key);
    if (known !== undefined) {
      clearTimeout(known.grace);
      delete known.grace;
      return { session: known.session, resumed: true };
    }
    const session = new PageSession();
    this.#pages.set(key, { session });
    return { session, resumed: false };
  }

  /** The page may come back; when it does not, what it drove stops. */
  #startGrace(window: string, page: string): void {
    const entry = this.#pages.get(`${window}/${page}`);
    if (entry === undefined) return;
    clearTimeout(entry.grace);
    entry.grace = setTimeout(() => {
      this.#pages.delete(`${window}/${page}`);
      entry.session.close();
      const elsewhere = [...this.#pages.keys()].some((key) => key.startsWith(`${window}/`));
      if (elsewhere) return;
      for (const session of this.#shelves.benches.openRuns()) void session.releaseCaller(callerId(window));
    }, this.#options.grace_ms ?? 5000);
    entry.grace.unref();
  }

  #liveFeed(run: string): LiveFeed {
    const known = this.#feeds.get(run);
    if (known !== undefined) return known;
    const feed = new LiveFeed(this.#shelves.benches.session(run), this.#options.tasks, this.#options.liveInterval_ms);
    this.#feeds.set(run, feed);
    return feed;
  }

  #dropFeeds(overview: Overview): void {
    const open = new Set(overview.open_runs.filter((run) => run.state !== "closed").map((run) => run.run));
    for (const [run, feed] of this.#feeds) {
      if (open.has(run)) continue;
      feed.close();
      this.#feeds.delete(run);
    }
  }
}

const callerId = (window: string): string => `window:${window}`;

interface ConnectionHost {
  readonly admits: (token: string | undefined) => boolean;
  readonly overview: () => Overview;
  readonly page: (window: string, page: string) => { session: PageSession; resumed: boolean };
  readonly left: (window: string | undefined, page: string | undefined) => void;
  readonly session: (run: string) => BenchSession;
  readonly recordEvents: (record: string) => ReturnType<WindowShelves["records"]["events"]>;
  readonly liveFeed: (run: string) => LiveFeed;
  readonly run: ReturnType<typeof createVerbRunner>;
  readonly log: (message: string) => void;
}

/** One window at the other end of one port. */
class Connection implements Viewer {
  readonly #port: WindowPort;
  readonly #host: ConnectionHost;
  readonly #feeds = new Map<string, EventFeed>();
  readonly #helloTimer: NodeJS.Timeout;
  #hello: { window: string; page: string; session: PageSession } | undefined;
  #closed = false;
  #live: { run: string; feed: LiveFeed; unwatch: () => void } | undefined;
  #frame = 0;
  readonly #underWay = new Set<number>();
  #skippedFrom = -1;
  #detail: FrameDetail = { reduction: 1 };

  constructor(port: WindowPort, host: ConnectionHost) {
    this.#port = port;
    this.#host = host;
    this.#helloTimer = setTimeout(() => {
      this.#refuse("message", "no greeting came");
    }, HELLO_WITHIN_MS);
    port.receive(
      (message) => {
        this.#receive(message);
      },
      () => {
        this.#ended();
      },
    );
  }

  tell(message: HostMessage): void {
    if (this.#hello !== undefined) this.#send(message);
  }

  close(): void {
    this.#port.close();
    this.#ended();
  }

  get detail(): FrameDetail {
    return this.#detail;
  }

  get room(): number {
    return FRAMES_UNDER_WAY - this.#underWay.size;
  }

  show(header: LiveFrame, frame: FrameSamples): void {
    const skipped = this.#skippedFrom < 0 ? 0 : Math.max(0, header.sequence - this.#skippedFrom - 1);
    this.#skippedFrom = header.sequence;
    this.#sendFrame({ ...header, skipped, number: this.#frame++ }, frame);
  }

  #send(message: HostMessage): void {
    if (!this.#closed) this.#port.send(JSON.stringify(message));
  }

  #sendFrame(header: FrameHeader, { samples, memory }: FrameSamples): void {
    if (this.#closed) return;
    this.#underWay.add(header.number);
    if (this.#port.sendPieces === undefined) {
      this.#port.send(encodeFrame(header, samples));
      return;
    }
    memory?.hold();
    this.#port.sendPieces(encodeFrameHead(header), samples, () => memory?.release());
  }

  #receive(raw: string | ArrayBuffer): void {
    const message = typeof raw === "string" ? parsed(raw) : undefined;
    if (message === undefined) {
      this.#refuse("message", "the page sent a message that the host does not know; reload it");
      return;
    }
    if (message.type === "hello") this.#greet(message);
    else if (this.#hello === undefined) this.#refuse("message", "the first message is a greeting");
    else this.#handle(message, this.#hello);
  }

  #greet(message: Extract<PageMessage, { type: "hello" }>): void {
    if (this.#hello !== undefined) return;
    if (message.protocol !== WINDOW_PROTOCOL) {
      this.#refuse(
        "protocol",
        `the page speaks version ${message.protocol} and the host ${WINDOW_PROTOCOL}; reload it`,
      );
      return;
    }
    if (!this.#host.admits(message.token)) {
      this.#refuse("token", "open the address that caustic serve printed: it carries the key to this bench");
      return;
    }
    clearTimeout(this.#helloTimer);
    const { window, page } = message;
    const { session, resumed } = this.#host.page(window, page);
    this.#hello = { window, page, session };
    this.#send({ type: "welcome", protocol: WINDOW_PROTOCOL, resumed, overview: this.#host.overview() });
    session.attach((answer) => {
      this.#send(answer);
    });
  }

  #handle(
    message: Exclude<PageMessage, { type: "hello" }>,
    { window, session }: { window: string; session: PageSession },
  ): void {
    switch (message.type) {
      case "call":
        session.call(
          message.id,
          (cancellation) => {
            const caller: Caller = { kind: "operator", name: "operator", id: callerId(window) };
            return this.#host.run(message.verb, message.input, {
              caller,
              cancellation,
              ...(message.heard_events === undefined ? {} : { heardEvents: message.heard_events }),
              onProgress: ({ fraction, message: words }) => {
                session.progress(message.id, fraction, words);
              },
              sendFrame: (frame) => this.#sendStored(frame, message.id),
            });
          },
          (error) => {
            const refusal = toRefusal(error);
            if (refusal.code === "internal") this.#host.log(`${message.verb}: ${stackOf(error)}`);
            return refusal;
          },
        );
        break;
      case "ping":
        this.#send({ type: "pong" });
        break;
      case "cancel":
        session.cancel(message.id);
        break;
      case "got":
        session.confirm(message.id);
        break;
      case "watch":
        void this.#watch(message.source, message.from);
        break;
      case "unwatch":
        this.#feeds.get(message.source)?.close();
        this.#feeds.delete(message.source);
        break;
      case "live":
        this.#watchLive(message.run);
        break;
      case "frame_detail": {
        const { type: _type, ...detail } = message;
        this.#detail = detail;
        break;
      }
      case "frame_shown":
        this.#underWay.delete(message.number);
        this.#live?.feed.becameReady();
        break;
    }
  }

  async #watch(source: string, from: number): Promise<void> {
    this.#feeds.get(source)?.close();
    const feed = new EventFeed(source, {
      send: (message) => {
        this.#send(message);
      },
      backlog: () => this.#port.backlog_bytes,
    });
    this.#feeds.set(source, feed);
    const id = source.slice(source.indexOf(":") + 1);
    try {
      if (source.startsWith("live:")) {
        const session = this.#host.session(id);
        const release = session.subscribe((event) => {
          feed.push([event]);
        });
        feed.release = release;
        feed.push(session.events(from));
      } else {
        const events = await this.#host.recordEvents(id);
        if (events.length === 0) feed.sayNothingComes();
        feed.push(events.filter((event) => event.seq >= from));
      }
    } catch (error) {
      feed.close();
      this.#feeds.delete(source);
      this.#send({ type: "watch_failed", source, error: toRefusal(error) });
    }
  }

  #watchLive(run: string | undefined): void {
    if (this.#live !== undefined) {
      if (this.#live.run === run) return;
      this.#live.feed.remove(this);
      this.#live.unwatch();
      this.#live = undefined;
    }
    this.#underWay.clear();
    this.#skippedFrom = -1;
    if (run === undefined) return;
    try {
      const session = this.#host.session(run);
      const feed = this.#host.liveFeed(run);
      const unwatch = session.watch((signal) => {
        if (signal.type === "stage") {
          this.#send({ type: "stage", run, z_mm: signal.z_mm, target_mm: signal.target_mm });
        } else if (signal.type === "progress") {
          this.#send({ type: "work", run, tool: signal.tool, fraction: signal.fraction, message: signal.message });
        }
      });
      feed.add(this);
      this.#live = { run, feed, unwatch };
    } catch {
      // The run has ended; the page learns it from the overview.
    }
  }

  #sendStored({ source, frame, pixelPitch_um, index, count, reading }: StoredFrame, reply: number): number {
    const number = this.#frame++;
    this.#sendFrame(
      {
        number,
        source,
        reply,
        purpose: "measurement",
        ...(index === undefined ? {} : { index }),
        ...(count === undefined ? {} : { count }),
        width_px: frame.width_px,
        height_px: frame.height_px,
        bit_depth: frame.bitDepth,
        pixel_pitch_um: pixelPitch_um,
        exposure_ms: frame.exposure_ms,
        t_ms: frame.startedAt_ms,
        sequence: frame.sequence,
        skipped: 0,
        simulated: frame.simulated,
        ...reading,
      },
      frame,
    );
    // It was asked for: it does not count against the live frames.
    this.#underWay.delete(number);
    return number;
  }

  #refuse(why: "token" | "protocol" | "message", message: string): void {
    if (this.#closed) return;
    this.#send({ type: "refused", why, message });
    this.#port.close();
    this.#ended();
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#helloTimer);
    for (const feed of this.#feeds.values()) feed.close();
    this.#feeds.clear();
    this.#live?.feed.remove(this);
    this.#live?.unwatch();
    this.#hello?.session.detach();
    this.#host.left(this.#hello?.window, this.#hello?.page);
  }
}

function parsed(text: string): PageMessage | undefined {
  try {
    return pageMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
