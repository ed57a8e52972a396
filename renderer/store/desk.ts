import { createContext, useContext } from "react";
import type { BenchEvent } from "../../main/contract/events.ts";
import type { FrameDetail, FrameHeader, WindowFrame } from "../../main/contract/window-frame.ts";
import type { PageInput, PageOutput, PageVerb } from "../../main/contract/window-verbs.ts";
import type { WindowPort } from "../../main/contract/window-messages.ts";
import { type CallOptions, Connection, type ConnectionState } from "../host/connection.ts";
import { PageError } from "../host/page-error.ts";
import { FrameChannel } from "./frame-channel.ts";
import { applyEvents } from "./run-state.ts";
import { useRuns } from "./runs-store.ts";
import { type Message, noRun, useWindow, VIEWS, type ViewName } from "./window-store.ts";

export interface DeskOptions {
  readonly open: () => Promise<WindowPort>;
  readonly token?: string;
  readonly window: string;
  readonly page: string;
  /** The desktop's own dialog for a folder; resolves to undefined where none was chosen. Absent in a browser. */
  readonly chooseFolder?: (() => Promise<string | undefined>) | undefined;
}

/** Numbers of live frames are shown this often: a person cannot read faster. */
const NUMBERS_EVERY_MS = 120;
const UNSEEN_EVERY_MS = 500;
const GOOD_NEWS_MS = 5000;
/** A person who pressed STOP must not wait longer to learn that nothing answers. A stage may need as long to brake. */
const STOP_ANSWER_MS = 2000;

/** What the page does: everything that a button, a key or a menu may start. State is in the stores. */
export class Desk {
  readonly connection: Connection;
  readonly frames = new FrameChannel();
  readonly #recordListeners = new Set<() => void>();
  readonly #evaluationListeners = new Set<(evaluation: string | undefined) => void>();
  readonly #stopListeners = new Set<() => void>();
  #unwatch: (() => void) | undefined;
  #numbersAt_ms = 0;
  #numbersTimer: ReturnType<typeof setTimeout> | undefined;
  #messages = 0;
  #causticAsked = -1;

  readonly #chooseFolder: DeskOptions["chooseFolder"];

