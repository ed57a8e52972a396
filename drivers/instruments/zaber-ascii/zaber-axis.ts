import type { Clock } from "../../protocol/clock.ts";
import { InstrumentError } from "../../protocol/instrument-error.ts";
import type { Axis, AxisIdentity, AxisStatus } from "../../transport/axis.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { toBytes } from "../../transport/byte-text.ts";
import { type AskOptions, Exchange, type Question } from "../../transport/exchange.ts";
import { LineFramer } from "../../transport/line-framer.ts";
import type { Framer } from "../../transport/framer.ts";
import { parseZaberLine, type ZaberMessage, type ZaberReply, zaberCommand } from "./message.ts";
import { faultOf, hidesReference, rejectionInWords, warningOf } from "./words.ts";

export interface ZaberAxisSettings {
  /** Address of the device on its chain, 1–99. */
  readonly device: number;
  /** Axis of the device, from 1. */
  readonly axis: number;
  readonly microstepSize_mm: number;
  readonly velocity_mm_s: number | undefined;
  readonly acceleration_mm_s2: number | undefined;
}

const CHECKSUMS = "comm.checksum";
const DEADLINE_ms = 400;
/** Queries, and commands that may be given twice with one effect. */
const ATTEMPTS = 3;
const SPEED_FACTOR = 1.6384;
const ACCELERATION_FACTOR = 1.6384 / 10_000;
/** An acceleration of 0 stands for none at all; the watch on a move needs a number. */
const NO_RAMP_mm_s2 = 1e5;
const HOMING_EXTRA_ms = 120_000;

class ZaberFramer implements Framer<ZaberMessage> {
  readonly #lines = new LineFramer();

  push(bytes: Uint8Array): ZaberMessage[] {
    return this.#lines.push(bytes).map(parseZaberLine);
  }

  reset(): void {
    this.#lines.reset();
  }
}

/** One axis of a Zaber device. */
export class ZaberAxis implements Axis {
  readonly #link: ByteLink;
  readonly #settings: ZaberAxisSettings;
  readonly #exchange: Exchange<ZaberMessage>;
  #messageId = 0;
  #model: string | undefined;
  /** The device appends checksums, so a reply without one has been garbled. */
  #repliesAreChecked = false;

