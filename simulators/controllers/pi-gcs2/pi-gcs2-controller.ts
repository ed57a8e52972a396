/**
 * A PI C-863 Mercury servo controller with one stage, GCS 2.0.
 *
 * Sources: C-863 manual https://www.easymanua.ls/pi/ms249e/manual?p=121 and
 * https://manualshive.com/en/manual/pi/ms249e/1554329?page=142 (commands, status register, errors),
 * https://github.com/PI-PhysikInstrumente/PIPython and https://github.com/epics-motor/motorPIGCS2 (what clients ask).
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";
import { bytesOf } from "../line-collector.ts";

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
  /** The limit signals are low where a switch is closed, as on the stage of the manual's example. */
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
  illegalAxis: 23,
  motionError: 1024,
} as const;

/** Bits of the answer to #4, four hexadecimal digits per axis. */
const StatusBit = {
  negativeLimit: 0x0001,
  positiveLimit: 0x0004,
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
  "CST? [{<AxisID>}] Get Assignment Of Stages To Axes",
  "ERR? Get Error Number",
  "FNL [{<AxisID>}] Fast Reference Move To Negative Limit",
  "FPL [{<AxisID>}] Fast Reference Move To Positive Limit",
  "FRF [{<AxisID>}] Fast Reference Move To Reference Switch",
  "FRF? [{<AxisID>}] Get Referencing Result",
  "GOH [{<AxisID>}] Go To Home Position",
  "HLP? Get List Of Available Commands",
  "HLT [{<AxisID>}] Halt Motion Smoothly",
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
  "SAI? [ALL] Get List Of Current Axis Identifiers",
  "SPA? [{<ItemID> <PamID>}] Get Volatile Memory Parameters",
  "STP Stop All Axes",
  "SVO {<AxisID> <ServoState>} Set Servo Mode",
  "SVO? [{<AxisID>}] Get Servo Mode",
  "TMN? [{<AxisID>}] Get Minimum Commandable Position",
  "TMX? [{<AxisID>}] Get Maximum Commandable Position",
  "TRS? [{<AxisID>}] Indicate Reference Switch",
  "VEL {<AxisID> <Velocity>} Set Closed-Loop Velocity",
  "VEL? [{<AxisID>}] Get Closed-Loop Velocity",
  "VER? Get Versions Of Firmware And Drivers",
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
  #velocity_mm_s = 0;
  #acceleration_mm_s2 = 0;
  #callOffEnd: () => void = () => undefined;
  #callOffStall: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<PiGcs2Settings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
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
    this.#velocity_mm_s = this.settings.velocity_mm_s;
    this.#acceleration_mm_s2 = this.settings.acceleration_mm_s2;
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
    if (this.settings.limitsActiveLow) {
      bits ^= StatusBit.negativeLimit | StatusBit.positiveLimit;
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
    return this.position_mm() - this.#origin_mm;
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
        this.#send([this.settings.axis]);
        return;
      }
      case "SPA?": {
        this.#parameter(args);
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
    return axis === undefined || axis === this.settings.axis;
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
      this.#send([`${this.settings.axis}=${value}`]);
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
        return (0).toFixed(7);
      case "TMX?":
        return this.settings.travel_mm.toFixed(7);
      case "CST?":
        return this.settings.stageName;
      case "VEL?":
        return this.#velocity_mm_s.toFixed(6);
      case "ACC?":
      case "DEC?":
        return this.#acceleration_mm_s2.toFixed(6);
      default:
        return undefined;
    }
  }

  #parameter(args: readonly string[]): void {
    const [axis, id] = args;
    if (!this.#names(axis)) {
      this.#fail(ErrorCode.illegalAxis);
      return;
    }
    const { countsNumerator, countsDenominator, velocityMax_mm_s, acceleration_mm_s2 } = this.settings;
    const values: Readonly<Record<number, number>> = {
      10: velocityMax_mm_s,
      11: acceleration_mm_s2,
      12: acceleration_mm_s2,
      14: countsNumerator,
      15: countsDenominator,
      74: acceleration_mm_s2 * 10,
      75: acceleration_mm_s2 * 10,
    };
    const value = values[Number(id)];
    if (id === undefined || value === undefined) {
      this.#fail(ErrorCode.parameterSyntax);
    } else {
      this.#send([`${this.settings.axis} ${id}=${value}`]);
    }
  }

  #set(command: string, args: readonly string[]): void {
    const known = ["MOV", "MVR", "SVO", "VEL", "ACC", "DEC", "FRF", "FNL", "FPL", "HLT", "GOH", "RON", "POS"];
    if (!known.includes(command)) {
      this.#fail(ErrorCode.unknownCommand);
      return;
    }
    if (!this.#names(args[0])) {
      this.#fail(ErrorCode.illegalAxis);
      return;
    }
    switch (command) {
      case "FRF":
      case "FNL":
      case "FPL": {
        this.#reference();
        return;
      }
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
        if (value <= 0 || value > this.settings.velocityMax_mm_s) {
          this.#fail(ErrorCode.velocityOutOfLimits);
          return;
        }
        this.#velocity_mm_s = value;
        return;
      case "RON":
        this.#referenceNeeded = value === 1;
        return;
      case "POS":
        if (this.#referenceNeeded) {
          this.#fail(ErrorCode.parameterSyntax);
          return;
        }
        this.#origin_mm = this.position_mm() - value;
        this.#target_mm = value;
        this.#referenced = true;
        return;
      default:
        if (value <= 0) {
          this.#fail(ErrorCode.parameterSyntax);
          return;
        }
        this.#acceleration_mm_s2 = value;
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
    if (target_mm < 0 || target_mm > this.settings.travel_mm) {
      this.#fail(ErrorCode.outOfLimits);
      return;
    }
    this.#target_mm = target_mm;
    this.#drive(this.#origin_mm + target_mm, this.#velocity_mm_s, () => undefined);
  }

  #reference(): void {
    if (!this.#servo) {
      this.#fail(ErrorCode.moveWithoutReferenceOrServo);
      return;
    }
    this.#referenced = false;
    this.#referencing = true;
    this.#drive(-HOME_OVERRUN_mm, this.#velocity_mm_s / 2, () => {
      this.#drive(0, HOME_RETURN_mm_s, () => {
        this.#origin_mm = this.position_mm();
        this.#target_mm = 0;
        this.#referencing = false;
        this.#referenced = true;
      });
    });
  }

  #drive(target_mm: number, velocity_mm_s: number, atEnd: () => void): void {
    this.#callOffEnd();
    this.#callOffStall();
    this.#closedSwitch = 0;
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
    this.carriage.stop(this.now_ms(), this.#acceleration_mm_s2 * (atOnce ? 5 : 1));
    this.#target_mm = this.carriage.target_mm - this.#origin_mm;
  }

  /** All lines but the last end with a space; where the question named its target the first begins with both addresses. */
  #send(lines: readonly string[]): void {
    const addresses = this.#addressed ? `${COMPUTER} ${ADDRESS} ` : "";
    this.transmit(bytesOf(`${addresses}${lines.join(" \n")}\n`), this.settings.latency_ms);
  }
}
