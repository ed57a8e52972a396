/**
 * A PI C-863 Mercury servo controller with one stage, GCS 2.0.
 *
 * Sources: C-863.12 manual MS249E 1.2.1, page by page at https://manualshive.com/en/manual/pi/ms249e/1554329?page=142 and
 * https://www.easymanua.ls/pi/ms249e/manual?p=121 (syntax on its pages 116 to 118, #4 and #5 on 126 and 127, CCL on 133, HPA?
 * on 161, POS on 181, SAI to SEP on 186 to 188, SPA on 190, SRG? on 193, VEL and VER? on 204, errors from 207 on),
 * https://github.com/PI-PhysikInstrumente/PIPython and https://github.com/epics-motor/motorPIGCS2 (what clients ask).
 *
 * Not verified, because no public text could be read: what follows a limit switch in mid-move (a motion error with the servo
 * off here, and the switch in the status register; PI's library also knows error 216 for controllers that need CLR);
 * when the error flag of the status register is set (here until ERR? is read); DFH and the limits after it; where FNL
 * and FPL leave the stage (at that end of the travel here); which error a wrong password or too low a command level leaves
 * (56 and 60, by their names). Macros, triggers, data recorder, joystick, open-loop motion and brakes are not spoken.
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";
import { bytesOf } from "../line-collector.ts";
import { parameterHelp, ParameterId, parametersOf, type GcsParameter } from "./parameters.ts";

export interface PiGcs2Settings {
  readonly controller: string;
  readonly serialNumber: string;
  readonly firmware: string;
  readonly stageName: string;
  readonly axis: string;
  readonly travel_mm: number;
  readonly velocity_mm_s: number;
  readonly velocityMax_mm_s: number;
  readonly acceleration_mm_s2: number;
  /** Counts per millimetre as numerator and denominator: parameters 0x0E and 0x0F. */
  readonly countsNumerator: number;
  readonly countsDenominator: number;
  /** True position at power-up, from the reference mark. */
  readonly position_mm: number;
  readonly latency_ms: number;
  /** The signals of limit and reference switches are inverted, as on the stage of the manual's example for #4. */
  readonly limitsActiveLow: boolean;
}

const DEFAULTS: PiGcs2Settings = {
  controller: "C-863.12",
  serialNumber: "0115500620",
  firmware: "1.2.1.0",
  stageName: "M-521.DD",
  axis: "1",
  travel_mm: 300,
  velocity_mm_s: 20,
  velocityMax_mm_s: 50,
  acceleration_mm_s2: 100,
  countsNumerator: 10_000,
  countsDenominator: 1,
  position_mm: 40,
  latency_ms: 2,
  limitsActiveLow: false,
};

const ErrorCode = {
  none: 0,
  parameterSyntax: 1,
  unknownCommand: 2,
  moveWithoutReferenceOrServo: 5,
  outOfLimits: 7,
  velocityOutOfLimits: 8,
  stoppedByCommand: 10,
  outOfRange: 17,
  illegalAxis: 23,
  unknownParameter: 54,
  invalidPassword: 56,
  protectedParameter: 60,
  referenceModeOn: 88,
  motionError: 1024,
} as const;

/** Bits of the answer to #4, four hexadecimal digits per axis. */
const StatusBit = {
  negativeLimit: 0x0001,
  /** The stage is on the positive side of its reference switch. */
  referenceSwitch: 0x0002,
  positiveLimit: 0x0004,
  error: 0x0100,
  servoOn: 0x1000,
  moving: 0x2000,
  referencing: 0x4000,
  onTarget: 0x8000,
} as const;

const LINE_FEED = 0x0a;
const STALL_DETECTION_ms = 100;
/** The servo needs this long at the end of a motion to call the stage on target. */
const SETTLING_ms = 30;
const HOME_OVERRUN_mm = 0.2;
const HOME_RETURN_mm_s = 2;

/** Address of the controller on its chain, and that of the computer. */
const ADDRESS = 1;
const COMPUTER = 0;

/** For SEP and WPA, and for command level 1. */
const SAVE_PASSWORD = "100";
const LEVEL_PASSWORD = "advanced";