  constructor(options: DeskOptions) {
    this.#chooseFolder = options.chooseFolder;
    this.connection = new Connection({
      ...options,
      listener: {
        onState: (state) => {
          this.#onState(state);
        },
        onOverview: (overview) => {
          useWindow.setState({ overview });
          this.#followOpenRun();
          this.#learnName();
        },
        onFrame: (frame) => {
          this.#onFrame(frame);
        },
        onStage: ({ z_mm, target_mm }) => {
          useWindow.setState({ stage: { z_mm, target_mm } });
        },
        onWork: ({ tool, fraction, message }) => {
          useWindow.setState({ work: { tool, fraction, message } });
        },
        onRecordsChanged: () => {
          for (const listener of [...this.#recordListeners]) listener();
        },
        onEvaluationChanged: (evaluation) => {
          for (const listener of [...this.#evaluationListeners]) listener(evaluation);
        },
      },
    });
  }

  start(): void {
    this.connection.start();
  }

  call<Verb extends PageVerb>(verb: Verb, input: PageInput<Verb>, options?: CallOptions): Promise<PageOutput<Verb>> {
    return this.connection.call(verb, input, options);
  }

  /** Runs what a person asked for; what goes wrong becomes a message. Resolves to whether it was done. */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.tell(error);
      return false;
    }
  }

  tell(what: unknown, tone: Message["tone"] = "bad"): void {
    const id = this.#messages++;
    const text = what instanceof Error ? what.message : String(what);
    const hint = what instanceof PageError ? hintOf(what) : undefined;
    const message: Message = { id, tone, text, ...(hint === undefined ? {} : { hint }) };
    useWindow.setState(({ messages }) => ({ messages: [...messages.slice(-3), message] }));
    if (tone === "good") {
      setTimeout(() => {
        this.dismiss(id);
      }, GOOD_NEWS_MS);
    }
  }

  dismiss(id: number): void {
    useWindow.setState(({ messages }) => ({ messages: messages.filter((message) => message.id !== id) }));
  }

  show(view: ViewName): void {
    useWindow.setState({ view });
    if (location.hash !== `#/${view}`) history.replaceState(null, "", `#/${view}`);
  }

  /** The view that the page's address names. */
  showAddressed(): void {
    const name = location.hash.replace(/^#\//, "");
    const view = VIEWS.find((one) => one === name);
    if (view !== undefined) useWindow.setState({ view });
  }

  onRecords(listener: () => void): () => void {
    this.#recordListeners.add(listener);
    return () => this.#recordListeners.delete(listener);
  }

  /** Calls back when an evaluation changed; without its name after an interruption, in which any may have. */
  onEvaluation(listener: (evaluation: string | undefined) => void): () => void {
    this.#evaluationListeners.add(listener);
    return () => this.#evaluationListeners.delete(listener);
  }

  /** Opens a run on a bench, or joins the one that is open there, and looks at it. */
  async openBench(bench: string): Promise<string> {
    const { run } = await this.call("bench_open", { bench, reason: "The operator opened the bench in the window." });
    this.look(run);
    return run;
  }

  /** Asks for the folder of a kept run, by the system's dialog where there is one, and shows the run. */
  async openRecord(): Promise<void> {
    if (this.#chooseFolder === undefined) {
      this.show("runs");
      useRuns.setState({ asking: true });
      return;
    }
    const folder = await this.#chooseFolder();
    if (folder !== undefined) await this.attempt(() => this.showRecordIn(folder));
  }

  /** Shows the kept run of a folder in the runs view. */
  async showRecordIn(folder: string): Promise<void> {
    const { record } = await this.call("open_record", { folder });
    useRuns.setState({ record, compared: undefined });
    this.show("runs");
  }

  /** Looks at an open run: its events, its live frames. */
  look(run: string | undefined): void {
    if (useWindow.getState().run === run) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.frames.clear();
    this.#causticAsked = -1;
    if (run === undefined) {
      useWindow.setState({
        run,
        followed: undefined,
        live: undefined,
        stage: undefined,
        work: undefined,
        selected: undefined,
        yours: undefined,
      });
      this.connection.setLive(undefined);
      return;
    }
    const source = `live:${run}`;
    useWindow.setState({
      run,
      followed: noRun(source),
      live: undefined,
      stage: undefined,
      work: undefined,
      selected: undefined,
      yours: undefined,
    });
    this.#learnName();
    this.#unwatch = this.connection.watch(
      source,
      0,
      (events, more) => {
        this.#onEvents(source, events, more);
      },
      (error) => {
        if (error.code === "unknown_run") this.look(undefined);
        else this.tell(error);
      },
    );
    this.connection.setLive(useWindow.getState().frozen ? undefined : run);
  }

  freeze(frozen: boolean): void {
    useWindow.setState({ frozen });
    // A frame that stays may be zoomed into: it is fetched with every pixel before the picture stops.
    if (frozen && isPartial(this.frames.latest?.header)) this.connection.setFrameDetail({ reduction: 1 });
    else this.connection.setLive(frozen ? undefined : useWindow.getState().run);
  }

  /** How much of the live frame is on the screen. */
  showsDetail(detail: FrameDetail): void {
    if (!useWindow.getState().frozen) this.connection.setFrameDetail(detail);
  }

  /** Calls back when STOP is pressed in this window, before anything else happens. */
  onStop(listener: () => void): () => void {
    this.#stopListeners.add(listener);
    return () => this.#stopListeners.delete(listener);
  }

  /** Stops whatever moves or exposes, and every sequence of this window. Never waits for anything else. */
  async stop(): Promise<void> {
    for (const listener of [...this.#stopListeners]) listener();
    const { run } = useWindow.getState();
    if (run === undefined) return;
    const unanswered = setTimeout(() => {
      this.tell("STOP has not been answered. Stop the stage at its own switch if it moves.");
    }, STOP_ANSWER_MS);
    await this.attempt(() => this.call("stop", { run, reason: "STOP in the window." }));
    clearTimeout(unanswered);
  }

  #onState(connection: ConnectionState): void {
    const before = useWindow.getState().connection.kind;
    useWindow.setState({ connection });
    if (before !== "lost" || connection.kind !== "open") return;
    // What changed meanwhile was told to nobody.
    for (const listener of [...this.#recordListeners]) listener();
    for (const listener of [...this.#evaluationListeners]) listener(undefined);
  }

  /** Looks at a run that is open, where the window looks at none. */
  #followOpenRun(): void {
    const { overview, run } = useWindow.getState();
    if (overview === undefined) return;
    const known = overview.open_runs.find((one) => one.run === run);
    if (known !== undefined) return;
    // One that is under way before one that is finished and waits to be closed.
    const inState = (...states: readonly string[]) => overview.open_runs.find((one) => states.includes(one.state));
    const next = inState("open", "paused") ?? (run === undefined ? inState("finished") : undefined);
    if (next !== undefined) this.look(next.run);
    else if (run !== undefined && useWindow.getState().followed?.state.closed === true) {
      // The closed run stays on the screen until another is opened: its result is what one wants to read.
      this.connection.setLive(undefined);
    }
  }

  /** Under which name the run that is followed is kept: the host forgets it when the run closes, exports need it later. */
  #learnName(): void {
    const { overview, run, followed } = useWindow.getState();
    const kept = overview?.open_runs.find((one) => one.run === run)?.kept;
    if (followed !== undefined && followed.kept === undefined && kept !== undefined) {
      useWindow.setState({ followed: { ...followed, kept } });
    }
  }

  #onEvents(source: string, events: readonly BenchEvent[], more: boolean): void {
    const { followed } = useWindow.getState();
    if (followed?.source !== source) return;
    const state = applyEvents(followed.state, events);
    const ended = events.some((event) => event.type === "move_ended" || event.type === "stopped");
    const idle = events.some((event) => event.type === "tool_returned" || event.type === "job_ended");
    useWindow.setState({
      followed: { ...followed, events: [...followed.events, ...events], state, loading: more },
      ...(ended ? { stage: undefined } : {}),
      ...(idle ? { work: undefined } : {}),
    });
    if (events.some((event) => event.type === "control_changed")) void this.#askWhoDrives(source);
    if (!more) void this.#drawCaustic(source);
  }

  async #askWhoDrives(source: string): Promise<void> {
    const { run } = useWindow.getState();
    if (run === undefined || source !== `live:${run}`) return;
    try {
      const { yours } = await this.call("drives", { run });
      if (useWindow.getState().run === run) useWindow.setState({ yours });
    } catch {
      // The run has ended; nobody drives.
    }
  }

  /** Asks for the drawing of the caustic when measurements changed. */
  async #drawCaustic(source: string): Promise<void> {
    const { followed } = useWindow.getState();
    if (followed?.source !== source) return;
    const last = followed.events.findLast(
      (event) => event.type === "measurement_taken" || event.type === "measurement_use_changed",
    );
    if (last === undefined || last.seq <= this.#causticAsked) return;
    this.#causticAsked = last.seq;
    try {
      const caustic = await this.call("caustic", { source });
      const now = useWindow.getState().followed;
      if (now?.source === source) useWindow.setState({ followed: { ...now, caustic } });
    } catch (error) {
      this.tell(error);
    }
  }

  #onFrame(frame: WindowFrame): void {
    const { run, frozen } = useWindow.getState();
    const isLast = frozen && isPartial(this.frames.latest?.header) && !isPartial(frame.header);
    if (frame.header.source !== `live:${run ?? ""}` || (frozen && !isLast)) {
      this.connection.frameShown(frame.header.number);
      return;
    }
    if (isLast) this.connection.setLive(undefined);
    if (!this.frames.push(frame)) {
      // Nobody draws, but the strip charts go on: slowly, for the sake of everything else.
      setTimeout(() => {
        this.connection.frameShown(frame.header.number);
      }, UNSEEN_EVERY_MS);
    }
    const now = performance.now();
    if (now - this.#numbersAt_ms >= NUMBERS_EVERY_MS) this.#showNumbers(frame.header);
    else {
      clearTimeout(this.#numbersTimer);
      this.#numbersTimer = setTimeout(() => {
        const latest = this.frames.latest;
        if (latest !== undefined) this.#showNumbers(latest.header);
      }, NUMBERS_EVERY_MS);
    }
  }

  #showNumbers(live: FrameHeader): void {
    this.#numbersAt_ms = performance.now();
    useWindow.setState({ live });
  }
}

/** The host's advice is for whoever calls; it is the operator who ends a pause. */
function hintOf({ code, hint }: PageError): string | undefined {
  if (code === "paused") return "Resume it in the bar (P), or take over.";
  return hint === "" ? undefined : hint;
}

/** Whether the samples are less than every pixel of the sensor. */
function isPartial(header: FrameHeader | undefined): boolean {
  return header !== undefined && ((header.reduction ?? 1) > 1 || header.region !== undefined);
}

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("there is no desk around this component");
  return desk;
}
