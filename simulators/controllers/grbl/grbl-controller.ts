/**
 * A board with GRBL 1.1h that moves a stage with its X axis.
 *
 * Source: https://github.com/gnea/grbl, doc/markdown/interface.md, commands.md, jogging.md, settings.md, and the tables of
 * alarms and errors in doc/csv, grbl/protocol.c, system.c, gcode.c, report.c; exchanges recorded from the firmware itself.
 *
 * Emulated otherwise than the firmware does it: every line of a program brakes at its end, where the planner would run
 * through; Y and Z have no motors, so they stand at 0; a probe and arcs are refused as unsupported (error 20). The safety
 * door is the byte 0x84 of the default build, which has no pin for a door: there is no Door:1, the door counts as shut
 * at once.
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";
import { bytesOf } from "../line-collector.ts";
import { type Block, FIRST_MODAL, type Modal, readBlock } from "./gcode-block.ts";
import { Overrides } from "./overrides.ts";
import { type Position_mm, WorkOffsets } from "./work-offsets.ts";

export interface GrblSettings {
  /** Most boards reset when the port is opened. */
  readonly resetsOnOpen: boolean;
  readonly travel_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  readonly stepsPerMm: number;
  readonly homing: boolean;
  readonly hardLimits: boolean;
  readonly softLimits: boolean;
  readonly pullOff_mm: number;
  readonly homingVelocity_mm_s: number;
  /** True position at power-up, from the end at which the machine coordinate is −travel. */
  readonly position_mm: number;
  readonly latency_ms: number;
}

const DEFAULTS: GrblSettings = {
  resetsOnOpen: true,
  travel_mm: 200,
  velocity_mm_s: 20,
  acceleration_mm_s2: 50,
  stepsPerMm: 250,
  homing: true,
  hardLimits: true,
  softLimits: true,
  pullOff_mm: 1,
  homingVelocity_mm_s: 15,
  position_mm: 60,
  latency_ms: 2,
};

const BOOT_ms = 1200;
/** The switches lie this far outside the travel. */
const SWITCH_mm = 0.5;
/** Without blanks and comments, which are thrown away as they come. */
const LINE_LENGTH_MAX = 79;
/** Bytes that wait for the main loop; what comes on top is lost. */
const RECEIVE_BUFFER = 128;
/** Hard and soft limit: after these alarms nothing but a reset gets through. */
const CRITICAL = new Set([1, 2]);
/** Reports from one with offsets or overrides to the next, in motion and at rest. */
const OFFSETS_EVERY = { busy: 30, idle: 10 };
const OVERRIDES_EVERY = { busy: 20, idle: 10 };
/** Motions that are planned ahead; a line with one more waits. */
const PLANNED_MAX = 15;
/** After the safety door a spindle that was on gets this long to come up to speed. */
const SPINDLE_UP_ms = 4000;

type State = "Idle" | "Run" | "Jog" | "Hold" | "Alarm" | "Home" | "Sleep" | "Check" | "Door";

/** A motion of X in machine coordinates, at a rate that overrides may change. */
interface Planned {
  readonly kind: "rapid" | "feed" | "jog";
  readonly target_mm: number;
  readonly rate_mm_min: number;
}

/**
 * Why the main loop does not read: it homes, dwells, waits for the motion to end, for a place among the planned motions or
 * for a resume, sleeps, or waits for the reset that an alarm demands.
 */
type Occupation = "homing" | "dwell" | "motion" | "planner" | "suspended" | "asleep" | "critical";

const RealTime = {
  status: 0x3f,
  hold: 0x21,
  resume: 0x7e,
  reset: 0x18,
  door: 0x84,
  jogCancel: 0x85,
  toggleFlood: 0xa0,
} as const;

