/**
 * An integrated Zaber stage with the ASCII protocol, firmware 6 or 7.
 *
 * Sources: https://www.zaber.com/wiki/Manuals/ASCII_Protocol_Manual (firmware 6: message format, settings, commands,
 * warning flags; its descriptions of `move sin`, `move index` and of the rejections are also quoted by
 * https://github.com/lokraszewski/zaber), https://www.zaber.com/protocol-manual?protocol=ASCII (firmware 7),
 * https://www.zaber.com/articles/ascii-protocol, and for messages of several packets the crate zproto
 * (https://docs.rs/crate/zproto/latest/source/src/ascii/packet.rs and its tests). The defaults are those of an X-LSM150A:
 * 150 mm of travel, microsteps of 0.047625 µm.
 *
 * Not verified in a public text: that a command with the message ID `--` is obeyed without a reply (the manual's words on
 * BADMESSAGEID allow the form), what answers `move sin stop` while nothing swings (accepted here), which reason rejects a
 * continuation that does not fit (BADCOMMAND here), that a packet is at most 80 bytes with its footer, and that NC lasts
 * as long as the knob moves the stage. Streams, triggers, lockstep and stored positions are not spoken: BADCOMMAND.
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";
import { bytesOf, LineCollector } from "../line-collector.ts";

export interface ZaberAsciiSettings {
  /** "6.28" speaks firmware 6 (deviceid), "7.35" firmware 7 (device.id). */
  readonly firmware: string;
  readonly address: number;
  readonly deviceId: number;
  readonly serialNumber: number;
  readonly microstepSize_mm: number;
  readonly travel_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  /** True position at power-up, from the reference mark. */
  readonly position_mm: number;
  /** With an encoder the stage reports where it is, and notices a stall; without, it reports where it was sent. */
  readonly encoder: boolean;
  readonly latency_ms: number;
}

const DEFAULTS: ZaberAsciiSettings = {
  firmware: "7.35",
  address: 1,
  deviceId: 50081,
  serialNumber: 54321,
  microstepSize_mm: 47.625e-6,
  travel_mm: 150,
  velocity_mm_s: 20,
  acceleration_mm_s2: 200,
  position_mm: 40,
  encoder: true,
  latency_ms: 2,
};

/** Highest first; a reply shows the highest that is set. */
const FLAG_ORDER = (
  "FF FN FZ FH FV FO FC FM FD FQ FI FA FR FS FB FP FE FT " + "WL WV WT WS WM WP WR WH NC NI ND NR NT NU NJ NB"
).split(" ");

/** Speed and acceleration data are scaled so that they are whole numbers for the motor's timer. */
const SPEED_FACTOR = 1.6384;
const ACCELERATION_FACTOR = 1.6384 / 10_000;
/** How far behind the home sensor the carriage goes before it returns to zero. */
const HOME_OVERRUN_mm = 0.3;
const HOME_RETURN_mm_s = 1;
/** Longest packet in bytes, header and footer included; longer replies of firmware 7 go on in info messages. */
const PACKET_SIZE_MAX = 80;
/** Periods of a sinusoidal motion, in ms. */
const SWING_PERIOD_ms = { min: 0.2, max: 429_496_729.5 };
const SWING_COUNT_MAX = 4_294_967_294;
/** Commands that concern the device as a whole. */
const DEVICE_ONLY = new Set(["renumber", "system"]);
/** A stall is noticed when motor and encoder have disagreed for this long. */
const STALL_DETECTION_ms = 100;

type Reply = { readonly data: string } | { readonly rejection: string };

/** Whom a command addresses, and how its reply names it. */
interface Addressee {
  readonly axis: number;
  /** As sent; undefined without one. */
  readonly messageId: string | undefined;
}

/** A command of several packets, as far as it has come. */
interface Pending extends Addressee {
  readonly device: number;
  readonly words: readonly string[];
  readonly packets: number;
}

/** Two upper-case hexadecimal digits that make the sum of the bytes zero modulo 256. */
function checksumOf(text: string): string {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    sum += text.charCodeAt(index);
  }
  return ((256 - (sum % 256)) % 256).toString(16).toUpperCase().padStart(2, "0");
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}

