import type { Clock } from "../../protocol/clock.ts";
import { InstrumentError } from "../../protocol/instrument-error.ts";
import type { Axis, AxisFault, AxisIdentity, AxisStatus } from "../../transport/axis.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { toBytes } from "../../transport/byte-text.ts";
import { Exchange, type Question, type Taken } from "../../transport/exchange.ts";
import type { Framer } from "../../transport/framer.ts";
import { LineFramer } from "../../transport/line-framer.ts";
import { type GrblMessage, type GrblReport, parseGrblLine } from "./message.ts";
import { alarmFault, demandsReset, errorInWords, keepsPosition } from "./words.ts";

export interface GrblAxisSettings {
  readonly axis: "X" | "Y" | "Z";
  readonly velocity_mm_s: number | undefined;
}

const DEADLINE_ms = 500;
const ATTEMPTS = 3;
/** Most boards reset when the port is opened, and say hello after their boot loader has given up. */
const BOOT_ms = 2500;
const MM_PER_INCH = 25.4;
/** A jog is refused while the controller says that it is idle, if the step before has not settled. */
const HOMING_EXTRA_ms = 60_000;

const REPORT = Uint8Array.of(0x3f);
const HOLD = Uint8Array.of(0x21);
const RESET = Uint8Array.of(0x18);
const JOG_CANCEL = Uint8Array.of(0x85);

const Setting = {
  reportMask: 10,
  inches: 13,
  softLimits: 20,
  homing: 22,
  homingDirections: 23,
  homingSeek: 25,
  pullOff: 27,
  stepsPerMm: 100,
  velocity_mm_min: 110,
  acceleration_mm_s2: 120,
  travel_mm: 130,
} as const;

/** States in which the controller reads no line before it is resumed or reset. */
function isSuspended(state: string): boolean {
  return /^(?:Hold:0|Door:[01])$/.test(state);
}

class GrblFramer implements Framer<GrblMessage> {
  readonly #lines = new LineFramer();
  readonly #hear: (message: GrblMessage) => void;

  constructor(hear: (message: GrblMessage) => void) {
    this.#hear = hear;
  }

  push(bytes: Uint8Array): GrblMessage[] {
    const messages = this.#lines.push(bytes).map(parseGrblLine);
    // Banners and alarms matter whether or not a question is open.
    for (const message of messages) {
      this.#hear(message);
    }
    return messages;
  }

  reset(): void {
    this.#lines.reset();
  }
}

/** One axis of a GRBL board. The reference belongs to the session: it is gone at every opening and every reset. */
export class GrblAxis implements Axis {
  readonly #link: ByteLink;
  readonly #clock: Clock;
  readonly #settings: GrblAxisSettings;
  readonly #exchange: Exchange<GrblMessage>;
  readonly #index: number;
  readonly #registers = new Map<number, number>();
  #model: string | undefined;
  #homed = false;
  #lost: string | undefined;
  #alarm: AxisFault | undefined;
  #homing = false;
  /** After an alarm the controller hears nothing until it is reset. */
  #awaitsReset = false;
  #state = "";
  #workOffset = 0;
  /** Called by the next banner. */
  #onBanner: (() => void) | undefined;

  constructor(link: ByteLink, clock: Clock, settings: GrblAxisSettings) {
    this.#link = link;
    this.#clock = clock;
    this.#settings = settings;
    this.#index = "XYZ".indexOf(settings.axis);
    this.#exchange = new Exchange({
      link,
      clock,
      framer: new GrblFramer((message) => this.#hear(message)),
      deadline_ms: DEADLINE_ms,
      instrument: () => this.#name(),
      isNoise: ({ kind }) => kind === "noise",
      probes: [() => this.#probe()],
    });
    link.onClose(() => {
      this.#forgetPosition("the connection was lost");
    });
  }

  get fallbackName(): string {
    return `GRBL stage at ${this.#link.name}`;
  }

  get linkIsOpen(): boolean {
    return this.#link.isOpen;
  }

