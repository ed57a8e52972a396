import type { Clock } from "../../protocol/clock.ts";
import { InstrumentError } from "../../protocol/instrument-error.ts";
import { type AptPacket, AptPacketFramer, aptHeader, aptMessage } from "../../transport/apt-packet-framer.ts";
import type { Axis, AxisIdentity, AxisStatus } from "../../transport/axis.ts";
import type { ByteLink } from "../../transport/byte-link.ts";
import { toHex, toText } from "../../transport/byte-text.ts";
import { Exchange, type Question } from "../../transport/exchange.ts";
import { AptId, isKnownAptId } from "./message-ids.ts";
import { faultIn, isHomed, isMoving, warningsIn } from "./status-bits.ts";

/** Counts of one controller with one stage. */
export interface AptScale {
  readonly countsPerMm: number;
  readonly countsPerMmPerSecond: number;
  readonly countsPerMmPerSecond2: number;
  readonly travel_mm: number;
  /** DC servo controllers (KDC101) have status messages of their own. */
  readonly servo: boolean;
}

/** What the controller must be set to before anything moves; each is checked only where it is given. */
export interface AptExpectation {
  /** 1 forward, 2 reverse. */
  readonly homeDirection?: number;
  /** 1 reverse switch, 4 forward switch. */
  readonly homeLimitSwitch?: number;
  readonly backlash_mm?: number;
  /** Bits as in the manual: 1 ignore, 2 makes on contact, 3 breaks on contact. */
  readonly forwardSwitch?: number;
  readonly reverseSwitch?: number;
}

export interface AptAxisSettings {
  readonly scale: AptScale;
  readonly expect: AptExpectation;
  readonly address: number;
  readonly velocity_mm_s: number | undefined;
  readonly acceleration_mm_s2: number | undefined;
}

const DEADLINE_ms = 300;
const ATTEMPTS = 3;
/** Controllers lose bytes of messages that follow each other at once. */
const GAP_ms = 3;
const CHANNEL = 1;
/** Largest number in a 32-bit field. */
const COUNTS_MAX = 0x7fff_ffff;
const STOP_PROFILED = 2;
/** Homing of a long stage at factory velocity has been seen to take two minutes. */
const HOMING_EXTRA_ms = 120_000;

interface HomeParameters {
  readonly direction: number;
  readonly limitSwitch: number;
  readonly velocity_mm_s: number;
}

/** One channel of an APT controller. */
export class AptAxis implements Axis {
  readonly #link: ByteLink;
  readonly #settings: AptAxisSettings;
  readonly #exchange: Exchange<AptPacket>;
  #model: string | undefined;
  #home: HomeParameters | undefined;
  /** What the controller said, without being asked, since the last order to move. */
  #complaint: string | undefined;

