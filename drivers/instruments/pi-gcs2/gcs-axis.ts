import type { Clock } from "../../protocol/clock.ts";
import { InstrumentError } from "../../protocol/instrument-error.ts";
import type { Axis, AxisFault, AxisIdentity, AxisStatus } from "../../transport/axis.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { toBytes } from "../../transport/byte-text.ts";
import { Exchange, type Question } from "../../transport/exchange.ts";
import { ContinuedLineFramer } from "../../transport/line-framer.ts";
import { gcsError, STOPPED_BY_COMMAND } from "./words.ts";

export interface GcsAxisSettings {
  readonly axis: string;
  readonly velocity_mm_s: number | undefined;
  readonly acceleration_mm_s2: number | undefined;
}

type Answer = readonly string[];

const DEADLINE_ms = 400;
const ATTEMPTS = 3;
/** Single characters, sent without a line feed. */
const MOTION_STATUS = Uint8Array.of(5);
const STATUS_REGISTER = Uint8Array.of(4);
const STOP_ALL = Uint8Array.of(24);
/** Of the status register's four digits for the axis. Which level means "closed" depends on the stage. */
const NEGATIVE_LIMIT = 0x0001;
const POSITIVE_LIMIT = 0x0004;
/** Counts per millimetre, numerator and denominator, by parameter number. */
const COUNTS_NUMERATOR = 14;
const COUNTS_DENOMINATOR = 15;
const RESOLUTION_mm = 0.0001;
const HOMING_EXTRA_ms = 120_000;
/** Positions are written with four digits behind the point and may differ by the last one. */
const TARGET_TOLERANCE_mm = 0.0002;

/** One axis of a controller that speaks GCS 2. */
export class GcsAxis implements Axis {
  readonly #link: ByteLink;
  readonly #settings: GcsAxisSettings;
  readonly #exchange: Exchange<Answer>;
  #model: string | undefined;
  /** Error that was read while the servo was off; reading it clears it in the controller. */
  #motionError: number | undefined;
  #position_mm: number | undefined;
  /** The limit switch that lies ahead of the motion under way, and its signal when the motion began. */
  #ahead: { readonly bit: number; readonly name: string; readonly level: number } | undefined;

