/**
 * A Newport CONEX-CC or SMC100 with one stage.
 *
 * Sources: "CONEX-CC Controller Documentation"
 * https://www.newport.com/mam/celum/celum_assets/resources/CONEX-CC_-_Controller_Documentation.pdf (as cited and used by
 * public drivers: ranges of the parameters, states of tracking), the SMC100CC/PP manual, page 26
 * https://www.manualslib.com/manual/1238858/Newport-Smc100cc.html?page=26 (syntax, blanks), the manual of the sister
 * NPC1USB, page 39 http://88.208.23.73:8080/en/manual/newport/npc1usb/1679922?page=39 (address errors, layout of TS),
 * https://github.com/freespace/pySMC100 (syntax, timing, states, ZX), https://github.com/epics-motor/motorNewport
 * (commands, states), https://github.com/MBI-Div-B/pytango-NewportSMC100.
 *
 * Not verified, because no public text could be read: what follows a limit switch in mid-move (state 0F and the error bit
 * here) and whether reading TS clears the error bits (here the next motion or MM1 does; one public driver says that the
 * manual lets TS clear them); order and contents of the answer to ZT beyond its first and last line; the state after TK0
 * (33 here) and the error of PR while tracking (P here); PT without the jerk time; that ST, SE and RS## go without an
 * address; the values out of the box. The CONEX-CC's error texts begin with "Execution" in one public driver and with
 * "Command" in others.
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";
import { bytesOf, LineCollector } from "../line-collector.ts";

export interface NewportSettings {
  readonly controller: "CONEX-CC" | "SMC100";
  readonly firmware: string;
  readonly address: number;
  readonly stageName: string;
  readonly travel_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  readonly encoderStep_mm: number;
  /** A search for the reference that takes longer has failed. */
  readonly homingTimeout_s: number;
  /** True position at power-up, from the reference mark. */
  readonly position_mm: number;
  readonly latency_ms: number;
}

const DEFAULTS: NewportSettings = {
  controller: "CONEX-CC",
  firmware: "2.0.0",
  address: 1,
  stageName: "TRA25CC",
  travel_mm: 25,
  velocity_mm_s: 0.4,
  acceleration_mm_s2: 1.6,
  encoderStep_mm: 0.000_053_25,
  homingTimeout_s: 200,
  position_mm: 12,
  latency_ms: 4,
};

const State = {
  notReferencedAfterReset: 0x0a,
  notReferencedAfterHoming: 0x0b,
  notReferencedAfterConfiguration: 0x0c,
  notReferencedAfterDisable: 0x0d,
  notReferencedAfterReady: 0x0e,
  notReferencedAfterMoving: 0x0f,
  configuration: 0x14,
  homing: 0x1e,
  moving: 0x28,
  readyAfterHoming: 0x32,
  readyAfterMoving: 0x33,
  readyAfterDisable: 0x34,
  readyToTrack: 0x36,
  readyToTrackAfterTracking: 0x37,
  readyToTrackAfterDisable: 0x38,
  disableAfterReady: 0x3c,
  disableAfterMoving: 0x3d,
  disableAfterTracking: 0x3e,
  disableAfterReadyToTrack: 0x3f,
  tracking: 0x46,
  trackingOn: 0x47,
} as const;

const PositionerError = {
  homingTimeout: 0x0040,
  followingError: 0x0020,
  positiveEndOfRun: 0x0002,
  negativeEndOfRun: 0x0001,
} as const;

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  "@": "No error",
  A: "Unknown message code or floating point controller address",
  B: "Controller address not correct",
  C: "Parameter missing or out of range",
  D: "Command not allowed",
  E: "Home sequence already started",
  F: "ESP stage name unknown",
  G: "Displacement out of limits",
  H: "Command not allowed in NOT REFERENCED state",
  I: "Command not allowed in CONFIGURATION state",
  J: "Command not allowed in DISABLE state",
  K: "Command not allowed in READY state",
  L: "Command not allowed in HOMING state",
  M: "Command not allowed in MOVING state",
  N: "Current position out of software limit",
  P: "Command not allowed in TRACKING state",
  S: "Communication time out",
  U: "Error during EEPROM access",
  V: "Error during command execution",
  W: "Command not allowed for PP version",
  X: "Command not allowed for CC version",
};