  constructor(link: ByteLink, clock: Clock, settings: ZaberAxisSettings) {
    this.#link = link;
    this.#settings = settings;
    this.#exchange = new Exchange({
      link,
      clock,
      framer: new ZaberFramer(),
      deadline_ms: DEADLINE_ms,
      instrument: () => this.#model ?? this.fallbackName,
      isNoise: (message) => message.kind === "noise" || this.#isDoubtful(message),
    });
  }

  get fallbackName(): string {
    return `Zaber stage at ${this.#link.name}`;
  }

  get linkIsOpen(): boolean {
    return this.#link.isOpen;
  }

  async connect(stopFirst: boolean): Promise<AxisIdentity> {
    if (!this.#link.isOpen) {
      await this.#link.open();
    }
    this.#repliesAreChecked = false;
    if (stopFirst) {
      await this.stop();
    }
    this.#repliesAreChecked = await this.#askForChecksums();
    const deviceId = (await this.#readOptional("device.id")) ?? (await this.#read("deviceid"));
    const serialNumber = await this.#read("system.serial");
    const firmware = await this.#read("version");
    const peripheralId = (await this.#readOptional("peripheral.id")) ?? (await this.#readOptional("peripheralid"));
    if (this.#settings.velocity_mm_s !== undefined) {
      await this.#write("maxspeed", Math.round(this.#toCounts(this.#settings.velocity_mm_s) * SPEED_FACTOR));
    }
    if (this.#settings.acceleration_mm_s2 !== undefined) {
      await this.#write("accel", Math.round(this.#toCounts(this.#settings.acceleration_mm_s2) * ACCELERATION_FACTOR));
    }
    const min_mm = this.#toMillimetres(await this.#readNumber("limit.min"));
    const max_mm = this.#toMillimetres(await this.#readNumber("limit.max"));
    const velocity_mm_s = this.#toMillimetres((await this.#readNumber("maxspeed")) / SPEED_FACTOR);
    const acceleration = await this.#readNumber("accel");
    this.#model = `Zaber device ${deviceId}${peripheralId === undefined ? "" : ` with peripheral ${peripheralId}`}`;
    return {
      model: this.#model,
      serialNumber,
      firmware,
      travelMin_mm: min_mm,
      travelMax_mm: max_mm,
      velocity_mm_s,
      acceleration_mm_s2: acceleration === 0 ? NO_RAMP_mm_s2 : this.#toMillimetres(acceleration / ACCELERATION_FACTOR),
      resolution_mm: this.#settings.microstepSize_mm,
      homing_ms: HOMING_EXTRA_ms + (10_000 * (max_mm - min_mm)) / velocity_mm_s,
    };
  }

  async readStatus(): Promise<AxisStatus> {
    const reply = await this.#ask("get pos", { attempts: ATTEMPTS });
    // A reply shows the highest flag alone. Most flags stand above the one for a lost reference and hide it.
    const flags = hidesReference(reply.flag) ? await this.#readFlags() : [reply.flag];
    const fault = reply.busy ? undefined : faultOf(flags[0] ?? "--", reply.text);
    return {
      position_mm: this.#toMillimetres(this.#toInteger(reply)),
      moving: reply.busy,
      homed: !flags.includes("WR"),
      ...(fault === undefined ? {} : { fault }),
      warnings: flags.flatMap((flag) => warningOf(flag) ?? []),
    };
  }

  async startHome(): Promise<void> {
    await this.#ask("home");
  }

  async startMove(target_mm: number): Promise<void> {
    await this.#ask(`move abs ${Math.round(this.#toCounts(target_mm))}`);
  }

  async stop(): Promise<void> {
    await this.#ask("stop", { urgent: true });
  }

  async disconnect(): Promise<void> {
    await this.#link.close();
  }

  /** Has the device append checksums to its replies. Returns whether it does: early firmware cannot. */
  async #askForChecksums(): Promise<boolean> {
    if ((await this.#readOptional(CHECKSUMS)) === undefined) {
      return false;
    }
    await this.#write(CHECKSUMS, 1);
    return true;
  }

  #isDoubtful(message: ZaberMessage): boolean {
    return this.#repliesAreChecked && message.kind === "reply" && !message.checked;
  }

  #toMillimetres(counts: number): number {
    return counts * this.#settings.microstepSize_mm;
  }

  #toCounts(length_mm: number): number {
    return length_mm / this.#settings.microstepSize_mm;
  }

  #toInteger(reply: ZaberReply): number {
    if (!/^-?\d+$/.test(reply.data)) {
      throw new InstrumentError("bad_reply", this.#name(), `expected a whole number, got "${reply.data}"`, {
        reply: reply.text,
      });
    }
    return Number(reply.data);
  }

  async #readFlags(): Promise<string[]> {
    const reply = await this.#ask("warnings", { attempts: ATTEMPTS });
    return reply.data.split(" ").slice(1);
  }

  async #read(setting: string): Promise<string> {
    return (await this.#ask(`get ${setting}`, { attempts: ATTEMPTS })).data;
  }

  async #readNumber(setting: string): Promise<number> {
    const text = await this.#read(setting);
    const value = Number(text);
    if (text === "" || !Number.isFinite(value)) {
      throw new InstrumentError("bad_reply", this.#name(), `expected a number for ${setting}, got "${text}"`, {
        name: setting,
        reply: text,
      });
    }
    return value;
  }

  /** The setting, or undefined when the device does not have it. */
  async #readOptional(setting: string): Promise<string | undefined> {
    try {
      return await this.#read(setting);
    } catch (error) {
      if (error instanceof InstrumentError && error.code === "refused") {
        return undefined;
      }
      throw error;
    }
  }

  /** Sets what is not set already: settings are kept in memory that wears. */
  async #write(setting: string, value: number): Promise<void> {
    if ((await this.#readNumber(setting)) !== value) {
      await this.#ask(`set ${setting} ${value}`, { attempts: ATTEMPTS });
    }
  }

  async #ask(text: string, options: AskOptions = {}): Promise<ZaberReply> {
    return this.#exchange.ask(() => this.#question(text), options);
  }

  #question(text: string): Question<ZaberMessage, ZaberReply> {
    const { device, axis } = this.#settings;
    this.#messageId = (this.#messageId + 1) % 100;
    const messageId = this.#messageId;
    return {
      what: `"${text}"`,
      bytes: toBytes(zaberCommand(device, axis, messageId, text)),
      take: (message) => {
        if (
          this.#isDoubtful(message) ||
          message.kind !== "reply" ||
          message.device !== device ||
          message.messageId !== messageId
        ) {
          return "foreign";
        }
        if (message.accepted) {
          return { answer: message };
        }
        const needsHome = message.flag === "WR" && text.startsWith("move");
        throw new InstrumentError(
          needsHome ? "not_homed" : "refused",
          this.#name(),
          `"${text}" was rejected: ${rejectionInWords(message.data)}`,
          { name: text, reply: message.text },
          needsHome ? "home the stage" : undefined,
        );
      },
    };
  }

  #name(): string {
    return this.#model ?? this.fallbackName;
  }
}
