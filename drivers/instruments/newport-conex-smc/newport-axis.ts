import type { Clock } from "../../protocol/clock.ts";
import { InstrumentError } from "../../protocol/instrument-error.ts";
import type { Axis, AxisFault, AxisIdentity, AxisStatus } from "../../transport/axis.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { toBytes } from "../../transport/byte-text.ts";
import { Exchange, type Question } from "../../transport/exchange.ts";
import { LineFramer } from "../../transport/line-framer.ts";
import { conditionOf, errorInWords, type NewportCondition, positionerErrorsInWords } from "./words.ts";

export interface NewportAxisSettings {
  readonly address: number;
  /** Pause between commands; the SMC100 drops what comes sooner. */
  readonly gap_ms: number;
  readonly velocity_mm_s: number | undefined;
  readonly acceleration_mm_s2: number | undefined;
}

interface ControllerState {
  readonly condition: NewportCondition;
  readonly errors: readonly string[];
  readonly reply: string;
}

const DEADLINE_ms = 400;
const ATTEMPTS = 3;
/** Where the controller does not say what its encoder counts. */
const RESOLUTION_mm = 0.0001;
const HOMING_ms = 300_000;
const NO_ERROR = "@";

/** One controller on its line, which may be shared with others of other addresses. */
export class NewportAxis implements Axis {
  readonly #link: ByteLink;
  readonly #settings: NewportAxisSettings;
  readonly #exchange: Exchange<string>;
  #model: string | undefined;