  constructor(link: ByteLink, clock: Clock, settings: GcsAxisSettings) {
    this.#link = link;
    this.#settings = settings;
    this.#exchange = new Exchange({
      link,
      clock,
      framer: new ContinuedLineFramer(),
      deadline_ms: DEADLINE_ms,
      instrument: () => this.#name(),
      isNoise: ([text = ""]) => !looksLikeAnswer(text.trim()),
      probes: [
        () => this.#probe("*IDN?", identificationIn),
        () =>
          this.#probe(`SPA? ${settings.axis} ${COUNTS_NUMERATOR}`, (text) => this.#parameterIn(text, COUNTS_NUMERATOR)),
      ],
    });
  }

  get fallbackName(): string {
    return `PI stage at ${this.#link.name}`;
  }

  get linkIsOpen(): boolean {
    return this.#link.isOpen;
  }

  async connect(stopFirst: boolean): Promise<AxisIdentity> {
    if (!this.#link.isOpen) {
      await this.#link.open();
    }
    if (stopFirst) {
      await this.stop();
    } else {
      // A half command of another program ends here.
      await this.#exchange.tell(toBytes("\n"));
    }
    this.#exchange.loseStep();
    const identification = await this.#read("*IDN?", identificationIn);
    const [, controller = "controller", serialNumber = "unknown", firmware] = identification
      .split(",")
      .map((part) => part.trim());
    const { axis } = this.#settings;
    const stageName = await this.#readValue("CST?");
    await this.#set("VEL", this.#settings.velocity_mm_s);
    await this.#set("ACC", this.#settings.acceleration_mm_s2);
    const travelMin_mm = await this.#readNumber("TMN?");
    const travelMax_mm = await this.#readNumber("TMX?");
    const velocity_mm_s = await this.#readNumber("VEL?");
    const acceleration_mm_s2 = await this.#readNumber("ACC?");
    const numerator = await this.#readParameter(COUNTS_NUMERATOR);
    const denominator = await this.#readParameter(COUNTS_DENOMINATOR);
    await this.#readError();
    this.#model = `PI ${controller} with ${stageName}${axis === "1" ? "" : ` on axis ${axis}`}`;
    const step_mm = denominator / numerator;
    return {
      model: this.#model,
      serialNumber,
      ...(firmware === undefined ? {} : { firmware }),
      travelMin_mm,
      travelMax_mm,
      velocity_mm_s,
      acceleration_mm_s2,
      // The readback has four digits behind the point, whatever the encoder counts.
      resolution_mm: Math.max(step_mm > 0 && Number.isFinite(step_mm) ? step_mm : RESOLUTION_mm, RESOLUTION_mm),
      homing_ms: HOMING_EXTRA_ms + (4000 * (travelMax_mm - travelMin_mm)) / velocity_mm_s,
    };
  }

  async readStatus(): Promise<AxisStatus> {
    const inMotion = (await this.#exchange.ask(() => this.#motionQuestion(), { attempts: ATTEMPTS })) !== 0;
    const position_mm = await this.#readNumber("POS?");
    this.#position_mm = position_mm;
    const servoOn = (await this.#readNumber("SVO?")) === 1;
    const homed = (await this.#readNumber("FRF?")) === 1;
    // The servo still creeps towards its target when the motion profile has ended.
    const settling = servoOn && homed && !inMotion && (await this.#readNumber("ONT?")) === 0;
    const fault = servoOn ? undefined : await this.#readFault();
    // A motion that ended away from its target may have run into a switch.
    const closed = settling || fault !== undefined ? await this.#limitAheadClosed() : undefined;
    return {
      position_mm,
      moving: inMotion || settling,
      homed,
      ...(fault === undefined
        ? {}
        : { fault: closed === undefined ? fault : { ...fault, message: `${closed}: ${fault.message}` } }),
      warnings: [...(servoOn ? [] : ["the servo is off"]), ...(closed === undefined ? [] : [closed])],
    };
  }

  async startHome(): Promise<void> {
    this.#ahead = undefined;
    await this.#switchServoOn();
    await this.#command(`FRF ${this.#settings.axis}`);
  }

  async startMove(target_mm: number): Promise<void> {
    await this.#switchServoOn();
    const [bit, name] =
      target_mm >= (this.#position_mm ?? 0) ? [POSITIVE_LIMIT, "positive"] : [NEGATIVE_LIMIT, "negative"];
    this.#ahead = { bit, name, level: (await this.#readStatusRegister()) & bit };
    await this.#command(`MOV ${this.#settings.axis} ${target_mm.toFixed(4)}`);
    // The line has no checksum: ask where the controller thinks that it is going.
    const accepted_mm = await this.#readNumber("MOV?");
    if (Math.abs(accepted_mm - target_mm) > TARGET_TOLERANCE_mm) {
      throw new InstrumentError(
        "bad_reply",
        this.#name(),
        `the controller goes to ${accepted_mm} mm, ${target_mm.toFixed(4)} mm was asked for`,
        { name: "target_mm", value: accepted_mm, unit: "mm", limit: target_mm },
      );
    }
  }

  async stop(): Promise<void> {
    await this.#exchange.interject(STOP_ALL);
    // "Stopped by command" is no fault: it is read here, so that no later command is blamed for it.
    await this.#readError();
  }

  async disconnect(): Promise<void> {
    await this.#link.close();
  }

  async #switchServoOn(): Promise<void> {
    this.#motionError = undefined;
    if ((await this.#readNumber("SVO?")) !== 1) {
      await this.#command(`SVO ${this.#settings.axis} 1`);
    }
  }

  /** The name of the switch ahead of the motion where its signal has changed since the motion began. */
  async #limitAheadClosed(): Promise<string | undefined> {
    const { bit, name, level } = this.#ahead ?? {};
    if (bit === undefined || ((await this.#readStatusRegister()) & bit) === level) return undefined;
    return `the stage ran into its ${name} limit switch`;
  }

  async #readStatusRegister(): Promise<number> {
    return this.#exchange.ask(
      () =>
        this.#single("#4", STATUS_REGISTER, (text) =>
          /^0x[0-9A-Fa-f]{1,8}$/.test(text) ? Number.parseInt(text, 16) : undefined,
        ),
      { attempts: ATTEMPTS },
    );
  }

  /** A servo that is off by itself leaves its reason in the error; one that nobody switched on yet has none. */
  async #readFault(): Promise<AxisFault | undefined> {
    const number = await this.#readError();
    if (number !== 0 && number !== STOPPED_BY_COMMAND) {
      this.#motionError = number;
    }
    if (this.#motionError === undefined) {
      return undefined;
    }
    const { code, words } = gcsError(this.#motionError);
    return { code, message: words, reply: String(this.#motionError) };
  }

  async #readError(): Promise<number> {
    return this.#read("ERR?", (text) => (/^-?\d+$/.test(text) ? Number(text) : undefined));
  }

  async #set(command: "VEL" | "ACC", value: number | undefined): Promise<void> {
    if (value !== undefined && (await this.#readNumber(`${command}?`)) !== value) {
      await this.#command(`${command} ${this.#settings.axis} ${value}`);
    }
  }

  /** Sends a silent command and asks whether it was accepted. */
  async #command(text: string): Promise<void> {
    await this.#readError();
    await this.#exchange.tell(toBytes(`${text}\n`));
    const number = await this.#readError();
    if (number !== 0) {
      const { code, words } = gcsError(number);
      throw new InstrumentError(code, this.#name(), `"${text}" was refused: ${words}`, {
        name: text,
        reply: String(number),
      });
    }
  }

  /** The answer to a question about the axis: "1=12.5000". */
  #valueIn(text: string): string | undefined {
    const prefix = `${this.#settings.axis}=`;
    return text.startsWith(prefix) ? text.slice(prefix.length).trim() : undefined;
  }

  #numberIn(text: string): number | undefined {
    const value = this.#valueIn(text);
    const number = Number(value);
    return value === undefined || value === "" || !Number.isFinite(number) ? undefined : number;
  }

  async #readValue(command: string): Promise<string> {
    return this.#read(`${command} ${this.#settings.axis}`, (text) => this.#valueIn(text));
  }

  async #readNumber(command: string): Promise<number> {
    return this.#read(`${command} ${this.#settings.axis}`, (text) => this.#numberIn(text));
  }

  #parameterIn(text: string, number: number): number | undefined {
    const prefix = `${this.#settings.axis} ${number}=`;
    const value = Number(text.slice(prefix.length));
    return text.startsWith(prefix) && Number.isFinite(value) ? value : undefined;
  }

  async #readParameter(number: number): Promise<number> {
    return this.#read(`SPA? ${this.#settings.axis} ${number}`, (text) => this.#parameterIn(text, number));
  }

  async #read<Value>(command: string, parse: (text: string) => Value | undefined): Promise<Value> {
    return this.#exchange.ask(() => this.#question(command, parse), { attempts: ATTEMPTS });
  }

  #question<Value>(command: string, parse: (text: string) => Value | undefined): Question<Answer, Value> {
    return {
      what: `"${command}"`,
      bytes: toBytes(`${command}\n`),
      take: (answer) => ({ answer: this.#parse(command, answer, parse) }),
    };
  }

  /** A question that passes over everything but its own answer. */
  #probe(command: string, parse: (text: string) => unknown): Question<Answer, unknown> {
    return {
      what: `"${command}"`,
      bytes: toBytes(`${command}\n`),
      take: ([text = ""]) => (parse(text.trim()) === undefined ? "foreign" : { answer: text }),
    };
  }

  #motionQuestion(): Question<Answer, number> {
    return this.#single("#5", MOTION_STATUS, (text) =>
      /^[0-9A-Fa-f]+$/.test(text) ? Number.parseInt(text, 16) : undefined,
    );
  }

  /** A question of one character, sent without a line feed. */
  #single<Value>(what: string, bytes: Uint8Array, parse: (text: string) => Value | undefined): Question<Answer, Value> {
    return { what: `"${what}"`, bytes, take: (answer) => ({ answer: this.#parse(what, answer, parse) }) };
  }

  #parse<Value>(command: string, answer: Answer, parse: (text: string) => Value | undefined): Value {
    const text = answer.join("\n");
    const value = answer.length === 1 ? parse(text.trim()) : undefined;
    if (value === undefined) {
      throw new InstrumentError("bad_reply", this.#name(), `"${text}" does not answer "${command}"`, { reply: text });
    }
    return value;
  }

  #name(): string {
    return this.#model ?? this.fallbackName;
  }
}

/** Answers are numbers, values behind the "=" of their axis, or the identification. */
function looksLikeAnswer(text: string): boolean {
  return (
    /^(?:-?\d+|0x[0-9A-Fa-f]+|[0-9A-Fa-f]+)$|^\w+(?: \d+)?=[\x20-\x7e]*$/.test(text) ||
    identificationIn(text) !== undefined
  );
}

function identificationIn(text: string): string | undefined {
  return text.includes("Physik Instrumente") ? text : undefined;
}