  constructor(link: ByteLink, clock: Clock, settings: AptAxisSettings) {
    this.#link = link;
    this.#settings = settings;
    this.#exchange = new Exchange({
      link,
      clock,
      framer: new AptPacketFramer(isKnownAptId),
      deadline_ms: DEADLINE_ms,
      gap_ms: GAP_ms,
      instrument: () => this.#name(),
      onUnsolicited: (packet) => this.#hear(packet),
      probes: [
        () => this.#query(AptId.hardwareRequestInfo, AptId.hardwareGetInfo),
        () => this.#query(AptId.requestVelocityParameters, AptId.getVelocityParameters),
      ],
    });
  }

  get fallbackName(): string {
    return `Thorlabs stage at ${this.#link.name}`;
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
    // Updates that another program asked for would have to be acknowledged; this driver asks instead.
    await this.#exchange.tell(aptHeader(AptId.hardwareStopUpdates, 0, 0, this.#settings.address));
    this.#exchange.loseStep();
    const info = await this.#ask(AptId.hardwareRequestInfo, AptId.hardwareGetInfo, 84);
    const serialNumber = String(view(info).getUint32(0, true));
    const name = toText(info.slice(4, 12)).replace(/\0.*$/s, "");
    const [minor = 0, interim = 0, major = 0] = info.slice(14, 17);
    await this.#setVelocity();
    const motion = view(await this.#ask(AptId.requestVelocityParameters, AptId.getVelocityParameters, 14));
    const { scale } = this.#settings;
    const acceleration_mm_s2 = motion.getInt32(6, true) / scale.countsPerMmPerSecond2;
    const velocity_mm_s = motion.getInt32(10, true) / scale.countsPerMmPerSecond;
    this.#model = `Thorlabs ${name}`;
    if (!(velocity_mm_s > 0 && acceleration_mm_s2 > 0)) {
      throw new InstrumentError(
        "faulted",
        this.#name(),
        "velocity or acceleration is zero: the controller's parameters were never loaded",
        { name: "velocity_mm_s", value: velocity_mm_s, unit: "mm/s" },
        "load them with the maker's program, or give velocity and acceleration in the bench file",
      );
    }
    this.#home = await this.#readHomeParameters();
    return {
      model: this.#model,
      serialNumber,
      firmware: `${major}.${interim}.${minor}`,
      travelMin_mm: 0,
      travelMax_mm: scale.travel_mm,
      velocity_mm_s,
      acceleration_mm_s2,
      resolution_mm: 1 / scale.countsPerMm,
      homing_ms: HOMING_EXTRA_ms + (2000 * scale.travel_mm) / Math.max(this.#home.velocity_mm_s, 0.5),
    };
  }

  async readStatus(): Promise<AxisStatus> {
    const { scale } = this.#settings;
    const data = await (scale.servo
      ? this.#ask(AptId.requestServoStatus, AptId.getServoStatus, 14)
      : this.#ask(AptId.requestStepperStatus, AptId.getStepperStatus, 14));
    const bits = view(data).getUint32(10, true);
    const fault =
      this.#complaint === undefined ? faultIn(bits) : ({ code: "faulted", message: this.#complaint } as const);
    return {
      position_mm: view(data).getInt32(2, true) / scale.countsPerMm,
      moving: isMoving(bits),
      homed: isHomed(bits),
      ...(fault === undefined ? {} : { fault }),
      warnings: warningsIn(bits),
    };
  }

  async startHome(): Promise<void> {
    await this.#checkParameters();
    if (!((this.#home?.velocity_mm_s ?? 0) > 0)) {
      throw new InstrumentError(
        "refused",
        this.#name(),
        "the controller's home velocity is zero, homing would never end",
        { name: "home velocity", value: 0, unit: "mm/s" },
        "load the stage's parameters with the maker's program",
      );
    }
    await this.#enable();
    await this.#exchange.tell(aptHeader(AptId.moveHome, CHANNEL, 0, this.#settings.address));
  }

  async startMove(target_mm: number): Promise<void> {
    await this.#checkParameters();
    await this.#enable();
    const data = new Uint8Array(6);
    view(data).setUint16(0, CHANNEL, true);
    view(data).setInt32(2, Math.round(target_mm * this.#settings.scale.countsPerMm), true);
    await this.#exchange.tell(aptMessage(AptId.moveAbsolute, this.#settings.address, data));
  }

  async stop(): Promise<void> {
    await this.#exchange.interject(aptHeader(AptId.moveStop, CHANNEL, STOP_PROFILED, this.#settings.address));
  }

  async disconnect(): Promise<void> {
    await this.#link.close();
  }

  /** A KDC101 comes up with its motor switched off. */
  async #enable(): Promise<void> {
    const enabled = async (): Promise<boolean> => {
      const { parameter2 } = await this.#askPacket(AptId.requestChannelEnable, AptId.getChannelEnable);
      return parameter2 === 1;
    };
    if (await enabled()) {
      return;
    }
    await this.#exchange.tell(aptHeader(AptId.setChannelEnable, CHANNEL, 1, this.#settings.address));
    if (!(await enabled())) {
      throw new InstrumentError(
        "refused",
        this.#name(),
        "the motor cannot be enabled",
        {},
        "check the controller's panel",
      );
    }
  }

  /** Writes what differs: the controller's own values stand otherwise. */
  async #setVelocity(): Promise<void> {
    const { velocity_mm_s, acceleration_mm_s2, scale } = this.#settings;
    if (velocity_mm_s === undefined && acceleration_mm_s2 === undefined) {
      return;
    }
    const data = await this.#ask(AptId.requestVelocityParameters, AptId.getVelocityParameters, 14);
    const before = toHex(data);
    if (acceleration_mm_s2 !== undefined) {
      this.#putCounts(data, 6, "acceleration_mm_s2", acceleration_mm_s2, scale.countsPerMmPerSecond2);
    }
    if (velocity_mm_s !== undefined) {
      this.#putCounts(data, 10, "velocity_mm_s", velocity_mm_s, scale.countsPerMmPerSecond);
    }
    if (toHex(data) !== before) {
      await this.#exchange.tell(aptMessage(AptId.setVelocityParameters, this.#settings.address, data));
    }
  }

  #putCounts(data: Uint8Array, offset: number, name: string, value: number, countsPerUnit: number): void {
    const counts = Math.round(value * countsPerUnit);
    if (!(counts > 0 && counts <= COUNTS_MAX)) {
      throw new InstrumentError("out_of_range", this.#name(), `${name} of ${value} cannot be set`, {
        name,
        value,
        limit: COUNTS_MAX / countsPerUnit,
      });
    }
    view(data).setInt32(offset, counts, true);
  }

  async #readHomeParameters(): Promise<HomeParameters> {
    const data = view(await this.#ask(AptId.requestHomeParameters, AptId.getHomeParameters, 14));
    return {
      direction: data.getUint16(2, true),
      limitSwitch: data.getUint16(4, true),
      velocity_mm_s: data.getInt32(6, true) / this.#settings.scale.countsPerMmPerSecond,
    };
  }

  /**
   * Stages have run away after power-up because their parameters were not those of the maker's program. They are read
   * before each motion, which also shows whether the controller still is what it was.
   */
  async #checkParameters(): Promise<void> {
    this.#complaint = undefined;
    const { expect, scale } = this.#settings;
    this.#home = await this.#readHomeParameters();
    const found: [string, number, number | undefined][] = [
      ["home direction", this.#home.direction, expect.homeDirection],
      ["home limit switch", this.#home.limitSwitch, expect.homeLimitSwitch],
    ];
    if (expect.backlash_mm !== undefined) {
      const data = view(await this.#ask(AptId.requestGeneralMoveParameters, AptId.getGeneralMoveParameters, 6));
      const backlash_mm = data.getInt32(2, true) / scale.countsPerMm;
      found.push(["backlash in mm", Math.round(backlash_mm * 1e4) / 1e4, expect.backlash_mm]);
    }
    if (expect.forwardSwitch !== undefined || expect.reverseSwitch !== undefined) {
      const data = view(await this.#ask(AptId.requestLimitSwitchParameters, AptId.getLimitSwitchParameters, 16));
      found.push(["forward switch", data.getUint16(2, true), expect.forwardSwitch]);
      found.push(["reverse switch", data.getUint16(4, true), expect.reverseSwitch]);
    }
    for (const [name, value, limit] of found) {
      if (limit !== undefined && value !== limit) {
        throw new InstrumentError(
          "faulted",
          this.#name(),
          `${name} is ${value} in the controller and ${limit} in the bench file; nothing was moved`,
          { name, value, limit },
          "load the stage's parameters with the maker's program, or correct the bench file",
        );
      }
    }
  }

  async #ask(request: number, reply: number, length: number): Promise<Uint8Array> {
    const { data } = await this.#askPacket(request, reply, length);
    return Uint8Array.from(data);
  }

  async #askPacket(request: number, reply: number, length = 0): Promise<AptPacket> {
    return this.#exchange.ask(() => this.#query(request, reply, length), { attempts: ATTEMPTS });
  }

  #query(request: number, reply: number, length = 0): Question<AptPacket, AptPacket> {
    return {
      what: `message 0x${request.toString(16).padStart(4, "0")}`,
      bytes: aptHeader(request, request === AptId.hardwareRequestInfo ? 0 : CHANNEL, 0, this.#settings.address),
      take: (packet) => {
        if (packet.id !== reply) {
          return "foreign";
        }
        if (
          packet.data.length < length ||
          (length > 6 && length < 84 && view(packet.data).getUint16(0, true) !== CHANNEL)
        ) {
          throw new InstrumentError("bad_reply", this.#name(), "the answer does not fit the question", {
            reply: toHex(packet.data),
          });
        }
        return { answer: packet };
      },
    };
  }

  #hear(packet: AptPacket): void {
    if (packet.id === AptId.hardwareRichResponse && packet.data.length >= 4) {
      const notes = toText(packet.data.slice(4)).replace(/\0.*$/s, "");
      this.#complaint = `the controller reports "${notes}" (code ${view(packet.data).getUint16(2, true)})`;
    } else if (packet.id === AptId.hardwareResponse) {
      this.#complaint = "the controller reports an error";
    }
  }

  #name(): string {
    return this.#model ?? this.fallbackName;
  }
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.length);
}