  constructor(link: ByteLink, clock: Clock, settings: NewportAxisSettings) {
    this.#link = link;
    this.#settings = settings;
    this.#exchange = new Exchange({
      link,
      clock,
      framer: new LineFramer(),
      deadline_ms: DEADLINE_ms,
      gap_ms: settings.gap_ms,
      instrument: () => this.#name(),
      isNoise: (line) => !/^\d{1,2}[A-Z]{2}/.test(line),
      probes: [() => this.#query("VE"), () => this.#query("SL", "?")],
    });
  }

  get fallbackName(): string {
    return `Newport stage at ${this.#link.name}`;
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
    }
    this.#exchange.loseStep();
    const version = (await this.#read("VE")).trim();
    const stageName = await this.#read("ID", "?");
    await this.#set("VA", this.#settings.velocity_mm_s);
    await this.#set("AC", this.#settings.acceleration_mm_s2);
    const travelMin_mm = await this.#readNumber("SL", "?");
    const travelMax_mm = await this.#readNumber("SR", "?");
    const velocity_mm_s = await this.#readNumber("VA", "?");
    const acceleration_mm_s2 = await this.#readNumber("AC", "?");
    const step_mm = await this.#readNumber("SU", "?").catch(() => RESOLUTION_mm);
    const [, name = version, firmware] = /^(.*\S)\s+(\S+)$/.exec(version) ?? [];
    this.#model = `Newport ${name} with ${stageName}`;
    return {
      model: this.#model,
      // Neither controller tells a serial number of its own; stage and address are what can be compared.
      serialNumber: `${stageName}#${this.#settings.address}`,
      ...(firmware === undefined ? {} : { firmware }),
      travelMin_mm,
      travelMax_mm,
      velocity_mm_s,
      acceleration_mm_s2,
      resolution_mm: Math.max(step_mm, 0.00001),
      homing_ms: HOMING_ms,
    };
  }

  async readStatus(): Promise<AxisStatus> {
    const state = await this.#readState();
    const position_mm = await this.#readNumber("TP");
    const { condition, errors } = state;
    const homed = condition === "ready" || condition === "moving" || condition === "disabled";
    const fault = this.#faultIn(state);
    return {
      position_mm,
      moving: condition === "moving" || condition === "homing",
      homed,
      ...(fault === undefined ? {} : { fault }),
      ...(homed || errors.length === 0 ? {} : { lost: `the controller lost its reference: ${errors.join(", ")}` }),
      warnings: errors,
    };
  }

  async startHome(): Promise<void> {
    const { condition } = await this.#readState();
    // A homed controller refuses to home again; there is nothing to be done then.
    if (condition === "ready") {
      return;
    }
    if (condition === "disabled") {
      await this.#command("MM", "1");
      return;
    }
    await this.#command("OR", "");
  }

  async startMove(target_mm: number): Promise<void> {
    const { condition } = await this.#readState();
    // After a stall the motor stays off until it is told otherwise; whoever orders a move has heard of the stall.
    if (condition === "disabled") {
      await this.#command("MM", "1");
    }
    await this.#command("PA", target_mm.toFixed(5));
  }

  async stop(): Promise<void> {
    const bytes = this.#bytes("ST", "");
    await this.#exchange.interject(bytes);
    // The first may fall into the pause that the controller needs after another command.
    await this.#exchange.tell(bytes);
  }

  async disconnect(): Promise<void> {
    await this.#link.close();
  }

  #faultIn({ condition, errors, reply }: ControllerState): AxisFault | undefined {
    if (condition === "disabled") {
      const reason = errors.length === 0 ? "" : `: ${errors.join(", ")}`;
      return { code: "position_error", message: `the controller switched its motor off${reason}`, reply };
    }
    if (condition === "configuration") {
      return { code: "faulted", message: "the controller is in its configuration state", reply };
    }
    return condition === "not-referenced" && errors.length > 0
      ? { code: "position_error", message: errors.join(", "), reply }
      : undefined;
  }

  async #readState(): Promise<ControllerState> {
    return this.#exchange.ask(
      () => ({
        what: '"TS"',
        bytes: this.#bytes("TS", ""),
        take: (line) => {
          const prefix = `${this.#settings.address}TS`;
          if (!line.startsWith(prefix)) {
            return "foreign";
          }
          const match = /^([0-9A-Fa-f]{4})([0-9A-Fa-f]{2})$/.exec(line.slice(prefix.length));
          const condition = conditionOf(Number.parseInt(match?.[2] ?? "", 16));
          if (match?.[1] === undefined || condition === undefined) {
            throw this.#badReply("four digits of errors and two of a known state", line);
          }
          return {
            answer: { condition, errors: positionerErrorsInWords(Number.parseInt(match[1], 16)), reply: line },
          };
        },
      }),
      { attempts: ATTEMPTS },
    );
  }

  async #read(command: string, argument = ""): Promise<string> {
    return this.#exchange.ask(() => this.#query(command, argument), { attempts: ATTEMPTS });
  }

  async #readNumber(command: string, argument = ""): Promise<number> {
    return this.#exchange.ask(
      () => {
        const question = this.#query(command, argument);
        return {
          ...question,
          take: (line) => {
            const taken = question.take(line);
            if (typeof taken === "string") {
              return taken;
            }
            const text = taken.answer.trim();
            const value = Number(text);
            if (text === "" || !Number.isFinite(value)) {
              throw this.#badReply("a number", line);
            }
            return { answer: value };
          },
        };
      },
      { attempts: ATTEMPTS },
    );
  }

  async #set(command: string, value: number | undefined): Promise<void> {
    if (value !== undefined && (await this.#readNumber(command, "?")) !== value) {
      await this.#command(command, String(value));
    }
  }

  /** Sends a silent command and asks whether it was accepted. */
  async #command(command: string, argument: string): Promise<void> {
    await this.#read("TE");
    await this.#exchange.tell(this.#bytes(command, argument));
    const letter = (await this.#read("TE")).trim();
    if (letter === NO_ERROR) {
      return;
    }
    const code = letter === "G" || letter === "N" ? "out_of_range" : letter === "H" ? "not_homed" : "refused";
    throw new InstrumentError(
      code,
      this.#name(),
      `"${command}${argument}" was refused: ${errorInWords(letter)}`,
      { name: command, value: argument, reply: letter },
      code === "not_homed" ? "home the stage" : undefined,
    );
  }

  #query(command: string, argument = ""): Question<string, string> {
    const prefix = `${this.#settings.address}${command}`;
    return {
      what: `"${command}${argument}"`,
      bytes: this.#bytes(command, argument),
      take: (line) => (line.startsWith(prefix) ? { answer: line.slice(prefix.length) } : "foreign"),
    };
  }

  #bytes(command: string, argument: string): Uint8Array {
    return toBytes(`${this.#settings.address}${command}${argument}\r\n`);
  }

  #badReply(expected: string, line: string): InstrumentError {
    return new InstrumentError("bad_reply", this.#name(), `expected ${expected}, got "${line}"`, { reply: line });
  }

  #name(): string {
    return this.#model ?? this.fallbackName;
  }
}