/** Where a parameter may be set beside the CONFIGURATION state. */
type Elsewhere = "nowhere" | "disabled" | "disabled or ready" | "not in motion";

interface Parameter {
  /** Out of the box. */
  readonly value: string;
  readonly elsewhere: Elsewhere;
  readonly min: number;
  readonly max: number;
  /** What the configuration holds is the most that may be set later. */
  readonly isMost?: boolean;
  /** Anything is a value. */
  readonly isText?: boolean;
}

const HUGE = 1e12;
const TINY = 1e-6;

function parameter(value: string | number, elsewhere: Elsewhere, min: number, max: number): Parameter {
  return { value: String(value), elsewhere, min, max };
}

/** Only these four and the stage's unit change what the emulated stage does. */
function parametersOf(settings: NewportSettings): ReadonlyMap<string, Parameter> {
  const { velocity_mm_s, acceleration_mm_s2, travel_mm, encoderStep_mm, homingTimeout_s, stageName } = settings;
  const all: [string, Parameter][] = [
    ["AC", { ...parameter(acceleration_mm_s2, "not in motion", TINY, HUGE), isMost: true }],
    ["BA", parameter(0, "nowhere", 0, HUGE)],
    ["BH", parameter(0, "nowhere", 0, HUGE)],
    ["DV", parameter(48, "nowhere", 12, 48)],
    ["FD", parameter(1000, "nowhere", TINY, 2000)],
    ["FE", parameter(1, "disabled", TINY, HUGE)],
    ["FF", parameter(0, "disabled", 0, 48)],
    ["HT", parameter(2, "nowhere", 0, 4)],
    ["ID", { ...parameter(stageName, "nowhere", 0, 0), isText: true }],
    ["JR", parameter(0.04, "disabled or ready", 1e-3, HUGE)],
    ["KD", parameter(0.5, "disabled", 0, HUGE)],
    ["KI", parameter(10, "disabled", 0, HUGE)],
    ["KP", parameter(1, "disabled", 0, HUGE)],
    ["KV", parameter(0, "disabled", 0, HUGE)],
    ["LF", parameter(100, "disabled", 0, HUGE)],
    ["OH", parameter(0.2, "nowhere", TINY, HUGE)],
    ["OT", parameter(homingTimeout_s, "nowhere", 1, 1000)],
    ["QIL", parameter(0.5, "nowhere", 0.05, 3)],
    ["QIR", parameter(0.25, "nowhere", 0.05, 1.5)],
    ["QIT", parameter(1, "nowhere", 0.01, 100)],
    ["SC", parameter(1, "disabled", 0, 1)],
    ["SL", parameter(0, "not in motion", -HUGE, 0)],
    ["SR", parameter(travel_mm, "not in motion", 0, HUGE)],
    ["SU", parameter(encoderStep_mm, "nowhere", TINY, HUGE)],
    ["VA", { ...parameter(velocity_mm_s, "not in motion", TINY, HUGE), isMost: true }],
  ];
  if (settings.controller === "SMC100") {
    all.push(["JM", parameter(1, "not in motion", 0, 1)], ["ZX", parameter(3, "nowhere", 1, 3)]);
  }
  return new Map(all);
}

const ADDRESS_MAX = 31;
/** Of the whole family, but not for controllers of DC motors. */
const NOT_FOR_DC = new Set(["FR", "VB"]);
const OF_SMC100 = new Set(["JD", "RA", "RB", "SB"]);
const OF_CONEX = new Set(["TK"]);
const RESET_ms = 3000;
const CONFIGURATION_ms = 4000;
const STALL_DETECTION_ms = 100;
const HOME_OVERRUN_mm = 0.1;