const ALWAYS_POSITIVE: ReadonlySet<number> = new Set([
  ParameterId.velocity,
  ParameterId.velocityMax,
  ParameterId.acceleration,
  ParameterId.deceleration,
  ParameterId.accelerationMax,
  ParameterId.decelerationMax,
]);

const HELP = [
  "The following commands are available:",
  "#4 Request Status Register",
  "#5 Request Motion Status",
  "#7 Request Controller Ready Status",
  "#8 Query If Macro Is Running",
  "#24 Stop All Axes",
  "*IDN? Get Device Identification",
  "ACC {<AxisID> <Acceleration>} Set Closed-Loop Acceleration",
  "ACC? [{<AxisID>}] Get Closed-Loop Acceleration",
  "CCL <Level> [<PSWD>] Set Command Level",
  "CCL? Get Command Level",
  "CST? [{<AxisID>}] Get Assignment Of Stages To Axes",
  "CSV? Get Current Syntax Version",
  "DEC {<AxisID> <Deceleration>} Set Closed-Loop Deceleration",
  "DEC? [{<AxisID>}] Get Closed-Loop Deceleration",
  "DFH [{<AxisID>}] Define Home Position",
  "DFH? [{<AxisID>}] Get Home Position Definition",
  "DIO? [{<DIOID>}] Get Digital Input Lines",
  "ERR? Get Error Number",
  "FNL [{<AxisID>}] Fast Reference Move To Negative Limit",
  "FPL [{<AxisID>}] Fast Reference Move To Positive Limit",
  "FRF [{<AxisID>}] Fast Reference Move To Reference Switch",
  "FRF? [{<AxisID>}] Get Referencing Result",
  "GOH [{<AxisID>}] Go To Home Position",
  "HLP? Get List Of Available Commands",
  "HLT [{<AxisID>}] Halt Motion Smoothly",
  "HPA? Get List Of Available Parameters",
  "LIM? [{<AxisID>}] Indicate Limit Switches",
  "MOV {<AxisID> <Position>} Set Target Position",
  "MOV? [{<AxisID>}] Get Target Position",
  "MVR {<AxisID> <Distance>} Set Target Relative To Current Position",
  "ONT? [{<AxisID>}] Get On Target State",
  "POS {<AxisID> <Position>} Set Real Position",
  "POS? [{<AxisID>}] Get Real Position",
  "RBT Reboot System",
  "RON {<AxisID> <ReferenceOn>} Set Reference Mode",
  "RON? [{<AxisID>}] Get Reference Mode",
  "RPA [{<ItemID> <PamID>}] Reset Volatile Memory Parameters",
  "SAI {<AxisID> <NewIdentifier>} Set Current Axis Identifiers",
  "SAI? [ALL] Get List Of Current Axis Identifiers",
  "SEP <PSWD> {<ItemID> <PamID> <PamValue>} Set Nonvolatile Memory Parameters",
  "SEP? [{<ItemID> <PamID>}] Get Nonvolatile Memory Parameters",
  "SPA {<ItemID> <PamID> <PamValue>} Set Volatile Memory Parameters",
  "SPA? [{<ItemID> <PamID>}] Get Volatile Memory Parameters",
  "SRG? [{<ItemID> <RegisterID>}] Query Status Register Value",
  "STP Stop All Axes",
  "SVO {<AxisID> <ServoState>} Set Servo Mode",
  "SVO? [{<AxisID>}] Get Servo Mode",
  "TIO? Tell Digital I/O Lines",
  "TMN? [{<AxisID>}] Get Minimum Commandable Position",
  "TMX? [{<AxisID>}] Get Maximum Commandable Position",
  "TRS? [{<AxisID>}] Indicate Reference Switch",
  "VEL {<AxisID> <Velocity>} Set Closed-Loop Velocity",
  "VEL? [{<AxisID>}] Get Closed-Loop Velocity",
  "VER? Get Versions Of Firmware And Drivers",
  "WPA <PSWD> [{<ItemID> <PamID>}] Save Parameters To Nonvolatile Memory",
  "end of help",
];

