/**
 * A Newport CONEX-CC or SMC100 with one stage.
 *
 * Sources: "CONEX-CC Controller Documentation"
 * https://www.newport.com/mam/celum/celum_assets/resources/CONEX-CC_-_Controller_Documentation.pdf (as cited and used by
 * public drivers), https://github.com/freespace/pySMC100 (syntax, timing, states),
 * https://github.com/epics-motor/motorNewport (commands, states), https://github.com/MBI-Div-B/pytango-NewportSMC100.
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
  disableAfterReady: 0x3c,
  disableAfterMoving: 0x3d,
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
  S: "Communication time out",
  U: "Error during EEPROM access",
  V: "Error during command execution",
  W: "Command not allowed for PP version",
  X: "Command not allowed for CC version",
};

/** Where a parameter may be set beside the CONFIGURATION state. */
type Elsewhere = "nowhere" | "disabled" | "disabled or ready";

/** Parameters that are stored and asked for and change nothing here: value out of the box, and where it may be set. */
const STORED: Readonly<Record<string, readonly [value: string, elsewhere: Elsewhere]>> = {
  BA: ["0", "nowhere"],
  BH: ["0", "nowhere"],
  FD: ["1000", "nowhere"],
  FE: ["1", "disabled"],
  HT: ["2", "nowhere"],
  JR: ["0.04", "disabled or ready"],
  KD: ["0.5", "disabled"],
  KI: ["10", "disabled"],
  KP: ["1", "disabled"],
  KV: ["0", "disabled"],
  LF: ["100", "disabled"],
  OH: ["0.2", "nowhere"],
  OT: ["200", "nowhere"],
  QIL: ["0.5", "nowhere"],
  QIR: ["0.25", "nowhere"],
  QIT: ["1", "nowhere"],
  SC: ["1", "disabled"],
};

const RESET_ms = 3000;
const CONFIGURATION_ms = 4000;
const STALL_DETECTION_ms = 100;
const HOME_OVERRUN_mm = 0.1;

export class NewportController extends EmulatedController {
  readonly settings: NewportSettings;
  readonly carriage: Carriage;
  readonly #lines = new LineCollector((line) => this.#onLine(line));
  #state: number = State.notReferencedAfterReset;
  #positionerErrors = 0;
  #lastError = "@";
  #origin_mm = 0;
  #velocity_mm_s = 0;
  #acceleration_mm_s2 = 0;
  /** What the configuration allows at most. */
  #velocityMax_mm_s: number;
  #accelerationMax_mm_s2: number;
  readonly #stored = new Map(Object.entries(STORED).map(([name, [value]]) => [name, value]));
  #address: number;
  #nextAddress: number | undefined;
  #min_mm = 0;
  #max_mm = 0;
  #target_mm = 0;
  /** Deaf while it starts or writes its memory. */
  #deafUntil_ms = Number.NEGATIVE_INFINITY;
  #callOffEnd: () => void = () => undefined;
  #callOffStall: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<NewportSettings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
    this.#velocityMax_mm_s = this.settings.velocity_mm_s;
    this.#accelerationMax_mm_s2 = this.settings.acceleration_mm_s2;
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
    if (this.#state !== State.moving) return;
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
    this.#velocity_mm_s = this.#velocityMax_mm_s;
    this.#acceleration_mm_s2 = this.#accelerationMax_mm_s2;
    this.#min_mm = 0;
    this.#max_mm = this.settings.travel_mm;
    this.#target_mm = 0;
  }