export class NewportController extends EmulatedController {
  readonly settings: NewportSettings;
  readonly carriage: Carriage;
  readonly #lines = new LineCollector((line) => this.#onLine(line));
  readonly #parameters: ReadonlyMap<string, Parameter>;
  /** In the controller's memory: what holds after the next reset. */
  #stored: ReadonlyMap<string, string>;
  /** What holds now. */
  #values: Map<string, string>;
  /** What was set in the configuration under way. */
  readonly #configured = new Map<string, string>();
  #state: number = State.notReferencedAfterReset;
  #positionerErrors = 0;
  #lastError = "@";
  #origin_mm = 0;
  #address: number;
  #nextAddress: number | undefined;
  #target_mm = 0;
  /** Where the next move goes that all controllers of a line start together. */
  #sharedTarget_mm = 0;
  #outputs = 0;
  /** Deaf while it starts or writes its memory. */
  #deafUntil_ms = Number.NEGATIVE_INFINITY;
  #callOffEnd: () => void = () => undefined;
  #callOffStall: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<NewportSettings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
    this.#parameters = parametersOf(this.settings);
    this.#stored = new Map([...this.#parameters].map(([name, { value }]) => [name, value]));
    this.#values = new Map(this.#stored);
    this.#address = this.settings.address;
    this.carriage = new Carriage(this.settings.position_mm, -0.5, this.settings.travel_mm + 0.5);
    this.#powerUp();
  }

  override position_mm(): number {
    return this.carriage.actual_mm(this.now_ms());
  }

  override powerCycle(): void {
    this.callOff();
    this.carriage.halt(this.now_ms());
    this.#powerUp();
    this.#deafUntil_ms = this.now_ms() + RESET_ms;
  }

  jam(): void {
    this.advance();
    this.carriage.jam(this.now_ms());
    this.#watchStall();
  }

  free(): void {
    this.carriage.free(this.now_ms());
  }

  /**
   * A limit switch closes in mid-move: the controller cuts the motor, shows the end of run in its positioner error and
   * does not trust its reference any more.
   */
  hitLimit(): void {
    this.advance();
    if (!this.#isMoving()) return;
    const forward = this.carriage.velocity_mm_s(this.now_ms()) >= 0;
    this.#callOffEnd();
    this.#callOffStall();
    this.carriage.halt(this.now_ms());
    this.#positionerErrors |= forward ? PositionerError.positiveEndOfRun : PositionerError.negativeEndOfRun;
    this.#state = State.notReferencedAfterMoving;
  }

  protected override handle(bytes: Uint8Array): void {
    if (this.now_ms() >= this.#deafUntil_ms) {
      this.#lines.push(bytes);
    }
  }

  #powerUp(): void {
    this.#lines.reset();
    this.#state = State.notReferencedAfterReset;
    this.#positionerErrors = 0;
    this.#lastError = "@";
    this.#origin_mm = this.carriage.actual_mm(this.now_ms());
    this.#values = new Map(this.#stored);
    this.#nextAddress = undefined;
    this.#target_mm = 0;
    this.#sharedTarget_mm = 0;
    this.#outputs = 0;
  }

  #onLine(line: string): void {
    // Blanks count nowhere, not even inside a number.
    const text = line.replace(/\s/g, "");
    const match = /^(\d+(?:\.\d*)?)?(QI[LRT]|[A-Za-z]{2})(.*)$/i.exec(text);
    const [, address, letters, argument = ""] = match ?? [];
    if (letters === undefined) {
      if (text !== "") {
        this.#lastError = "A";
      }
      return;
    }
    const command = letters.toUpperCase();
    if (address === undefined) {
      this.#obeyAll(command, argument);
      return;
    }
    if (address.includes(".")) {
      this.#lastError = "A";
      return;
    }
    if (Number(address) < 1 || Number(address) > ADDRESS_MAX) {
      this.#lastError = "B";
      return;
    }
    if (Number(address) !== this.#address) {
      return;
    }
    const data = this.#execute(command, argument);
    if (data !== undefined) {
      const lines = data.map((answer) => `${address}${answer}\r\n`).join("");
      this.transmit(bytesOf(lines), this.settings.latency_ms);
    }
  }

  /** What every controller on the line obeys. */
  #obeyAll(command: string, argument: string): void {
    if (command === "ST") {
      this.#stop();
    } else if (command === "SE" && argument === "") {
      this.#goTo(this.#sharedTarget_mm);
    } else if (command === "RS" && argument === "##") {
      this.#address = 1;
    } else {
      this.#lastError = "B";
    }
  }

  /** The lines of the answer without the address, or undefined where the command is silent. */
  #execute(command: string, argument: string): string[] | undefined {
    if (command === "ZT") {
      const parameters = [...this.#values].map(([name, value]) => `${name}${value}`);
      return ["PW1", ...parameters, "PW0"];
    }
    const data = this.#answer(command, argument);
    return data === undefined ? undefined : [`${command}${data}`];
  }

  #answer(command: string, argument: string): string | undefined {
    const other = this.settings.controller === "SMC100" ? OF_CONEX : OF_SMC100;
    if (other.has(command)) {
      return this.#fail("A");
    }
    switch (command) {
      case "TP":
        return (this.carriage.actual_mm(this.now_ms()) - this.#origin_mm).toFixed(5);
      case "TH":
        return (this.carriage.commanded_mm(this.now_ms()) - this.#origin_mm).toFixed(5);
      case "TS":
        return `${hex(this.#positionerErrors, 4)}${hex(this.#state, 2)}`;
      case "TE": {
        const error = this.#lastError;
        this.#lastError = "@";
        return error;
      }
      case "TB": {
        const letter = argument === "" || argument === "?" ? this.#lastError : argument.charAt(0).toUpperCase();
        const text = ERROR_TEXTS[letter];
        return text === undefined ? this.#fail("C") : `${letter} ${text}.`;
      }
      case "VE":
        return ` ${this.settings.controller} ${this.settings.firmware}`;
      case "PA":
      case "PR":
        return this.#move(command, argument);
      case "PT":
        return this.#motionTime(argument);
      case "SE":
        return this.#prepare(argument);
      case "OR":
        return this.#startHome();
      case "ST":
        this.#stop();
        return undefined;
      case "MM":
        return this.#setMotor(argument);
      case "TK":
        return this.#track(argument);
      case "PW":
        return this.#configure(argument);
      case "RS":
        this.powerCycle();
        return undefined;
      case "SA":
        return this.#setAddress(argument);
      case "JD":
        // Nobody presses a key of the keypad, so the controller is never in its JOGGING state.
        return this.#fail(this.#stateLetter());
      case "RA":
      case "RB":
        return "0";
      case "SB":
        return this.#setOutputs(argument);
      default:
        return this.#store(command, argument);
    }
  }

  #store(command: string, argument: string): string | undefined {
    const known = this.#parameters.get(command);
    if (known === undefined) {
      return this.#fail(NOT_FOR_DC.has(command) ? "X" : "A");
    }
    if (argument === "?") {
      return this.#values.get(command);
    }
    const configures = this.#state === State.configuration;
    if (!configures && !this.#maySet(known.elsewhere)) {
      return this.#fail(this.#stateLetter());
    }
    const value = numberOf(argument);
    const most = known.isMost === true && !configures ? Number(this.#stored.get(command)) : known.max;
    if (known.isText === true ? argument === "" : value === undefined || value < known.min || value > most) {
      return this.#fail("C");
    }
    const text = known.isText === true ? argument : String(value);
    this.#values.set(command, text);
    if (configures) {
      this.#configured.set(command, text);
    }
    return undefined;
  }

  #maySet(elsewhere: Elsewhere): boolean {
    switch (elsewhere) {
      case "nowhere":
        return false;
      case "disabled":
        return this.#isDisabled();
      case "disabled or ready":
        return this.#isDisabled() || this.#isReady();
      case "not in motion":
        return !this.#isMoving();
    }
  }

  /** The address, 2 to 31; another one holds from the end of the configuration on. */
  #setAddress(argument: string): string | undefined {
    if (argument === "?") {
      return String(this.#address);
    }
    if (this.#state !== State.configuration) {
      return this.#fail(this.#stateLetter());
    }
    const address = Number(argument);
    if (!Number.isInteger(address) || address < 2 || address > ADDRESS_MAX) {
      return this.#fail("C");
    }
    this.#nextAddress = address;
    return undefined;
  }

  /** Four lines of output, one bit each. */
  #setOutputs(argument: string): string | undefined {
    if (argument === "?") {
      return String(this.#outputs);
    }
    const value = numberOf(argument);
    if (value === undefined || !Number.isInteger(value) || value < 0 || value > 15) {
      return this.#fail("C");
    }
    this.#outputs = value;
    return undefined;
  }

  /** Leaves an error to be asked for; the command itself stays silent. */
  #fail(letter: string): string | undefined {
    this.#lastError = letter;
    return undefined;
  }

  #number(name: "VA" | "AC" | "SL" | "SR" | "OT"): number {
    return Number(this.#values.get(name));
  }

  #isMoving(): boolean {
    return this.#state === State.moving || this.#isTracking();
  }

  #isTracking(): boolean {
    return this.#state === State.tracking || this.#state === State.trackingOn;
  }

  #isReadyToTrack(): boolean {
    return this.#state >= State.readyToTrack && this.#state <= State.readyToTrackAfterDisable;
  }

  #isReady(): boolean {
    return this.#state >= State.readyAfterHoming && this.#state <= 0x35;
  }

  #isDisabled(): boolean {
    return this.#state >= State.disableAfterReady && this.#state <= State.disableAfterReadyToTrack;
  }

  /** The letter for a command that is not allowed in the present state. */
  #stateLetter(): string {
    if (this.#state === State.configuration) {
      return "I";
    }
    if (this.#state === State.homing) {
      return "L";
    }
    if (this.#state === State.moving) {
      return "M";
    }
    if (this.#isTracking() || this.#isReadyToTrack()) {
      return "P";
    }
    if (this.#isDisabled()) {
      return "J";
    }
    return this.#isReady() ? "K" : "H";
  }

  #move(command: string, argument: string): string | undefined {
    if (argument === "?") {
      return this.#target_mm.toFixed(5);
    }
    const value = numberOf(argument);
    if (value === undefined) {
      return this.#fail("C");
    }
    const tracks = this.#isTracking() || this.#isReadyToTrack();
    if (!this.#isReady() && !(command === "PA" && (tracks || this.#state === State.moving))) {
      return this.#fail(this.#stateLetter());
    }
    const target_mm = command === "PA" ? value : this.#target_mm + value;
    if (!this.#isWithinLimits(target_mm)) {
      return this.#fail("G");
    }
    if (command === "PR" && value === 0) {
      return undefined;
    }
    this.#runTo(target_mm);
    return undefined;
  }

  #isWithinLimits(target_mm: number): boolean {
    return target_mm >= this.#number("SL") && target_mm <= this.#number("SR");
  }

  /** Keeps a target for the start that all controllers of the line hear together. */
  #prepare(argument: string): string | undefined {
    if (argument === "?") {
      return this.#sharedTarget_mm.toFixed(5);
    }
    const value = numberOf(argument);
    if (value === undefined) {
      return this.#fail("C");
    }
    if (!this.#isReady()) {
      return this.#fail(this.#stateLetter());
    }
    if (!this.#isWithinLimits(value)) {
      return this.#fail("G");
    }
    this.#sharedTarget_mm = value;
    return undefined;
  }

  #goTo(target_mm: number): void {
    if (this.#isReady()) {
      this.#runTo(target_mm);
    } else {
      this.#lastError = this.#stateLetter();
    }
  }

  #runTo(target_mm: number): void {
    this.#target_mm = target_mm;
    this.#positionerErrors = 0;
    let after: number = State.readyAfterMoving;
    if (this.#isTracking() || this.#isReadyToTrack()) {
      this.#state = this.#isTracking() ? State.trackingOn : State.tracking;
      after = State.readyToTrackAfterTracking;
    } else {
      this.#state = State.moving;
    }
    this.#drive(this.#origin_mm + target_mm, this.#number("VA"), () => {
      this.#state = after;
    });
  }

  /** How long a relative move takes, in s. */
  #motionTime(argument: string): string | undefined {
    const distance_mm = Math.abs(numberOf(argument) ?? Number.NaN);
    if (Number.isNaN(distance_mm)) {
      return this.#fail("C");
    }
    const v = this.#number("VA");
    const a = this.#number("AC");
    const time_s = distance_mm >= (v * v) / a ? distance_mm / v + v / a : 2 * Math.sqrt(distance_mm / a);
    return time_s.toFixed(5);
  }

  /** Enters or leaves the state in which each new target is followed at once. */
  #track(argument: string): string | undefined {
    const tracks = this.#isTracking() || this.#isReadyToTrack();
    if (argument === "?") {
      return tracks ? "1" : "0";
    }
    if (argument === "1" && this.#isReady()) {
      this.#state = State.readyToTrack;
    } else if (argument === "0" && this.#isReadyToTrack()) {
      this.#state = State.readyAfterMoving;
    } else {
      return this.#fail(argument === "0" || argument === "1" ? this.#stateLetter() : "C");
    }
    return undefined;
  }

  #startHome(): string | undefined {
    if (this.#state === State.homing) {
      return this.#fail("E");
    }
    if (this.#state < 0x0a || this.#state > 0x11) {
      return this.#fail(this.#stateLetter());
    }
    this.#state = State.homing;
    this.#positionerErrors = 0;
    const giveUp = this.schedule(this.now_ms() + this.#number("OT") * 1000, () => {
      this.#callOffEnd();
      this.carriage.halt(this.now_ms());
      this.#positionerErrors |= PositionerError.homingTimeout;
      this.#state = State.notReferencedAfterHoming;
    });
    this.#drive(-HOME_OVERRUN_mm, this.#number("VA"), () => {
      this.#drive(0, this.#number("VA") / 4, () => {
        giveUp();
        this.#origin_mm = this.position_mm();
        this.#target_mm = 0;
        this.#state = State.readyAfterHoming;
      });
    });
    return undefined;
  }

  #drive(target_mm: number, velocity_mm_s: number, atEnd: () => void): void {
    this.#callOffEnd();
    this.#callOffStall();
    this.carriage.moveTo(target_mm, this.now_ms(), velocity_mm_s, this.#number("AC"));
    this.#watchStall();
    this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
      if (!this.carriage.jammed) {
        atEnd();
      }
    });
  }

  #watchStall(): void {
    this.#callOffStall();
    // While it searches for the reference the controller waits for the time-out.
    if (this.carriage.jammed && this.#isMoving()) {
      this.#callOffStall = this.schedule(this.now_ms() + STALL_DETECTION_ms, () => {
        this.#callOffEnd();
        this.carriage.halt(this.now_ms());
        this.#positionerErrors |= PositionerError.followingError;
        this.#state = this.#isTracking() ? State.disableAfterTracking : State.disableAfterMoving;
      });
    }
  }

  #stop(): void {
    if (!this.#isMoving() && this.#state !== State.homing) {
      return;
    }
    this.#callOffEnd();
    this.#callOffStall();
    let next: number = this.#isTracking() ? State.readyToTrackAfterTracking : State.readyAfterMoving;
    if (this.#state === State.homing) {
      next = State.notReferencedAfterHoming;
    }
    this.carriage.stop(this.now_ms(), this.#number("AC"));
    this.#target_mm = this.carriage.target_mm - this.#origin_mm;
    this.#callOffEnd = this.schedule(Math.max(this.carriage.end_ms, this.now_ms()), () => {
      this.#state = next;
    });
  }

  #setMotor(argument: string): string | undefined {
    if (argument === "?") {
      return this.#isDisabled() ? "0" : "1";
    }
    if (argument === "0" && (this.#isReady() || this.#isReadyToTrack())) {
      this.#state = this.#isReady() ? State.disableAfterReady : State.disableAfterReadyToTrack;
      return undefined;
    }
    if (argument === "1" && this.#isDisabled()) {
      this.#positionerErrors = 0;
      this.#target_mm = this.carriage.actual_mm(this.now_ms()) - this.#origin_mm;
      this.#state =
        this.#state === State.disableAfterReadyToTrack ? State.readyToTrackAfterDisable : State.readyAfterDisable;
      return undefined;
    }
    return this.#fail(argument === "0" || argument === "1" ? this.#stateLetter() : "C");
  }

  /** What is set in the CONFIGURATION state is kept in the memory from its end on. */
  #configure(argument: string): string | undefined {
    if (argument === "?") {
      return this.#state === State.configuration ? "1" : "0";
    }
    const isNotReferenced = this.#state >= 0x0a && this.#state <= 0x11;
    if (argument === "1" && isNotReferenced) {
      this.#state = State.configuration;
      this.#configured.clear();
    } else if (argument === "0" && this.#state === State.configuration) {
      this.#state = State.notReferencedAfterConfiguration;
      this.#stored = new Map([...this.#stored, ...this.#configured]);
      this.#address = this.#nextAddress ?? this.#address;
      this.#nextAddress = undefined;
      this.#deafUntil_ms = this.now_ms() + CONFIGURATION_ms;
    } else {
      return this.#fail(argument === "0" || argument === "1" ? this.#stateLetter() : "C");
    }
    return undefined;
  }
}

/** The number that a text begins with; what follows it is ignored. */
function numberOf(text: string): number | undefined {
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(text)?.[0];
  return number === undefined ? undefined : Number(number);
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}