export class PiGcs2Controller extends EmulatedController {
  readonly settings: PiGcs2Settings;
  readonly carriage: Carriage;
  /** Status bit of a switch that closed before the carriage reached its end, until the motor drives off it. */
  #closedSwitch = 0;
  #line = "";
  /** The line under way named its target, so its answer names target and sender. */
  #addressed = false;
  #error: number = ErrorCode.none;
  #servo = false;
  #referenced = false;
  #referenceNeeded = true;
  #referencing = false;
  #origin_mm = 0;
  #target_mm = 0;
  /** Where the home position was put, in the coordinates of the reference. */
  #home_mm = 0;
  #axis: string;
  #commandLevel = 0;
  readonly #parameters: ReadonlyMap<number, GcsParameter>;
  #volatile: Map<number, number | string>;
  readonly #nonvolatile: Map<number, number | string>;
  #storedAxis: string;
  #callOffEnd: () => void = () => undefined;
  #callOffStall: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<PiGcs2Settings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
    this.#axis = this.settings.axis;
    this.#storedAxis = this.#axis;
    this.#parameters = new Map(parametersOf(this.settings).map((known) => [known.id, known]));
    this.#nonvolatile = new Map([...this.#parameters].map(([id, { value }]) => [id, value]));
    this.#volatile = new Map(this.#nonvolatile);
    this.carriage = new Carriage(this.settings.position_mm, -1, this.settings.travel_mm + 1);
    this.#powerUp();
  }

  override position_mm(): number {
    return this.carriage.actual_mm(this.now_ms());
  }

  override powerCycle(): void {
    this.callOff();
    this.carriage.halt(this.now_ms());
    this.#powerUp();
  }

  jam(): void {
    this.advance();
    this.carriage.jam(this.now_ms());
    this.#watchStall();
  }

  free(): void {
    this.carriage.free(this.now_ms());
  }

  /** The servo drops out, as it does after an error that nobody commanded. */
  dropServo(): void {
    this.advance();
    this.#fault();
  }

  /** A limit switch closes in mid-move: the motion ends as a motion error, and the status register shows the switch. */
  hitLimit(): void {
    this.advance();
    const velocity_mm_s = this.carriage.velocity_mm_s(this.now_ms());
    if (velocity_mm_s === 0) return;
    this.#fault();
    this.#closedSwitch = velocity_mm_s > 0 ? StatusBit.positiveLimit : StatusBit.negativeLimit;
  }

  protected override handle(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#line === "" && (byte === 4 || byte === 5 || byte === 7 || byte === 8 || byte === 24)) {
        this.#single(byte);
      } else if (byte === LINE_FEED) {
        const line = this.#line;
        this.#line = "";
        this.#execute(line);
      } else if (byte === 24) {
        this.#single(byte);
      } else if (byte !== 0x0d && this.#line.length < 512) {
        this.#line += String.fromCharCode(byte);
      }
    }
  }

  #powerUp(): void {
    this.#line = "";
    this.#error = ErrorCode.none;
    this.#servo = false;
    this.#referenced = false;
    this.#referenceNeeded = true;
    this.#referencing = false;
    this.#origin_mm = this.carriage.actual_mm(this.now_ms());
    this.#target_mm = 0;
    this.#home_mm = 0;
    this.#axis = this.#storedAxis;
    this.#commandLevel = 0;
    this.#volatile = new Map(this.#nonvolatile);
  }

  #number(id: number): number {
    return Number(this.#volatile.get(id));
  }

  #single(byte: number): void {
    switch (byte) {
      case 4: {
        this.#send([`0x${this.#statusRegister().toString(16)}`]);
        return;
      }
      case 5: {
        this.#send([this.#isMoving() ? "1" : "0"]);
        return;
      }
      case 7: // One byte above 0x7F: ready or busy with a command. Referencing counts as busy.
        {
          this.#send([String.fromCharCode(this.#referencing ? 0xb0 : 0xb1)]);
          return;
        }
      case 8: {
        this.#send(["0"]);
        return;
      }
      default:
        this.#stop(true);
    }
  }

  #statusRegister(): number {
    let bits: number = this.#closedSwitch;
    const place_mm = this.position_mm();
    if (place_mm <= this.carriage.end1_mm) {
      bits |= StatusBit.negativeLimit;
    }
    if (place_mm >= this.carriage.end2_mm) {
      bits |= StatusBit.positiveLimit;
    }
    if (place_mm > 0) {
      bits |= StatusBit.referenceSwitch;
    }
    if (this.settings.limitsActiveLow) {
      bits ^= StatusBit.negativeLimit | StatusBit.referenceSwitch | StatusBit.positiveLimit;
    }
    if (this.#error !== ErrorCode.none) {
      bits |= StatusBit.error;
    }
    if (this.#servo) {
      bits |= StatusBit.servoOn;
    }
    if (this.#isMoving()) {
      bits |= StatusBit.moving;
    }
    if (this.#referencing) {
      bits |= StatusBit.referencing;
    }
    if (this.#isOnTarget()) {
      bits |= StatusBit.onTarget;
    }
    return bits;
  }

  #isMoving(): boolean {
    return this.#referencing || this.carriage.isMoving(this.now_ms());
  }

  #isOnTarget(): boolean {
    return this.#servo && !this.#referencing && this.now_ms() >= this.carriage.end_ms + SETTLING_ms;
  }

  #actual_mm(): number {
    return this.position_mm() - this.#origin_mm - this.#home_mm;
  }

  #execute(line: string): void {
    const words = line.trim().split(/\s+/);
    // "Target [sender] command": without a target the line is for controller 1, and its answer carries no addresses.
    this.#addressed = /^\d+$/.test(words[0] ?? "");
    if (this.#addressed) {
      const target = Number(words.shift());
      if (words[0] === String(COMPUTER)) {
        words.shift();
      }
      if (target !== ADDRESS) {
        this.#addressed = false;
        return;
      }
    }
    const [mnemonic = "", ...args] = words;
    this.#obey(mnemonic.toUpperCase(), args);
    this.#addressed = false;
  }

  #obey(command: string, args: readonly string[]): void {
    if (command === "") {
      return;
    }
    switch (command) {
      case "*IDN?": {
        const { controller, serialNumber, firmware } = this.settings;
        this.#send([`(c)2019 Physik Instrumente (PI) GmbH & Co. KG, ${controller}, ${serialNumber}, ${firmware}`]);
        return;
      }
      case "ERR?": {
        const error = this.#error;
        this.#error = ErrorCode.none;
        this.#send([String(error)]);
        return;
      }
      case "HLP?": {
        this.#send(HELP);
        return;
      }
      case "CSV?": {
        this.#send(["2.0"]);
        return;
      }
      case "VER?": {
        this.#send([`FW_ARM: ${this.settings.firmware}`]);
        return;
      }
      case "RBT": {
        this.powerCycle();
        return;
      }
      case "SAI?": {
        this.#send([this.#axis]);
        return;
      }
      case "HPA?": {
        this.#send(parameterHelp([...this.#parameters.values()]));
        return;
      }
      case "SPA?": {
        this.#sendParameters(this.#volatile, args);
        return;
      }
      case "SEP?": {
        this.#sendParameters(this.#nonvolatile, args);
        return;
      }
      case "SPA": {
        this.#setParameter(this.#volatile, args);
        return;
      }
      case "SEP": {
        const [password, ...rest] = args;
        if (password === SAVE_PASSWORD) {
          this.#setParameter(this.#nonvolatile, rest);
        } else {
          this.#fail(ErrorCode.invalidPassword);
        }
        return;
      }
      case "WPA": {
        this.#saveParameters(args);
        return;
      }
      case "RPA": {
        this.#copyParameters(this.#nonvolatile, this.#volatile, args);
        return;
      }
      case "CCL": {
        this.#setCommandLevel(args);
        return;
      }
      case "CCL?": {
        this.#send([String(this.#commandLevel)]);
        return;
      }
      case "SRG?": {
        const known = this.#names(args[0]) && (args[1] === undefined || args[1] === "1");
        if (known) {
          this.#send([`${this.#axis} 1=0x${this.#statusRegister().toString(16)}`]);
        } else {
          this.#fail(ErrorCode.illegalAxis);
        }
        return;
      }
      case "TIO?": {
        this.#send(["I=4", "O=4"]);
        return;
      }
      case "DIO?": {
        const lines = args[0] === undefined ? ["1", "2", "3", "4"] : [args[0]];
        this.#send(lines.map((line) => `${line}=0`));
        return;
      }
      case "STP": {
        this.#stop(true);
        return;
      }
      default:
        if (command.endsWith("?")) {
          this.#query(command, args);
        } else {
          this.#set(command, args);
        }
    }
  }

  #fail(code: number): void {
    this.#error = code;
  }

  /** Whether the arguments name this axis, or none. */
  #names(axis: string | undefined): boolean {
    return axis === undefined || axis === this.#axis;
  }

  #query(command: string, args: readonly string[]): void {
    if (!this.#names(args[0])) {
      this.#fail(ErrorCode.illegalAxis);
      return;
    }
    const value = this.#value(command);
    if (value === undefined) {
      this.#fail(ErrorCode.unknownCommand);
    } else {
      this.#send([`${this.#axis}=${value}`]);
    }
  }

  #value(command: string): string | undefined {
    switch (command) {
      case "POS?":
        return this.#actual_mm().toFixed(4);
      case "MOV?":
        return this.#target_mm.toFixed(4);
      case "ONT?":
        return this.#isOnTarget() ? "1" : "0";
      case "SVO?":
        return this.#servo ? "1" : "0";
      case "FRF?":
        return this.#referenced ? "1" : "0";
      case "RON?":
        return this.#referenceNeeded ? "1" : "0";
      case "LIM?":
      case "TRS?":
        return "1";
      case "TMN?":
        return this.#lowest_mm().toFixed(7);
      case "TMX?":
        return this.#highest_mm().toFixed(7);
      case "DFH?":
        return this.#home_mm.toFixed(7);
      case "CST?":
        return String(this.#volatile.get(ParameterId.stageName));
      case "VEL?":
        return this.#number(ParameterId.velocity).toFixed(6);
      case "ACC?":
        return this.#number(ParameterId.acceleration).toFixed(6);
      case "DEC?":
        return this.#number(ParameterId.deceleration).toFixed(6);
      default:
        return undefined;
    }
  }

  /** Lowest and highest position that may be commanded, from the home position. */
  #lowest_mm(): number {
    return this.#number(ParameterId.travelNegative) - this.#home_mm;
  }

  #highest_mm(): number {
    return this.#number(ParameterId.travelPositive) - this.#home_mm;
  }

  /** Which parameter two arguments name, its id in decimal or hexadecimal; leaves an error where there is none. */
  #parameterNamed(axis: string | undefined, id: string | undefined): GcsParameter | undefined {
    if (axis !== this.#axis) {
      this.#fail(ErrorCode.illegalAxis);
      return undefined;
    }
    if (id === undefined || !/^(?:\d+|0x[\da-f]+)$/i.test(id)) {
      this.#fail(ErrorCode.parameterSyntax);
      return undefined;
    }
    const known = this.#parameters.get(Number(id));
    if (known === undefined) {
      this.#fail(ErrorCode.unknownParameter);
    }
    return known;
  }

  /** All parameters, or the one that is named. */
  #sendParameters(memory: ReadonlyMap<number, number | string>, args: readonly string[]): void {
    if (args.length === 0) {
      this.#send([...memory].map(([id, value]) => `${this.#axis} 0x${id.toString(16).toUpperCase()}=${value}`));
      return;
    }
    const known = this.#parameterNamed(args[0], args[1]);
    if (known !== undefined) {
      this.#send([`${this.#axis} ${args[1]}=${memory.get(known.id)}`]);
    }
  }

  /** One parameter for each command: axis, id, value. */
  #setParameter(memory: Map<number, number | string>, args: readonly string[]): void {
    const [axis, id, text] = args;
    if (args.length !== 3 || text === undefined) {
      this.#fail(ErrorCode.parameterSyntax);
      return;
    }
    const known = this.#parameterNamed(axis, id);
    if (known === undefined) {
      return;
    }
    if (known.level > this.#commandLevel) {
      this.#fail(ErrorCode.protectedParameter);
      return;
    }
    const value = known.type === "CHAR" ? text : Number(text);
    if (typeof value === "number" && !Number.isFinite(value)) {
      this.#fail(ErrorCode.parameterSyntax);
      return;
    }
    if (typeof value === "number" && value <= 0 && ALWAYS_POSITIVE.has(known.id)) {
      this.#fail(ErrorCode.outOfRange);
      return;
    }
    memory.set(known.id, value);
  }

  #saveParameters(args: readonly string[]): void {
    const [password, ...rest] = args;
    if (password !== SAVE_PASSWORD) {
      this.#fail(ErrorCode.invalidPassword);
      return;
    }
    this.#copyParameters(this.#volatile, this.#nonvolatile, rest);
    if (rest.length === 0) {
      this.#storedAxis = this.#axis;
    }
  }

  #copyParameters(
    from: ReadonlyMap<number, number | string>,
    to: Map<number, number | string>,
    args: readonly string[],
  ): void {
    const named = args.length === 0 ? undefined : this.#parameterNamed(args[0], args[1]);
    if (args.length > 0 && named === undefined) {
      return;
    }
    for (const [id, value] of from) {
      if (named === undefined || named.id === id) {
        to.set(id, value);
      }
    }
  }

  /** Level 0 is for everybody, level 1 needs its password; the maker keeps the others to himself. */
  #setCommandLevel([level, password]: readonly string[]): void {
    if (level === "0") {
      this.#commandLevel = 0;
    } else if (level === "1" && password === LEVEL_PASSWORD) {
      this.#commandLevel = 1;
    } else {
      this.#fail(level === undefined ? ErrorCode.parameterSyntax : ErrorCode.invalidPassword);
    }
  }

  #set(command: string, args: readonly string[]): void {
    const known = "MOV MVR SVO VEL ACC DEC FRF FNL FPL HLT GOH DFH RON POS SAI".split(" ");
    if (!known.includes(command)) {
      this.#fail(ErrorCode.unknownCommand);
      return;
    }
    if (!this.#names(args[0])) {
      this.#fail(ErrorCode.illegalAxis);
      return;
    }
    switch (command) {
      case "FRF": {
        this.#reference(0, this.#number(ParameterId.valueAtReference));
        return;
      }
      case "FNL": {
        this.#reference(0, this.#number(ParameterId.travelNegative));
        return;
      }
      case "FPL": {
        this.#reference(this.settings.travel_mm, this.#number(ParameterId.travelPositive));
        return;
      }
      case "DFH":
        this.#home_mm += this.#actual_mm();
        this.#target_mm = this.#actual_mm();
        return;
      case "SAI":
        if (/^\w{1,8}$/.test(args[1] ?? "")) {
          this.#axis = args[1] ?? "";
        } else {
          this.#fail(ErrorCode.parameterSyntax);
        }
        return;
      case "HLT": {
        this.#stop(false);
        return;
      }
      case "GOH": {
        this.#move(0);
        return;
      }
      default:
    }
    const value = Number(args[1]);
    if (args[1] === undefined || !Number.isFinite(value)) {
      this.#fail(ErrorCode.parameterSyntax);
      return;
    }
    switch (command) {
      case "MOV": {
        this.#move(value);
        return;
      }
      case "MVR": {
        this.#move(this.#target_mm + value);
        return;
      }
      case "SVO": {
        this.#setServo(value === 1);
        return;
      }
      case "VEL":
        if (value <= 0 || value > this.#number(ParameterId.velocityMax)) {
          this.#fail(ErrorCode.velocityOutOfLimits);
          return;
        }
        this.#volatile.set(ParameterId.velocity, value);
        return;
      case "RON":
        this.#referenceNeeded = value === 1;
        return;
      case "POS":
        if (this.#referenceNeeded) {
          this.#fail(ErrorCode.referenceModeOn);
          return;
        }
        this.#home_mm = 0;
        this.#origin_mm = this.position_mm() - value;
        this.#target_mm = value;
        this.#referenced = true;
        return;
      default: {
        const [id, most] =
          command === "ACC"
            ? [ParameterId.acceleration, ParameterId.accelerationMax]
            : [ParameterId.deceleration, ParameterId.decelerationMax];
        if (value <= 0 || value > this.#number(most)) {
          this.#fail(ErrorCode.outOfRange);
          return;
        }
        this.#volatile.set(id, value);
      }
    }
  }

  #setServo(on: boolean): void {
    if (on === this.#servo) {
      return;
    }
    this.#callOffEnd();
    this.#callOffStall();
    this.carriage.halt(this.now_ms());
    this.#servo = on;
    this.#referencing = false;
    this.#target_mm = this.#actual_mm();
  }

  #move(target_mm: number): void {
    if (!this.#servo || !this.#referenced || this.#referencing) {
      this.#fail(ErrorCode.moveWithoutReferenceOrServo);
      return;
    }
    if (target_mm < this.#lowest_mm() || target_mm > this.#highest_mm()) {
      this.#fail(ErrorCode.outOfLimits);
      return;
    }
    this.#target_mm = target_mm;
    const place_mm = this.#origin_mm + this.#home_mm + target_mm;
    this.#drive(place_mm, this.#number(ParameterId.velocity), () => undefined);
  }

  /** Searches a switch from its far side; the place where it is found gets the value. */
  #reference(switch_mm: number, value_mm: number): void {
    if (!this.#servo) {
      this.#fail(ErrorCode.moveWithoutReferenceOrServo);
      return;
    }
    this.#referenced = false;
    this.#referencing = true;
    const far_mm = switch_mm + (switch_mm > 0 ? HOME_OVERRUN_mm : -HOME_OVERRUN_mm);
    this.#drive(far_mm, this.#number(ParameterId.velocity) / 2, () => {
      this.#drive(switch_mm, HOME_RETURN_mm_s, () => {
        this.#home_mm = 0;
        this.#origin_mm = this.position_mm() - value_mm;
        this.#target_mm = value_mm;
        this.#referencing = false;
        this.#referenced = true;
      });
    });
  }

  #drive(target_mm: number, velocity_mm_s: number, atEnd: () => void): void {
    this.#callOffEnd();
    this.#callOffStall();
    this.#closedSwitch = 0;
    this.carriage.moveTo(target_mm, this.now_ms(), velocity_mm_s, this.#number(ParameterId.acceleration));
    this.#watchStall();
    this.#callOffEnd = this.schedule(this.carriage.end_ms, () => {
      if (!this.carriage.jammed) {
        atEnd();
      }
    });
  }

  #watchStall(): void {
    this.#callOffStall();
    if (this.carriage.jammed && this.#isMoving()) {
      this.#callOffStall = this.schedule(this.now_ms() + STALL_DETECTION_ms, () => this.#fault());
    }
  }

  /** A motion error: the servo is switched off and the stage is left to itself. */
  #fault(): void {
    this.#callOffEnd();
    this.#callOffStall();
    this.carriage.halt(this.now_ms());
    this.#servo = false;
    this.#referencing = false;
    this.#error = ErrorCode.motionError;
  }

  #stop(atOnce: boolean): void {
    this.#error = ErrorCode.stoppedByCommand;
    if (!this.#isMoving()) {
      return;
    }
    this.#callOffEnd();
    this.#callOffStall();
    this.#referencing = false;
    // STP and #24 brake as hard as the motor can.
    this.carriage.stop(this.now_ms(), this.#number(ParameterId.deceleration) * (atOnce ? 5 : 1));
    this.#target_mm = this.carriage.target_mm - this.#origin_mm - this.#home_mm;
  }

  /** All lines but the last end with a space; where the question named its target the first begins with both addresses. */
  #send(lines: readonly string[]): void {
    const addresses = this.#addressed ? `${COMPUTER} ${ADDRESS} ` : "";
    this.transmit(bytesOf(`${addresses}${lines.join(" \n")}\n`), this.settings.latency_ms);
  }
}