  #onLine(line: string): void {
    const match = /^\s*(\d{1,2})\s*(QI[LRT]|[A-Za-z]{2})\s*(.*?)\s*$/i.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) {
      if (line.trim() !== "") {
        this.#lastError = "A";
      }
      return;
    }
    if (Number(match[1]) !== this.#address) {
      return;
    }
    const command = match[2].toUpperCase();
    const address = this.#address;
    const argument = match[3] ?? "";
    const data = this.#execute(command, argument);
    if (data !== undefined) {
      this.transmit(bytesOf(`${address}${command}${data}\r\n`), this.settings.latency_ms);
    }
  }

  /** The answer behind address and command, or undefined where the command is silent. */
  #execute(command: string, argument: string): string | undefined {
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
        const letter = argument === "" ? this.#lastError : argument.toUpperCase();
        const text = ERROR_TEXTS[letter];
        return text === undefined ? this.#fail("C") : `${letter} ${text}.`;
      }
      case "VE":
        return ` ${this.settings.controller} ${this.settings.firmware}`;
      case "ID":
        return argument === "?" ? this.settings.stageName : this.#fail("D");
      case "SU":
        return argument === "?" ? String(this.settings.encoderStep_mm) : this.#fail("D");
      case "SL":
      case "SR":
      case "VA":
      case "AC":
        return argument === "?" ? String(this.#parameter(command)) : this.#setParameter(command, argument);
      case "PA":
      case "PR":
        return this.#move(command, argument);
      case "OR":
        return this.#startHome();
      case "ST":
        this.#stop();
        return undefined;
      case "MM":
        return this.#setMotor(argument);
      case "PW":
        return this.#configure(argument);
      case "RS":
        this.powerCycle();
        return undefined;
      case "SA":
        return this.#setAddress(argument);
      default:
        return Object.hasOwn(STORED, command) ? this.#store(command, argument) : this.#fail("A");
    }
  }

  #store(command: string, argument: string): string | undefined {
    if (argument === "?") {
      return this.#stored.get(command);
    }
    const elsewhere = STORED[command]?.[1];
    const allowed =
      this.#state === State.configuration ||
      (elsewhere !== "nowhere" && this.#isDisabled()) ||
      (elsewhere === "disabled or ready" && this.#isReady());
    if (!allowed) {
      return this.#fail(this.#stateLetter());
    }
    if (argument === "" || !(Number(argument) >= 0)) {
      return this.#fail("C");
    }
    this.#stored.set(command, argument);
    return undefined;
  }

  /** The address, 1 to 31; another one holds from the end of the configuration on. */
  #setAddress(argument: string): string | undefined {
    if (argument === "?") {
      return String(this.#address);
    }
    if (this.#state !== State.configuration) {
      return this.#fail(this.#stateLetter());
    }
    const address = Number(argument);
    if (!Number.isInteger(address) || address < 1 || address > 31) {
      return this.#fail("C");
    }
    this.#nextAddress = address;
    return undefined;
  }

  /** Leaves an error to be asked for; the command itself stays silent. */
  #fail(letter: string): string | undefined {
    this.#lastError = letter;
    return undefined;
  }

  #parameter(command: string): number {
    switch (command) {
      case "SL":
        return this.#min_mm;
      case "SR":
        return this.#max_mm;
      case "VA":
        return this.#velocity_mm_s;
      default:
        return this.#acceleration_mm_s2;
    }
  }

  #setParameter(command: string, argument: string): string | undefined {
    const value = Number(argument);
    if (argument === "" || !Number.isFinite(value)) {
      return this.#fail("C");
    }
    if (this.#state === State.moving) {
      return this.#fail("M");
    }
    // What is set in configuration is the limit for everything set later.
    const configures = this.#state === State.configuration;
    if (command === "SL" && value <= 0) {
      this.#min_mm = value;
    } else if (command === "SR" && value >= 0) {
      this.#max_mm = value;
    } else if (command === "VA" && value > 0 && (configures || value <= this.#velocityMax_mm_s)) {
      this.#velocity_mm_s = value;
      if (configures) {
        this.#velocityMax_mm_s = value;
      }
    } else if (command === "AC" && value > 0 && (configures || value <= this.#accelerationMax_mm_s2)) {
      this.#acceleration_mm_s2 = value;
      if (configures) {
        this.#accelerationMax_mm_s2 = value;
      }
    } else {
      return this.#fail("C");
    }
    return undefined;
  }

  #isReady(): boolean {
    return this.#state >= State.readyAfterHoming && this.#state <= 0x35;
  }

  #isDisabled(): boolean {
    return this.#state >= State.disableAfterReady && this.#state <= 0x3e;
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
    if (this.#isDisabled()) {
      return "J";
    }
    return this.#isReady() ? "K" : "H";
  }

  #move(command: string, argument: string): string | undefined {
    if (argument === "?") {
      return this.#target_mm.toFixed(5);
    }
    const value = Number(argument);
    if (argument === "" || !Number.isFinite(value)) {
      return this.#fail("C");
    }
    if (!this.#isReady() && !(this.#state === State.moving && command === "PA")) {
      return this.#fail(this.#stateLetter());
    }
    const target_mm = command === "PA" ? value : this.#target_mm + value;
    if (target_mm < this.#min_mm || target_mm > this.#max_mm) {
      return this.#fail("G");
    }
    this.#target_mm = target_mm;
    if (command === "PR" && value === 0) {
      return undefined;
    }
    this.#positionerErrors = 0;
    this.#state = State.moving;
    this.#drive(this.#origin_mm + target_mm, this.#velocity_mm_s, () => {
      this.#state = State.readyAfterMoving;
    });
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
    const giveUp = this.schedule(this.now_ms() + this.settings.homingTimeout_s * 1000, () => {
      this.#callOffEnd();
      this.carriage.halt(this.now_ms());
      this.#positionerErrors |= PositionerError.homingTimeout;
      this.#state = State.notReferencedAfterHoming;
    });
    this.#drive(-HOME_OVERRUN_mm, this.#velocity_mm_s, () => {
      this.#drive(0, this.#velocity_mm_s / 4, () => {
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
    this.carriage.moveTo(target_mm, this.now_ms(), velocity_mm_s, this.#acceleration_mm_s2);
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
    if (this.carriage.jammed && this.#state === State.moving) {
      this.#callOffStall = this.schedule(this.now_ms() + STALL_DETECTION_ms, () => {
        this.#callOffEnd();
        this.carriage.halt(this.now_ms());
        this.#positionerErrors |= PositionerError.followingError;
        this.#state = State.disableAfterMoving;
      });
    }
  }

  #stop(): void {
    if (this.#state !== State.moving && this.#state !== State.homing) {
      return;
    }
    this.#callOffEnd();
    this.#callOffStall();
    const next = this.#state === State.homing ? State.notReferencedAfterHoming : State.readyAfterMoving;
    this.carriage.stop(this.now_ms(), this.#acceleration_mm_s2);
    this.#target_mm = this.carriage.target_mm - this.#origin_mm;
    this.#callOffEnd = this.schedule(Math.max(this.carriage.end_ms, this.now_ms()), () => {
      this.#state = next;
    });
  }

  #setMotor(argument: string): string | undefined {
    if (argument === "0" && this.#isReady()) {
      this.#state = State.disableAfterReady;
      return undefined;
    }
    if (argument === "1" && this.#isDisabled()) {
      this.#positionerErrors = 0;
      this.#target_mm = this.carriage.actual_mm(this.now_ms()) - this.#origin_mm;
      this.#state = State.readyAfterDisable;
      return undefined;
    }
    return this.#fail(argument === "0" || argument === "1" ? this.#stateLetter() : "C");
  }

  #configure(argument: string): string | undefined {
    const isNotReferenced = this.#state >= 0x0a && this.#state <= 0x11;
    if (argument === "1" && isNotReferenced) {
      this.#state = State.configuration;
    } else if (argument === "0" && this.#state === State.configuration) {
      this.#state = State.notReferencedAfterConfiguration;
      this.#address = this.#nextAddress ?? this.#address;
      this.#nextAddress = undefined;
      this.#deafUntil_ms = this.now_ms() + CONFIGURATION_ms;
    } else {
      return this.#fail(argument === "0" || argument === "1" ? this.#stateLetter() : "C");
    }
    return undefined;
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}