  async connect(stopFirst: boolean): Promise<AxisIdentity> {
    if (!this.#link.isOpen) {
      const greeting = this.#nextBanner(BOOT_ms);
      await this.#link.open();
      if (stopFirst) {
        await this.stop();
      }
      await greeting;
    } else if (stopFirst) {
      await this.stop();
    }
    this.#homed = false;
    this.#lost = undefined;
    this.#homing = false;
    this.#awaitsReset = false;
    this.#exchange.loseStep();
    let report = await this.#readReport();
    if (isSuspended(report.state)) {
      // A resume would set going whatever waits; a reset forgets it.
      await this.#reset();
      report = await this.#readReport();
    }
    if (report.state === "Home" || report.state === "Run") {
      throw new InstrumentError("busy", this.#name(), "the controller is carrying out another program", {
        reply: report.text,
      });
    }
    const version = await this.#readVersion();
    await this.#readSettings();
    const travel_mm = this.#register(Setting.travel_mm + this.#index);
    const most_mm_s = this.#register(Setting.velocity_mm_min + this.#index) / 60;
    const seek_mm_s = this.#register(Setting.homingSeek) / 60;
    this.#model = `GRBL ${version.number}`;
    return {
      model: this.#model,
      serialNumber: version.name === "" ? "unknown" : version.name,
      firmware: version.number,
      // The default build counts from the home switch downwards, whichever end that is at.
      travelMin_mm: -travel_mm,
      travelMax_mm: 0,
      velocity_mm_s: Math.min(this.#settings.velocity_mm_s ?? most_mm_s, most_mm_s),
      acceleration_mm_s2: this.#register(Setting.acceleration_mm_s2 + this.#index),
      resolution_mm: Math.max(1 / this.#register(Setting.stepsPerMm + this.#index), 0.001),
      homing_ms: this.#homingDeadline_ms(travel_mm, seek_mm_s),
    };
  }

  async readStatus(): Promise<AxisStatus> {
    if (this.#homing) {
      // The firmware does not answer while it homes.
      return { moving: true, homed: false, warnings: [] };
    }
    if (this.#awaitsReset) {
      const fault = this.#alarm;
      return {
        moving: false,
        homed: this.#homed,
        ...(fault === undefined ? {} : { fault }),
        ...(this.#lost === undefined ? {} : { lost: this.#lost }),
        warnings: ["the controller waits for a reset: home the stage"],
      };
    }
    const report = await this.#readReport().catch((error: unknown) => {
      // A board that starts anew is deaf for a second; its banner says more than the silence.
      throw this.#lost === undefined || !this.#link.isOpen
        ? error
        : new InstrumentError("position_lost", this.#name(), this.#lost, {}, "home the stage, then measure again");
    });
    const [name = "", substate] = report.state.split(":");
    const moving = name === "Run" || name === "Jog" || name === "Home" || (name === "Hold" && substate === "1");
    const fault = this.#faultIn(name);
    return {
      position_mm: this.#positionIn(report),
      moving,
      homed: this.#homed && name !== "Sleep",
      ...(fault === undefined ? {} : { fault }),
      ...(this.#lost === undefined ? {} : { lost: this.#lost }),
      warnings: this.#warningsIn(name),
    };
  }

  async startHome(): Promise<void> {
    if (this.#awaitsReset) {
      await this.#reset();
    }
    this.#alarm = undefined;
    this.#lost = undefined;
    this.#homed = false;
    this.#homing = true;
    const deadline_ms = this.#homingDeadline_ms(
      this.#register(Setting.travel_mm + this.#index),
      this.#register(Setting.homingSeek) / 60,
    );
    let refusal: InstrumentError | undefined;
    const home = this.#exchange
      .ask(() => ({ ...this.#line("$H"), deadline_ms }))
      .then(
        () => {
          this.#homed = true;
        },
        (error: unknown) => {
          refusal =
            error instanceof InstrumentError ? error : new InstrumentError("bad_reply", this.#name(), String(error));
          this.#alarm ??= { code: refusal.code, message: refusal.message };
        },
      )
      .finally(() => {
        this.#homing = false;
      });
    // A refusal comes at once, the ok after the search.
    await Promise.race([home, this.#clock.wait(DEADLINE_ms)]);
    if (refusal !== undefined) {
      throw refusal;
    }
  }

  async startMove(target_mm: number): Promise<void> {
    const most_mm_min = this.#register(Setting.velocity_mm_min + this.#index);
    const asked_mm_s = this.#settings.velocity_mm_s;
    const feed_mm_min = asked_mm_s === undefined ? most_mm_min : Math.min(asked_mm_s * 60, most_mm_min);
    const { axis } = this.#settings;
    const line = `$J=G53 G90 G21 ${axis}${target_mm.toFixed(4)} F${feed_mm_min.toFixed(1)}`;
    await this.#exchange.ask(() => this.#line(line));
  }

  async stop(): Promise<void> {
    if (this.#homing) {
      // Nothing else ends a homing cycle; there is no position yet that could be lost.
      await this.#exchange.interject(RESET);
      return;
    }
    await this.#exchange.interject(JOG_CANCEL);
    if (this.#state.startsWith("Run")) {
      // Somebody else's program: a hold keeps the position.
      await this.#exchange.interject(HOLD);
    }
  }

  async disconnect(): Promise<void> {
    await this.#link.close();
  }

  #homingDeadline_ms(travel_mm: number, seek_mm_s: number): number {
    // The search goes over one and a half times the travel, then slowly off the switch and on it again.
    return HOMING_EXTRA_ms + (3000 * travel_mm) / Math.max(seek_mm_s, 0.1);
  }

  #hear(message: GrblMessage): void {
    if (message.kind === "banner") {
      this.#awaitsReset = false;
      this.#forgetPosition("the controller was reset: its position is lost");
      this.#onBanner?.();
    } else if (message.kind === "alarm") {
      this.#alarm = alarmFault(message.number);
      this.#awaitsReset = demandsReset(message.number);
      if (!keepsPosition(message.number)) {
        this.#forgetPosition(this.#alarm.message);
      }
    } else if (message.kind === "report") {
      this.#state = message.state;
      this.#workOffset = message.workOffset?.[this.#index] ?? this.#workOffset;
      if (isSuspended(message.state)) {
        // Noise is enough for that: a garbled byte may read as a feed hold.
        this.#awaitsReset = true;
        this.#forgetPosition("the controller was put on hold and obeys nothing before it is reset");
      }
    }
  }

  #forgetPosition(reason: string): void {
    if (this.#homed) {
      this.#homed = false;
      this.#lost = reason;
    }
  }

  async #reset(): Promise<void> {
    const greeting = this.#nextBanner(BOOT_ms);
    await this.#exchange.interject(RESET);
    await greeting;
    this.#exchange.loseStep();
  }

  async #nextBanner(within_ms: number): Promise<void> {
    const timer = new AbortController();
    this.#onBanner = () => timer.abort();
    await this.#clock.wait(within_ms, timer.signal);
    this.#onBanner = undefined;
  }

  #faultIn(state: string): AxisFault | undefined {
    switch (state) {
      case "Alarm":
        return this.#alarm;
      case "Door":
        return { code: "faulted", message: "the safety door is open", reply: state };
      case "Sleep":
      case "Check":
        return { code: "faulted", message: `the controller is in its ${state.toLowerCase()} state`, reply: state };
      default:
        return undefined;
    }
  }

  #warningsIn(state: string): string[] {
    if (state === "Alarm" && this.#alarm === undefined) {
      return ["the controller is locked until it is homed"];
    }
    return state === "Hold" ? ["the controller holds a program"] : [];
  }