export class GrblController extends EmulatedController {
  readonly settings: GrblSettings;
  readonly carriage: Carriage;
  readonly #registers = new Map<number, number>();
  #state: State = "Alarm";
  #line = "";
  /** True position of the machine coordinate 0. */
  #origin_mm = 0;
  /** Where the last planned motion ends, in machine coordinates: what the next relative one starts from. */
  #planned_mm = 0;
  #modal: Modal = FIRST_MODAL;
  #feed_mm_min = 0;
  #spindle_rpm = 0;
  #tool = 0;
  readonly #overrides = new Overrides();
  readonly #offsets = new WorkOffsets();
  /** Blocks that run after every reset and after homing, and the owner's text in the build information. */
  readonly #startupLines = ["", ""];
  #buildText = "";
  /** Reports until offsets and overrides are told again. */
  #offsetsIn = 0;
  #overridesIn = 0;
  #booting = false;
  /** Lines and parts of lines that wait until the main loop reads on. */
  #waiting: number[] = [];
  #occupied: Occupation | undefined;
  /** The line that occupies the main loop has not had its answer. */
  #unanswered = false;
  #queue: Planned[] = [];
  #active: Planned | undefined;
  /** The door state is being left. */
  #restoring = false;
  #afterMotion: (() => void) | undefined;
  #callOffEnd: () => void = () => undefined;
  #callOffDwell: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<GrblSettings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
    const { travel_mm, position_mm } = this.settings;
    this.carriage = new Carriage(position_mm, -SWITCH_mm, travel_mm + SWITCH_mm);
    this.#setRegisters();
    this.#origin_mm = position_mm;
    this.#startAnew();
    this.#state = this.settings.homing ? "Alarm" : "Idle";
  }

  override position_mm(): number {
    return this.carriage.actual_mm(this.now_ms());
  }

  override powerCycle(): void {
    this.callOff();
    this.carriage.halt(this.now_ms());
    // The counter starts from nothing: wherever the carriage stands is 0.
    this.#origin_mm = this.carriage.actual_mm(this.now_ms());
    this.#unanswered = false;
    this.#startAnew();
    this.#booting = true;
    this.#state = this.settings.homing ? "Alarm" : "Idle";
    this.schedule(this.now_ms() + BOOT_ms, () => {
      this.#booting = false;
      this.#sayHello();
    });
  }

  override opened(): void {
    super.opened();
    if (this.settings.resetsOnOpen) {
      this.powerCycle();
    }
  }

  /** A stepper without encoder goes on counting while the carriage stands still. */
  jam(): void {
    this.advance();
    this.carriage.jam(this.now_ms());
  }

  free(): void {
    this.carriage.free(this.now_ms());
  }

  /** A limit switch closes in mid-move. */
  hitLimit(): void {
    this.advance();
    this.#alarm(1);
  }

  protected override handle(bytes: Uint8Array): void {
    if (this.#booting) {
      return;
    }
    for (const byte of bytes) {
      if (byte === RealTime.status || byte === RealTime.hold || byte === RealTime.resume || byte === RealTime.reset) {
        this.#realTime(byte);
      } else if (byte >= 0x80) {
        this.#realTime(byte);
      } else if (this.#waiting.length < RECEIVE_BUFFER) {
        this.#waiting.push(byte);
      }
    }
    this.#readOn();
  }

  /** What every reset forgets. */
  #startAnew(): void {
    this.#line = "";
    this.#waiting = [];
    this.#occupied = undefined;
    this.#queue = [];
    this.#active = undefined;
    this.#afterMotion = undefined;
    this.#restoring = false;
    this.#modal = FIRST_MODAL;
    this.#feed_mm_min = 0;
    this.#spindle_rpm = 0;
    this.#tool = 0;
    this.#overrides.reset();
    this.#offsets.reset();
    this.#offsetsIn = 0;
    this.#overridesIn = 0;
    this.#planned_mm = this.#machine_mm();
  }

  /** Executes the lines that wait, up to one that occupies the main loop. */
  #readOn(): void {
    while (this.#occupied === undefined) {
      const byte = this.#waiting.shift();
      if (byte === undefined) {
        return;
      }
      if (byte === 0x0a || byte === 0x0d) {
        const line = this.#line;
        this.#line = "";
        if (line !== "" || byte === 0x0a) {
          this.#onLine(line);
        }
      } else if (byte >= 0x20) {
        this.#line += String.fromCharCode(byte);
      }
    }
  }

  /** The main loop reads on, after the answer to the line that occupied it. */
  #goOn(answer: string): void {
    this.#occupied = undefined;
    this.#unanswered = false;
    this.#send(answer);
    this.#readOn();
  }

  #setRegisters(): void {
    const { settings } = this;
    const values: readonly (readonly [number, number])[] = [
      [0, 10],
      [1, 25],
      [2, 0],
      [3, 0],
      [4, 0],
      [5, 0],
      [6, 0],
      [10, 1],
      [11, 0.01],
      [12, 0.002],
      [13, 0],
      [20, settings.softLimits ? 1 : 0],
      [21, settings.hardLimits ? 1 : 0],
      [22, settings.homing ? 1 : 0],
      [23, 0],
      [24, 25],
      [25, settings.homingVelocity_mm_s * 60],
      [26, 250],
      [27, settings.pullOff_mm],
      [30, 1000],
      [31, 0],
      [32, 0],
    ];
    for (const [number, value] of values) {
      this.#registers.set(number, value);
    }
    const ofEveryAxis = [
      settings.stepsPerMm,
      settings.velocity_mm_s * 60,
      settings.acceleration_mm_s2,
      settings.travel_mm,
    ];
    for (const [index, value] of ofEveryAxis.entries()) {
      for (let axis = 0; axis < 3; axis += 1) {
        this.#registers.set(100 + 10 * index + axis, value);
      }
    }
  }

  #register(number: number): number {
    return this.#registers.get(number) ?? 0;
  }

  #sayHello(): void {
    this.#send("");
    this.#send("Grbl 1.1h ['$' for help]");
    if (this.#state === "Alarm") {
      this.#send("[MSG:'$H'|'$X' to unlock]");
    } else {
      this.#runStartupLines();
    }
  }

  #runStartupLines(): void {
    for (const line of this.#startupLines) {
      if (line !== "") {
        const block = readBlock(line, this.#modal, this.#feed_mm_min, false);
        const error = typeof block === "number" ? block : this.#execute(block);
        this.#send(`>${line}:${error === undefined ? "ok" : `error:${error}`}`);
      }
    }
  }

  #send(line: string): void {
    this.transmit(bytesOf(`${line}\r\n`), this.settings.latency_ms);
  }

  #realTime(byte: number): void {
    switch (byte) {
      case RealTime.status:
        // Status is reported neither while the machine homes nor before the reset that an alarm demands.
        if (this.#occupied !== "homing" && this.#occupied !== "critical") {
          this.#report();
        }
        return;
      case RealTime.reset: {
        this.#reset();
        return;
      }
      case RealTime.hold:
        this.#hold();
        return;
      case RealTime.resume:
        this.#resume();
        return;
      case RealTime.door:
        this.#openDoor();
        return;
      case RealTime.jogCancel:
        if (this.#state === "Jog") {
          this.#cancelJog("Idle");
        }
        return;
      default:
        this.#override(byte);
    }
  }

  #override(byte: number): void {
    if (byte === RealTime.toggleFlood && ["Idle", "Run", "Hold", "Jog"].includes(this.#state)) {
      this.#modal = { ...this.#modal, coolant: this.#modal.coolant === "M8" ? "M9" : "M8" };
      this.#overridesIn = 0;
    }
    if (!this.#overrides.apply(byte)) {
      return;
    }
    this.#overridesIn = 0;
    if (this.#active !== undefined && this.#active.kind !== "jog" && this.#state === "Run") {
      this.#drive(this.#active);
    }
  }

  #hold(): void {
    if (this.#state === "Jog") {
      this.#cancelJog("Idle");
    } else if (this.#state === "Run" || this.#state === "Idle") {
      this.#suspend("Hold");
    }
  }

  #openDoor(): void {
    if (this.#state === "Home") {
      this.#alarm(7);
      this.#reset();
    } else if (this.#state === "Jog") {
      this.#send("[MSG:Check Door]");
      this.#cancelJog("Door");
    } else if (["Idle", "Run", "Hold", "Door"].includes(this.#state)) {
      this.#send("[MSG:Check Door]");
      this.#restoring = false;
      this.#suspend("Door");
    }
  }

  /** Brakes and waits for a resume; the main loop reads nothing meanwhile. */
  #suspend(state: "Hold" | "Door"): void {
    this.#callOffEnd();
    if (this.#isMoving()) {
      this.carriage.stop(this.now_ms(), this.#register(120));
    }
    this.#state = state;
    this.#occupied ??= "suspended";
  }

  #resume(): void {
    const still = !this.#isMoving();
    if (this.#state === "Hold" && still) {
      this.#goOnMoving();
    } else if (this.#state === "Door" && still && !this.#restoring) {
      this.#restoring = true;
      const delay_ms = this.#modal.spindle === "M5" ? 0 : SPINDLE_UP_ms;
      this.#callOffEnd = this.schedule(this.now_ms() + delay_ms, () => {
        this.#restoring = false;
        this.#goOnMoving();
      });
    }
  }

  #goOnMoving(): void {
    if (this.#active === undefined) {
      this.#state = "Idle";
      this.#next();
    } else {
      this.#drive(this.#active);
    }
    if (this.#occupied === "suspended") {
      this.#occupied = undefined;
      if (this.#unanswered) {
        this.#goOn("ok");
      } else {
        this.#readOn();
      }
    }
  }

  /** Brakes, and forgets this jog and those that were to follow. */
  #cancelJog(next: "Idle" | "Door"): void {
    this.#callOffEnd();
    this.#queue = [];
    this.#active = undefined;
    this.carriage.stop(this.now_ms(), this.#register(120));
    this.#callOffEnd = this.schedule(Math.max(this.carriage.end_ms, this.now_ms()), () => {
      this.#planned_mm = this.#machine_mm();
      if (next === "Door") {
        this.#suspend("Door");
      } else {
        this.#state = "Idle";
        this.#comeToRest();
      }
    });
  }

  #reset(): void {
    const inMotion = this.#isMoving() || this.#restoring;
    const before = this.#occupied;
    const wasAsleep = this.#state === "Sleep";
    this.#callOffEnd();
    this.#callOffDwell();
    if (inMotion) {
      // Steps are lost in a halt from full speed.
      this.#alarm(before === "homing" ? 6 : 3);
    } else if (wasAsleep) {
      this.#state = "Alarm";
    } else if (this.#state !== "Alarm") {
      this.#state = "Idle";
    }
    // The line that occupied the main loop is answered before that starts anew.
    if (this.#unanswered) {
      this.#unanswered = false;
      this.#send("ok");
    }
    this.#startAnew();
    this.#sayHello();
  }

  #isMoving(): boolean {
    return this.carriage.isMoving(this.now_ms());
  }

  /** Halts at once with an alarm; the machine is locked until it is homed or unlocked. */
  #alarm(code: number): void {
    this.#callOffEnd();
    this.#callOffDwell();
    this.#queue = [];
    this.#active = undefined;
    this.#afterMotion = undefined;
    this.carriage.halt(this.now_ms());
    this.#state = "Alarm";
    this.#send(`ALARM:${code}`);
    if (CRITICAL.has(code)) {
      this.#occupied = "critical";
      this.#send("[MSG:Reset to continue]");
    }
  }

  #report(): void {
    const now_ms = this.now_ms();
    const kind = this.#register(10) & 1;
    const machine: Position_mm = [this.#machine_mm(), 0, 0];
    const offset = this.#offsets.offset(this.#modal.coordinates);
    const work: Position_mm = [machine[0] - offset[0], machine[1] - offset[1], machine[2] - offset[2]];
    const rate = Math.abs(this.carriage.velocity_mm_s(now_ms)) * 60;
    const feed = Math.round(this.#register(13) === 1 ? rate / 25.4 : rate);
    const spindle = this.#modal.spindle === "M5" ? 0 : this.#spindle_rpm * (this.#overrides.spindle_percent / 100);
    const fields = [
      `${this.#state}${this.#substate()}`,
      kind === 1 ? `MPos:${this.#positionText(machine)}` : `WPos:${this.#positionText(work)}`,
    ];
    if ((this.#register(10) & 2) !== 0) {
      fields.push(`Bf:${PLANNED_MAX - this.#queue.length},${RECEIVE_BUFFER - this.#waiting.length}`);
    }
    fields.push(`FS:${feed},${Math.round(spindle)}`);
    const pins = this.#pins();
    if (pins !== "") {
      fields.push(`Pn:${pins}`);
    }
    fields.push(...this.#rareFields(offset));
    this.#send(`<${fields.join("|")}>`);
  }

  /** Offsets and overrides: told when they have changed, and now and then. */
  #rareFields(offset: Position_mm): string[] {
    const fields: string[] = [];
    const pace = ["Run", "Jog", "Hold", "Home", "Door"].includes(this.#state) ? "busy" : "idle";
    if (this.#offsetsIn > 0) {
      this.#offsetsIn -= 1;
    } else {
      this.#offsetsIn = OFFSETS_EVERY[pace] - 1;
      // Both never stand in one report.
      this.#overridesIn = Math.max(1, this.#overridesIn);
      fields.push(`WCO:${this.#positionText(offset)}`);
    }
    if (this.#overridesIn > 0) {
      this.#overridesIn -= 1;
    } else {
      this.#overridesIn = OVERRIDES_EVERY[pace] - 1;
      fields.push(`Ov:${this.#overrides.text()}`);
      const { spindle, coolant } = this.#modal;
      const accessories = `${spindle === "M3" ? "S" : ""}${spindle === "M4" ? "C" : ""}${coolant === "M8" ? "F" : ""}`;
      if (accessories !== "") {
        fields.push(`A:${accessories}`);
      }
    }
    return fields;
  }

  #substate(): string {
    if (this.#state === "Hold") {
      return this.#isMoving() ? ":1" : ":0";
    }
    if (this.#state === "Door") {
      return this.#restoring ? ":3" : this.#isMoving() ? ":2" : ":0";
    }
    return "";
  }

  #lengthText(value_mm: number): string {
    return this.#register(13) === 1 ? (value_mm / 25.4).toFixed(4) : value_mm.toFixed(3);
  }

  #positionText(position: Position_mm): string {
    return position.map((value_mm) => this.#lengthText(value_mm)).join(",");
  }

  #pins(): string {
    const place_mm = this.position_mm();
    return place_mm <= this.carriage.end1_mm || place_mm >= this.carriage.end2_mm ? "X" : "";
  }

  /** What the step counter says, rounded to steps. */
  #machine_mm(): number {
    const steps = this.#register(100);
    return Math.round((this.carriage.commanded_mm(this.now_ms()) - this.#origin_mm) * steps) / steps;
  }

  #onLine(raw: string): void {
    const line = raw
      .replace(/\([^)]*\)?/g, "")
      .replace(/;.*$/, "")
      .replace(/[\s/]+/g, "")
      .toUpperCase();
    let error: number | undefined;
    if (line.length > LINE_LENGTH_MAX) {
      error = 11;
    } else if (line.startsWith("$")) {
      error = this.#system(line);
    } else if (line !== "") {
      error = this.#state === "Alarm" ? 9 : this.#state === "Jog" ? 9 : this.#code(line, false);
    }
    // The ok of what occupies the main loop comes when that is over.
    this.#unanswered = error === undefined && this.#occupied !== undefined && this.#occupied !== "asleep";
    if (!this.#unanswered) {
      this.#send(error === undefined ? "ok" : `error:${error}`);
    }
    if (this.#occupied === "asleep") {
      this.#send("[MSG:Sleeping]");
    }
  }

  #system(line: string): number | undefined {
    if (line.startsWith("$J")) {
      if (this.#state !== "Idle" && this.#state !== "Jog") {
        return 8;
      }
      return line.startsWith("$J=") ? this.#code(line.slice(3), true) : 16;
    }
    switch (line) {
      case "$":
        this.#send("[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]");
        return undefined;
      case "$G":
        this.#send(this.#modalText());
        return undefined;
      case "$C":
        return this.#toggleCheck();
      case "$X":
        if (this.#state === "Alarm") {
          this.#send("[MSG:Caution: Unlocked]");
          this.#state = "Idle";
        }
        return undefined;
      case "$$":
        if (this.#state === "Run") {
          return 8;
        }
        this.#sendSettings();
        return undefined;
      default:
        if (/^\$[$GCX]/.test(line)) {
          return 3;
        }
        return this.#state === "Idle" || this.#state === "Alarm" ? this.#systemAtRest(line) : 8;
    }
  }

  #systemAtRest(line: string): number | undefined {
    const startup = /^\$N(.*?)=(.*)$/.exec(line);
    if (startup !== null) {
      return this.#setStartupLine(startup[1] ?? "", startup[2] ?? "");
    }
    if (line.startsWith("$I=")) {
      this.#buildText = line.slice(3);
      return undefined;
    }
    if (/^\$[#HSIR]/.test(line) || line === "$N") {
      return this.#systemWord(line);
    }
    const setting = /^\$([+-]?(?:\d+\.?\d*|\.\d+))(=?)(.*)$/.exec(line);
    if (setting === null) {
      return 2;
    }
    if (setting[2] !== "=") {
      return 3;
    }
    return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(setting[3] ?? "")
      ? this.#setRegister(Number(setting[1]), Number(setting[3]))
      : 2;
  }

  #systemWord(line: string): number | undefined {
    switch (line) {
      case "$#": {
        const lines = this.#offsets.lines(
          (position) => this.#positionText(position),
          (value_mm) => this.#lengthText(value_mm),
        );
        for (const text of lines) {
          this.#send(text);
        }
        return undefined;
      }
      case "$N":
        for (const [index, text] of this.#startupLines.entries()) {
          this.#send(`$N${index}=${text}`);
        }
        return undefined;
      case "$SLP":
        this.#state = "Sleep";
        this.#occupied = "asleep";
        return undefined;
      case "$I":
        this.#send(`[VER:1.1h.20190830:${this.#buildText}]`);
        this.#send("[OPT:V,15,128]");
        return undefined;
      case "$RST=$":
      case "$RST=#":
      case "$RST=*":
        return this.#restore(line.charAt(5));
      case "$H":
        if (this.#register(22) !== 1) {
          return 5;
        }
        this.#startHome();
        return undefined;
      default:
        return 3;
    }
  }

  /** Settings ($), coordinates (#) or everything (*) as out of the box; then a reset. */
  #restore(what: string): number | undefined {
    if (what !== "#") {
      this.#setRegisters();
    }
    if (what !== "$") {
      this.#offsets.restore();
    }
    if (what === "*") {
      this.#startupLines.fill("");
      this.#buildText = "";
    }
    this.#send("[MSG:Restoring defaults]");
    this.schedule(this.now_ms(), () => this.#reset());
    return undefined;
  }

  #setStartupLine(index: string, line: string): number | undefined {
    if (this.#state !== "Idle") {
      return 8;
    }
    if (!/^\d/.test(index)) {
      return 2;
    }
    if (Number(index) >= this.#startupLines.length) {
      return 3;
    }
    const error = line === "" ? undefined : this.#code(line, false);
    if (error === undefined) {
      this.#startupLines[Number(index)] = line;
    }
    return error;
  }

  #setRegister(number: number, value: number): number | undefined {
    if (number > 255) {
      return 3;
    }
    if (value < 0) {
      return 4;
    }
    if (!this.#registers.has(number)) {
      return 3;
    }
    if (number === 0 && value < 3) {
      return 6;
    }
    if (number === 20 && value !== 0 && this.#register(22) === 0) {
      return 10;
    }
    this.#registers.set(number, value);
    if (number === 22 && value === 0) {
      this.#registers.set(20, 0);
    }
    if (number === 10) {
      this.#offsetsIn = 0;
    }
    return undefined;
  }

  #sendSettings(): void {
    for (const [number, value] of this.#registers) {
      const isWhole = number < 100 && ![11, 12, 24, 25, 27].includes(number);
      this.#send(`$${number}=${isWhole ? value : value.toFixed(3)}`);
    }
  }

  #modalText(): string {
    const { motion, coordinates, plane, inches, absolute, inverseTime, spindle, coolant } = this.#modal;
    const words = [
      motion,
      `G${54 + coordinates}`,
      plane,
      inches ? "G20" : "G21",
      absolute ? "G90" : "G91",
      inverseTime ? "G93" : "G94",
      spindle,
      coolant,
      `T${this.#tool}`,
      `F${Math.round(inches ? this.#feed_mm_min / 25.4 : this.#feed_mm_min)}`,
      `S${Math.round(this.#spindle_rpm)}`,
    ];
    return `[GC:${words.join(" ")}]`;
  }

  /** In check mode G-code is read and nothing moves; leaving it is a reset. */
  #toggleCheck(): number | undefined {
    if (this.#state === "Check") {
      this.#send("[MSG:Disabled]");
      this.schedule(this.now_ms(), () => this.#reset());
      return undefined;
    }
    if (this.#state !== "Idle") {
      return 8;
    }
    this.#state = "Check";
    this.#send("[MSG:Enabled]");
    return undefined;
  }

  #startHome(): void {
    this.#state = "Home";
    this.#occupied = "homing";
    const { homingVelocity_mm_s, travel_mm } = this.settings;
    const acceleration_mm_s2 = this.#register(120);
    // A search that fails ends in a reset of its own.
    const giveUp = (): void => {
      this.#alarm(9);
      this.#reset();
    };
    this.carriage.moveTo(this.carriage.end2_mm, this.now_ms(), homingVelocity_mm_s, acceleration_mm_s2);
    this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
      if (this.carriage.jammed) {
        giveUp();
        return;
      }
      const away_mm = SWITCH_mm + this.#register(27);
      this.carriage.moveTo(this.carriage.end2_mm - away_mm, this.now_ms(), 5, acceleration_mm_s2);
      this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
        if (this.carriage.jammed) {
          giveUp();
          return;
        }
        this.#origin_mm = travel_mm;
        this.#planned_mm = this.#machine_mm();
        this.#state = "Idle";
        this.#runStartupLines();
        this.#goOn("ok");
      });
    });
  }

  /** Executes one block of G-code; the number of its error, if it has one. */
  #code(line: string, isJog: boolean): number | undefined {
    const block = readBlock(line, this.#modal, this.#feed_mm_min, isJog);
    if (typeof block === "number") {
      return block;
    }
    if (isJog) {
      return this.#jog(block);
    }
    if (this.#needsRest(block) && this.#state !== "Check") {
      this.#occupied = "motion";
      this.#whenAtRest(() => this.#executeAtRest(block));
      return undefined;
    }
    return this.#execute(block);
  }

  /** What changes offsets, spindle or the flow of the program waits until the motions before it are over. */
  #needsRest({ nonModal, programFlow, toolLength, modal }: Block): boolean {
    const before = this.#modal;
    const changes =
      modal.coordinates !== before.coordinates || modal.spindle !== before.spindle || modal.coolant !== before.coolant;
    const sets = nonModal !== undefined && nonModal !== "G53" && nonModal !== "G28" && nonModal !== "G30";
    const waits = sets || changes || programFlow !== undefined || toolLength !== undefined;
    // Standing still, only a dwell and a pause take time.
    const takesTime = nonModal === "G4" || programFlow === "pause";
    return takesTime || (waits && (this.#isMoving() || this.#active !== undefined));
  }

  #executeAtRest(block: Block): void {
    const dwell_s = block.nonModal === "G4" ? (block.values.get("P") ?? 0) : 0;
    this.#occupied = "dwell";
    this.#callOffDwell = this.schedule(this.now_ms() + 1000 * dwell_s, () => {
      const error = this.#execute(block);
      if (block.programFlow === "pause") {
        this.#occupied = undefined;
        this.#suspend("Hold");
        return;
      }
      if (this.#occupied === "dwell") {
        this.#goOn(error === undefined ? "ok" : `error:${error}`);
      }
    });
  }

  #whenAtRest(act: () => void): void {
    if (this.#isMoving() || this.#active !== undefined) {
      this.#afterMotion = act;
    } else {
      act();
    }
  }

  #execute(block: Block): number | undefined {
    const { modal, nonModal, values } = block;
    const offsetBefore = this.#positionText(this.#offsets.offset(this.#modal.coordinates));
    const target = this.#target(block, values);
    if (block.moves && this.#isOutside(target[0])) {
      this.#alarm(2);
      return undefined;
    }
    if (modal.spindle !== this.#modal.spindle || modal.coolant !== this.#modal.coolant) {
      this.#overridesIn = 0;
    }
    this.#modal = modal;
    // A rate in inverse time holds for its own line only.
    this.#feed_mm_min = modal.inverseTime ? 0 : (values.get("F") ?? 0);
    this.#spindle_rpm = values.get("S") ?? this.#spindle_rpm;
    this.#tool = values.get("T") ?? this.#tool;
    if (block.toolLength !== undefined) {
      this.#offsets.toolLength_mm = block.toolLength === "set" ? (values.get("Z") ?? 0) : 0;
    }
    switch (nonModal) {
      case "G10":
        this.#setSystem(values);
        break;
      case "G92":
        this.#offsets.shift = this.#shiftTo(values);
        break;
      case "G92.1":
        this.#offsets.shift = [0, 0, 0];
        break;
      case "G28.1":
        this.#offsets.setPlace("G28", [this.#planned_mm, 0, 0]);
        break;
      case "G30.1":
        this.#offsets.setPlace("G30", [this.#planned_mm, 0, 0]);
        break;
      case "G28":
      case "G30":
        this.#goBack(nonModal, values, target);
        break;
      default:
        if (block.moves && values.has("X")) {
          this.#plan({
            kind: modal.motion === "G0" ? "rapid" : "feed",
            target_mm: target[0],
            ...this.#rate(block, target),
          });
        }
    }
    if (block.programFlow === "end") {
      this.#endProgram();
    }
    if (this.#positionText(this.#offsets.offset(this.#modal.coordinates)) !== offsetBefore) {
      this.#offsetsIn = 0;
    }
    return undefined;
  }

  #endProgram(): void {
    this.#modal = {
      ...this.#modal,
      motion: "G1",
      plane: "G17",
      absolute: true,
      inverseTime: false,
      coordinates: 0,
      spindle: "M5",
      coolant: "M9",
    };
    this.#overrides.reset();
    this.#overridesIn = 0;
    this.#send("[MSG:Pgm End]");
  }

  /** Machine position that the axis words of a block name; where they name none, the place where the axis will be. */
  #target({ modal, nonModal }: Block, values: ReadonlyMap<string, number>): Position_mm {
    const offset = this.#offsets.offset(modal.coordinates);
    const place = (letter: string, planned_mm: number, offset_mm: number): number => {
      const value = values.get(letter);
      if (value === undefined) {
        return planned_mm;
      }
      if (nonModal === "G53") {
        return value;
      }
      return modal.absolute ? value + offset_mm : planned_mm + value;
    };
    return [place("X", this.#planned_mm, offset[0]), place("Y", 0, offset[1]), place("Z", 0, offset[2])];
  }

  #rate({ modal, values }: Block, target: Position_mm): { readonly rate_mm_min: number } {
    const feed = values.get("F") ?? 0;
    // In inverse time the number says how often the motion would fit into a minute.
    const rate_mm_min = modal.inverseTime ? feed * Math.abs(target[0] - this.#planned_mm) : feed;
    return { rate_mm_min: modal.motion === "G0" ? this.#register(110) : rate_mm_min };
  }

  #isOutside(target_mm: number): boolean {
    return this.#register(20) === 1 && (target_mm > 0 || target_mm < -this.#register(130));
  }

  #setSystem(values: ReadonlyMap<string, number>): void {
    const number = Math.trunc(values.get("P") ?? 0);
    const index = number > 0 ? number - 1 : this.#modal.coordinates;
    const before = this.#offsets.system(index);
    const { shift, toolLength_mm } = this.#offsets;
    const machine: Position_mm = [this.#planned_mm - shift[0], -shift[1], -shift[2] - toolLength_mm];
    const place = (letter: string, axis: 0 | 1 | 2): number => {
      const value = values.get(letter);
      if (value === undefined) {
        return before[axis];
      }
      return values.get("L") === 20 ? machine[axis] - value : value;
    };
    this.#offsets.setSystem(index, [place("X", 0), place("Y", 1), place("Z", 2)]);
  }

  #shiftTo(values: ReadonlyMap<string, number>): Position_mm {
    const system = this.#offsets.system(this.#modal.coordinates);
    const { shift, toolLength_mm } = this.#offsets;
    const place = (letter: string, axis: 0 | 1 | 2, machine_mm: number): number => {
      const value = values.get(letter);
      return value === undefined ? shift[axis] : machine_mm - system[axis] - value;
    };
    return [place("X", 0, this.#planned_mm), place("Y", 1, 0), place("Z", 2, -toolLength_mm)];
  }

  /** Rapidly by way of the given place, if there is one, to the kept one. */
  #goBack(name: "G28" | "G30", values: ReadonlyMap<string, number>, target: Position_mm): void {
    const hasAxes = values.has("X") || values.has("Y") || values.has("Z");
    if (hasAxes && !values.has("X")) {
      return;
    }
    const rate_mm_min = this.#register(110);
    if (hasAxes) {
      this.#plan({ kind: "rapid", target_mm: target[0], rate_mm_min });
    }
    this.#plan({ kind: "rapid", target_mm: this.#offsets.place(name)[0], rate_mm_min });
  }

  #jog(block: Block): number | undefined {
    const target = this.#target(block, block.values);
    if (this.#isOutside(target[0])) {
      return 15;
    }
    if (block.values.has("X")) {
      this.#plan({ kind: "jog", target_mm: target[0], rate_mm_min: block.values.get("F") ?? 0 });
    }
    return undefined;
  }

  /** Puts a motion behind those that are planned; with none it begins. */
  #plan(motion: Planned): void {
    this.#planned_mm = motion.target_mm;
    if (this.#state === "Check") {
      return;
    }
    this.#queue.push(motion);
    if (this.#active === undefined && this.#state !== "Hold" && this.#state !== "Door") {
      this.#next();
    }
    if (this.#queue.length >= PLANNED_MAX && this.#occupied === undefined) {
      this.#occupied = "planner";
    }
  }

  #next(): void {
    this.#active = this.#queue.shift();
    if (this.#occupied === "planner" && this.#queue.length < PLANNED_MAX) {
      this.#goOn("ok");
    }
    if (this.#active === undefined) {
      this.#comeToRest();
    } else {
      this.#drive(this.#active);
    }
  }

  #comeToRest(): void {
    const act = this.#afterMotion;
    this.#afterMotion = undefined;
    act?.();
  }

  #drive(motion: Planned): void {
    this.#callOffEnd();
    this.#state = motion.kind === "jog" ? "Jog" : "Run";
    const most = this.#register(110);
    const { feed_percent, rapid_percent } = this.#overrides;
    const percent = { rapid: rapid_percent, feed: feed_percent, jog: 100 }[motion.kind];
    const rate_mm_min = Math.min(most, (motion.rate_mm_min * percent) / 100);
    const target_mm = this.#origin_mm + motion.target_mm;
    this.carriage.moveTo(target_mm, this.now_ms(), rate_mm_min / 60, this.#register(120));
    const end_mm =
      target_mm > this.carriage.commanded_mm(this.now_ms()) ? this.carriage.end2_mm : this.carriage.end1_mm;
    const atSwitch_ms = this.#register(21) === 1 ? this.carriage.whenAt(end_mm, this.now_ms()) : undefined;
    this.#callOffEnd = this.schedule(Math.min(atSwitch_ms ?? Number.POSITIVE_INFINITY, this.carriage.end_ms), () => {
      if (atSwitch_ms !== undefined && this.now_ms() === atSwitch_ms && !this.carriage.jammed) {
        this.#alarm(1);
        return;
      }
      this.#active = undefined;
      this.#state = "Idle";
      this.#next();
    });
  }
}