export class ZaberAsciiController extends EmulatedController {
  readonly settings: ZaberAsciiSettings;
  readonly carriage: Carriage;
  readonly #lines = new LineCollector((line) => this.#onLine(line));
  readonly #flags = new Set<string>();
  readonly #registers = new Map<string, number>();
  /** True position of the counter's zero. */
  #origin_mm = 0;
  #homing = false;
  #parked = false;
  /** An emergency stop is being executed: busy, for as long as its own reply takes. */
  #halting = false;
  /** Kept through a loss of power. */
  #address: number;
  #pending: Pending | undefined;
  #callOffEnd: () => void = () => undefined;
  #callOffStall: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<ZaberAsciiSettings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
    this.#address = this.settings.address;
    this.carriage = new Carriage(this.settings.position_mm, -1, this.settings.travel_mm + 1);
    const { microstepSize_mm, travel_mm, velocity_mm_s, acceleration_mm_s2 } = this.settings;
    this.#registers.set("limit.min", 0);
    this.#registers.set("limit.max", Math.round(travel_mm / microstepSize_mm));
    this.#registers.set("maxspeed", Math.round((velocity_mm_s / microstepSize_mm) * SPEED_FACTOR));
    this.#registers.set("accel", Math.round((acceleration_mm_s2 / microstepSize_mm) * ACCELERATION_FACTOR));
    this.#registers.set("comm.alert", 0);
    this.#registers.set("comm.checksum", 0);
    this.#registers.set("resolution", 64);
    this.#registers.set("motion.index.dist", Math.round(10 / microstepSize_mm));
    this.#powerUp();
  }

  override position_mm(): number {
    return this.carriage.actual_mm(this.now_ms());
  }

  override powerCycle(): void {
    this.callOff();
    this.#lines.reset();
    this.carriage.halt(this.now_ms());
    this.#powerUp();
  }

  /** Something holds the carriage from now on. */
  jam(): void {
    this.advance();
    this.carriage.jam(this.now_ms());
    this.#watchStall();
  }

  free(): void {
    this.carriage.free(this.now_ms());
  }

  /** Raises a flag as the hardware would, for instance "FV" (voltage) or "FD" (driver disabled): motion stops. */
  raiseFault(flag: string): void {
    this.advance();
    this.#endMotion();
    this.carriage.halt(this.now_ms());
    this.#flags.add(flag);
    this.#alert();
  }

  /** A limit sensor is triggered in mid-move: the drive stops and says so with its fault flag. */
  hitLimit(): void {
    this.raiseFault("FE");
  }

  /** Somebody turns the knob: the stage moves under manual control and says so, with NC, until it stands. */
  turnKnob(distance_mm: number): void {
    this.advance();
    this.#beginMotion();
    this.#flags.add("NC");
    const { velocity_mm_s } = this.settings;
    const target_mm = this.carriage.actual_mm(this.now_ms()) + distance_mm;
    this.carriage.moveTo(target_mm, this.now_ms(), velocity_mm_s / 4, this.#acceleration_mm_s2());
    this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
      this.#flags.delete("NC");
      this.#alert();
    });
  }

  protected override handle(bytes: Uint8Array): void {
    this.#lines.push(bytes);
  }

  #powerUp(): void {
    this.#homing = false;
    this.#halting = false;
    this.#pending = undefined;
    this.#origin_mm = this.carriage.actual_mm(this.now_ms());
    this.#flags.clear();
    this.#flags.add("WR");
  }

  #onLine(line: string): void {
    const start = line.indexOf("/");
    if (start === -1) {
      return;
    }
    let text = line.slice(start + 1);
    const colon = text.lastIndexOf(":");
    if (colon !== -1) {
      // A message whose checksum is wrong is not for anybody: it is ignored without a reply.
      if (text.slice(colon + 1) !== checksumOf(text.slice(0, colon))) {
        return;
      }
      text = text.slice(0, colon);
    }
    const words = text.split(" ").filter((word) => word !== "");
    const numbers: number[] = [];
    while (numbers.length < 2 && /^\d+$/.test(words[0] ?? "")) {
      numbers.push(Number(words.shift()));
    }
    const [device = 0, axis = 0] = numbers;
    const messageId = numbers.length === 2 && /^(?:\d+|--)$/.test(words[0] ?? "") ? words.shift() : undefined;
    if (device !== 0 && device !== this.#address) {
      return;
    }
    this.#onPacket({ device, axis, messageId, words, packets: 1 });
  }

  /** A command of firmware 7 may come in several packets; all but the last end with a backslash. */
  #onPacket(packet: Pending): void {
    let { words } = packet;
    let { packets } = packet;
    const before = this.#pending;
    this.#pending = undefined;
    if (words[0] === "cont" && this.#isFirmware7()) {
      const follows =
        before !== undefined &&
        before.device === packet.device &&
        before.axis === packet.axis &&
        before.messageId === packet.messageId &&
        words[1] === String(before.packets);
      if (!follows) {
        this.#reply(packet, { rejection: "BADCOMMAND" });
        return;
      }
      packets = before.packets + 1;
      words = [...before.words, ...words.slice(2)];
    }
    const last = words.at(-1) ?? "";
    if (last.endsWith("\\") && this.#isFirmware7()) {
      const rest = last.slice(0, -1);
      this.#pending = { ...packet, packets, words: [...words.slice(0, -1), ...(rest === "" ? [] : [rest])] };
      return;
    }
    this.#obey(packet, words);
  }

  #obey(addressee: Addressee, words: readonly string[]): void {
    const { axis, messageId } = addressee;
    let reply: Reply;
    if (axis > 1) {
      reply = { rejection: "BADAXIS" };
    } else if (messageId !== undefined && messageId !== "--" && Number(messageId) > 99) {
      reply = { rejection: "BADMESSAGEID" };
    } else if (axis > 0 && DEVICE_ONLY.has(words[0] ?? "")) {
      reply = { rejection: "DEVICEONLY" };
    } else {
      reply = this.#execute(words);
    }
    this.#reply(addressee, reply);
    if (words[0] === "help" && messageId !== "--") {
      this.#send(`#${this.#addressText()} ${axis} Visit www.zaber.com for complete instruction manuals.`);
    }
    if (words[0] === "system" && words[1] === "reset" && !("rejection" in reply)) {
      this.schedule(this.now_ms() + this.settings.latency_ms, () => this.powerCycle());
    }
  }

  #reply({ axis, messageId }: Addressee, reply: Reply): void {
    if (messageId === "--") {
      return;
    }
    const id = messageId === undefined || Number(messageId) > 99 ? "" : `${messageId.padStart(2, "0")} `;
    const [verdict, data] = "rejection" in reply ? ["RJ", reply.rejection] : ["OK", reply.data];
    const status = this.#isBusy() ? "BUSY" : "IDLE";
    const head = `@${this.#addressText()} ${axis} ${id}${verdict} ${status} ${this.#highestFlag()}`;
    if (!this.#isFirmware7()) {
      this.#send(`${head} ${data}`);
      return;
    }
    // What does not fit goes on word by word in info messages that begin with "cont".
    const room = PACKET_SIZE_MAX - "\\:00\r\n".length;
    let packet = head;
    for (const word of data.split(" ")) {
      if (packet.length + 1 + word.length > room && !/ cont$/.test(packet)) {
        this.#send(`${packet}\\`);
        packet = `#${this.#addressText()} ${axis} ${id}cont`;
      }
      packet += ` ${word}`;
    }
    this.#send(packet);
  }

  #send(line: string): void {
    const checksum = this.#registers.get("comm.checksum") === 1 ? `:${checksumOf(line.slice(1))}` : "";
    this.transmit(bytesOf(`${line}${checksum}\r\n`), this.settings.latency_ms);
  }

  #alert(): void {
    if (this.#registers.get("comm.alert") === 1) {
      // Motion is a matter of the axis, not of the device.
      this.#send(`!${this.#addressText()} 1 ${this.#isBusy() ? "BUSY" : "IDLE"} ${this.#highestFlag()}`);
    }
  }

  #addressText(): string {
    return String(this.#address).padStart(2, "0");
  }

  #highestFlag(): string {
    return FLAG_ORDER.find((flag) => this.#flags.has(flag)) ?? "--";
  }

  #isBusy(): boolean {
    return this.#homing || this.#halting || this.carriage.isMoving(this.now_ms());
  }

  #execute(words: readonly string[]): Reply {
    const [verb, first, second] = words;
    switch (verb) {
      case undefined:
      case "help":
        return { data: "0" };
      case "get":
        return this.#get(first);
      case "set":
        return this.#set(first, second);
      case "home":
        return this.#refuseMotion() ?? this.#home();
      case "move":
        return this.#refuseMotion() ?? this.#move(words);
      case "stop":
      case "estop":
        this.#stop(verb === "estop");
        return { data: "0" };
      case "warnings":
        return this.#warnings(first);
      case "io":
        return first === "info" ? { data: "0 0 0 0" } : { rejection: "BADCOMMAND" };
      case "tools":
        return this.#tools(words);
      case "driver":
        return this.#driver(first);
      case "renumber":
        return this.#renumber(first);
      case "system":
        return first === "reset" ? { data: "0" } : { rejection: "BADCOMMAND" };
      default:
        return { rejection: "BADCOMMAND" };
    }
  }

  #get(name: string | undefined): Reply {
    const isFirmware7 = this.#isFirmware7();
    const value = this.#registers.get(name ?? "");
    if (value !== undefined) {
      return { data: String(value) };
    }
    switch (name) {
      case "pos":
        return { data: String(this.#count()) };
      case "encoder.pos":
        return this.settings.encoder
          ? { data: String(Math.round((this.position_mm() - this.#origin_mm) / this.settings.microstepSize_mm)) }
          : { rejection: "BADCOMMAND" };
      case "deviceid":
        return { data: String(this.settings.deviceId) };
      case "device.id":
        return isFirmware7 ? { data: String(this.settings.deviceId) } : { rejection: "BADCOMMAND" };
      case "system.serial":
        return { data: String(this.settings.serialNumber) };
      case "version":
        return { data: this.settings.firmware };
      case "system.axiscount":
        return { data: "1" };
      case "system.access":
        return { data: "1" };
      case "comm.address":
        return { data: String(this.#address) };
      case "comm.packet.size.max":
        return isFirmware7 ? { data: String(PACKET_SIZE_MAX) } : { rejection: "BADCOMMAND" };
      // An integrated stage has no peripheral: clients find out by this rejection.
      case "peripheralid":
      case "peripheral.id":
      default:
        return { rejection: "BADCOMMAND" };
    }
  }

  #set(name: string | undefined, value: string | undefined): Reply {
    if (name === "comm.address") {
      return this.#renumber(value);
    }
    if (name === undefined || !this.#registers.has(name)) {
      return { rejection: "BADCOMMAND" };
    }
    if (name === "resolution" && this.#isBusy()) {
      return { rejection: "STATUSBUSY" };
    }
    const number = Number(value);
    const isSwitch = name.startsWith("comm.");
    if (!isInteger(value) || (isSwitch && number > 1) || number < 0 || (name === "maxspeed" && number === 0)) {
      return { rejection: "BADDATA" };
    }
    this.#registers.set(name, number);
    return { data: "0" };
  }

  #refuseMotion(): Reply | undefined {
    if (this.#parked) {
      return { rejection: "PARKED" };
    }
    if (this.#flags.has("FO") || this.#flags.has("FD")) {
      return { rejection: "DRIVERDISABLED" };
    }
    return undefined;
  }

  #home(): Reply {
    this.#beginMotion();
    this.#homing = true;
    const { velocity_mm_s } = this.settings;
    this.carriage.moveTo(-HOME_OVERRUN_mm, this.now_ms(), velocity_mm_s / 2, this.#acceleration_mm_s2());
    this.#watchStall();
    this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
      this.carriage.moveTo(0, this.now_ms(), HOME_RETURN_mm_s, this.#acceleration_mm_s2());
      this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
        this.#homing = false;
        this.#origin_mm = this.position_mm();
        this.#flags.delete("WR");
        this.#flags.delete("WH");
        this.#alert();
      });
    });
    return { data: "0" };
  }

  /** Alone on its line the stage takes the number itself; in a chain the next devices would take the numbers after it. */
  #renumber(value: string | undefined): Reply {
    const number = Number(value ?? "1");
    if (!isInteger(value ?? "1") || number < 1 || number > 99) {
      return { rejection: "BADDATA" };
    }
    this.#address = number;
    return { data: "0" };
  }

  #isFirmware7(): boolean {
    return this.settings.firmware.startsWith("7");
  }

  #move(words: readonly string[]): Reply {
    const [, kind, argument] = words;
    if (kind === "sin") {
      return argument === "stop" ? this.#endSwing() : this.#swing(words.slice(2));
    }
    const hasReference = !this.#flags.has("WR");
    const low = this.#registers.get("limit.min") ?? 0;
    const high = this.#registers.get("limit.max") ?? 0;
    const takesNumber = kind === "abs" || kind === "rel" || kind === "vel" || kind === "index";
    if (takesNumber && (!isInteger(argument) || (kind === "index" && Number(argument) < 1))) {
      return { rejection: "BADDATA" };
    }
    if (kind === "rel" || kind === "abs" || kind === "index") {
      const index_count = (Number(argument) - 1) * (this.#registers.get("motion.index.dist") ?? 0);
      const place = kind === "index" ? index_count : Number(argument);
      const count = kind === "rel" ? this.#count() + place : place;
      if (hasReference ? count < low || count > high : kind !== "rel") {
        return { rejection: "BADDATA" };
      }
      this.#go(count, this.#velocity_mm_s());
      return { data: "0" };
    }
    if (kind === "vel") {
      const speed = Number(argument);
      if (Math.abs(speed) > (this.#registers.get("maxspeed") ?? 0)) {
        return { rejection: "BADDATA" };
      }
      const mm_s = (Math.abs(speed) / SPEED_FACTOR) * this.settings.microstepSize_mm;
      if (speed === 0) {
        this.#stop(false);
      } else {
        this.#go(speed > 0 ? high : low, mm_s);
      }
      return { data: "0" };
    }
    if (kind === "max" || kind === "min") {
      if (!hasReference) {
        return { rejection: "BADDATA" };
      }
      this.#go(kind === "max" ? high : low, this.#velocity_mm_s());
      return { data: "0" };
    }
    return { rejection: "BADCOMMAND" };
  }

  /** Amplitude in microsteps, half of peak to peak; period in ms; without a count it goes on until something else comes. */
  #swing([amplitude, period, count]: readonly string[]): Reply {
    const period_ms = Number(period);
    const cycles = count === undefined ? Number.POSITIVE_INFINITY : Number(count);
    const far = this.#count() + 2 * Number(amplitude);
    const outside = far < (this.#registers.get("limit.min") ?? 0) || far > (this.#registers.get("limit.max") ?? 0);
    if (
      !isInteger(amplitude) ||
      !/^\d+(?:\.\d)?$/.test(period ?? "") ||
      period_ms < SWING_PERIOD_ms.min ||
      period_ms > SWING_PERIOD_ms.max ||
      (count !== undefined && (!isInteger(count) || cycles < 1 || cycles > SWING_COUNT_MAX)) ||
      (outside && !this.#flags.has("WR"))
    ) {
      return { rejection: "BADDATA" };
    }
    this.#beginMotion();
    const amplitude_mm = Number(amplitude) * this.settings.microstepSize_mm;
    this.carriage.swing(amplitude_mm, period_ms / 1000, cycles, this.now_ms());
    this.#watchStall();
    if (count !== undefined) {
      this.#callOffEnd = this.schedule(this.carriage.end_ms, () => this.#alert());
    }
    return { data: "0" };
  }

  /** The swing ends with the cycle under way. */
  #endSwing(): Reply {
    if (this.carriage.endSwing(this.now_ms())) {
      this.#callOffEnd();
      this.#callOffEnd = this.schedule(this.carriage.end_ms, () => this.#alert());
    }
    return { data: "0" };
  }

  #go(count: number, velocity_mm_s: number): void {
    this.#beginMotion();
    const target_mm = this.#origin_mm + count * this.settings.microstepSize_mm;
    this.carriage.moveTo(target_mm, this.now_ms(), velocity_mm_s, this.#acceleration_mm_s2());
    this.#watchStall();
    this.#callOffEnd = this.schedule(this.carriage.end_ms, () => this.#alert());
  }

  /** The flags that a new motion clears, and the one that it sets when it cuts another short. */
  #beginMotion(): void {
    const interrupts = this.#isBusy();
    this.#endMotion();
    for (const flag of ["FS", "FE", "FT", "WS", "WL", "WM", "NC", "NI"]) {
      this.#flags.delete(flag);
    }
    if (interrupts) {
      this.#flags.add("NI");
    }
  }

  #endMotion(): void {
    this.#homing = false;
    this.#callOffEnd();
    this.#callOffStall();
  }

  #stop(atOnce: boolean): void {
    const interrupts = this.#isBusy();
    if (interrupts) {
      this.#endMotion();
      this.#flags.add("NI");
    }
    if (atOnce) {
      this.carriage.halt(this.now_ms());
      this.#halting = true;
      this.schedule(this.now_ms() + this.settings.latency_ms, () => {
        this.#halting = false;
        this.#alert();
      });
    } else if (interrupts) {
      this.carriage.stop(this.now_ms(), this.#acceleration_mm_s2());
      this.#callOffEnd = this.schedule(this.carriage.end_ms, () => this.#alert());
    }
  }

  #watchStall(): void {
    this.#callOffStall();
    if (this.settings.encoder && this.carriage.jammed && this.carriage.isMoving(this.now_ms())) {
      this.#callOffStall = this.schedule(this.now_ms() + STALL_DETECTION_ms, () => {
        this.#endMotion();
        this.carriage.halt(this.now_ms());
        this.#flags.add("FS");
        this.#alert();
      });
    }
  }

  #warnings(action: string | undefined): Reply {
    const raised = FLAG_ORDER.filter((flag) => this.#flags.has(flag));
    if (action === "clear") {
      for (const flag of ["FS", "FE", "FT", "WS", "WL", "WM", "NI", "NC"]) {
        this.#flags.delete(flag);
      }
    } else if (action !== undefined) {
      return { rejection: "BADCOMMAND" };
    }
    return { data: [String(raised.length).padStart(2, "0"), ...raised].join(" ") };
  }

  #tools(words: readonly string[]): Reply {
    if (words[1] === "echo") {
      return { data: words.slice(2).join(" ") || "0" };
    }
    if (words[1] === "setcomm") {
      // The new rate would hold from the next reset on; until then the reply shows an update that is pending.
      this.#flags.add("NU");
      return { data: "0" };
    }
    if (words[1] === "parking" && words[2] === "park") {
      if (this.#isBusy()) {
        return { rejection: "STATUSBUSY" };
      }
      this.#parked = true;
      return { data: "0" };
    }
    if (words[1] === "parking" && words[2] === "unpark") {
      this.#parked = false;
      return { data: "0" };
    }
    return { rejection: "BADCOMMAND" };
  }

  #driver(action: string | undefined): Reply {
    if (action === "disable") {
      this.#endMotion();
      this.carriage.halt(this.now_ms());
      this.#flags.add("FO");
      return { data: "0" };
    }
    if (action === "enable") {
      this.#flags.delete("FO");
      this.#flags.delete("FD");
      return { data: "0" };
    }
    return { rejection: "BADCOMMAND" };
  }

  #count(): number {
    const { encoder, microstepSize_mm } = this.settings;
    const now_ms = this.now_ms();
    const place_mm = encoder ? this.carriage.actual_mm(now_ms) : this.carriage.commanded_mm(now_ms);
    return Math.round((place_mm - this.#origin_mm) / microstepSize_mm);
  }

  #velocity_mm_s(): number {
    return ((this.#registers.get("maxspeed") ?? 0) / SPEED_FACTOR) * this.settings.microstepSize_mm;
  }

  #acceleration_mm_s2(): number {
    const data = this.#registers.get("accel") ?? 0;
    // Zero stands for no ramp at all.
    return data === 0 ? 1e6 : (data / ACCELERATION_FACTOR) * this.settings.microstepSize_mm;
  }
}