  #positionIn(report: GrblReport): number {
    const value = report.position[this.#index] ?? 0;
    const machine = report.positionIs === "machine" ? value : value + this.#workOffset;
    return this.#registers.get(Setting.inches) === 1 ? machine * MM_PER_INCH : machine;
  }

  async #readReport(): Promise<GrblReport> {
    return this.#exchange.ask(
      (): Question<GrblMessage, GrblReport> => ({
        what: '"?"',
        bytes: REPORT,
        take: (message) => (message.kind === "report" ? { answer: message } : "foreign"),
      }),
      { attempts: ATTEMPTS },
    );
  }

  async #readVersion(): Promise<{ number: string; name: string }> {
    let version: readonly string[] | undefined;
    await this.#exchange.ask(
      () =>
        this.#line("$I", (message) => {
          if (message.kind === "note" && message.tag === "VER") {
            version = message.value.split(":");
          }
        }),
      { attempts: ATTEMPTS },
    );
    const [number = "", name = ""] = version ?? [];
    if (!number.startsWith("1.1")) {
      throw new InstrumentError("unsupported", this.#name(), `expected GRBL 1.1, found "${number}"`, { reply: number });
    }
    return { number, name };
  }

  async #readSettings(): Promise<void> {
    await this.#exchange.ask(
      () => {
        this.#registers.clear();
        return this.#line("$$", (message) => {
          if (message.kind === "setting") {
            this.#registers.set(message.number, message.value);
          }
        });
      },
      { attempts: ATTEMPTS },
    );
    for (const number of [
      Setting.travel_mm + this.#index,
      Setting.velocity_mm_min + this.#index,
      Setting.acceleration_mm_s2 + this.#index,
      Setting.stepsPerMm + this.#index,
    ]) {
      if (!(this.#register(number) > 0)) {
        throw new InstrumentError("bad_reply", this.#name(), `setting $${number} is missing or zero`, {
          name: `$${number}`,
          value: this.#register(number),
        });
      }
    }
  }

  #register(number: number): number {
    return this.#registers.get(number) ?? 0;
  }

  /** A line that is answered by ok or an error, perhaps after messages that `collect` wants to see. */
  #line(text: string, collect?: (message: GrblMessage) => void): Question<GrblMessage, undefined> {
    return {
      what: `"${text}"`,
      bytes: toBytes(`${text}\n`),
      take: (message): Taken<undefined> => {
        switch (message.kind) {
          case "ok":
            return { answer: undefined };
          case "error":
            throw new InstrumentError(
              message.number === 15 ? "out_of_range" : message.number === 9 ? "not_homed" : "refused",
              this.#name(),
              `"${text}" was refused: ${errorInWords(message.number)}`,
              { name: text, reply: message.text },
            );
          case "alarm": {
            const fault = alarmFault(message.number);
            throw new InstrumentError(fault.code, this.#name(), fault.message, { reply: message.text });
          }
          case "banner":
            throw new InstrumentError(
              "position_lost",
              this.#name(),
              "the controller was reset: its position is lost",
              { reply: message.text },
              "home the stage, then measure again",
            );
          case "setting":
          case "note":
            if (collect === undefined) {
              return "foreign";
            }
            collect(message);
            return "part";
          default:
            return "foreign";
        }
      },
    };
  }

  /**
   * Asks for the build information: an ok that comes before it belongs to a line that was given up. While the stage
   * moves the question is refused, which is as good an answer; so is a report, asked for beside it, that says that no
   * line is read at all.
   */
  #probe(): Question<GrblMessage, undefined> {
    let heard = false;
    return {
      what: '"$I"',
      bytes: toBytes("\n?$I\n"),
      take: (message) => {
        if (message.kind === "report" && isSuspended(message.state)) {
          return { answer: undefined };
        }
        if (message.kind === "note" && message.tag === "VER") {
          heard = true;
          return "part";
        }
        if (message.kind === "error" && message.number === 8) {
          return { answer: undefined };
        }
        return message.kind === "ok" && heard ? { answer: undefined } : "foreign";
      },
    };
  }

  #name(): string {
    return this.#model ?? this.fallbackName;
  }
}
