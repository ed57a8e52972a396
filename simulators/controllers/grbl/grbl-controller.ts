/**
 * A board with GRBL 1.1h that moves a stage with its X axis.
 *
 * Source: https://github.com/gnea/grbl, doc/markdown/interface.md, commands.md, jogging.md, settings.md, and the tables of
 * alarms and errors in doc/csv, grbl/protocol.c, system.c, report.c; exchanges recorded from the firmware itself.
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";
import { bytesOf } from "../line-collector.ts";

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
const LINE_LENGTH_MAX = 80;
/** Bytes that wait for the main loop; what comes on top is lost. */
const RECEIVE_BUFFER = 128;
/** Hard and soft limit: after these alarms nothing but a reset gets through. */
const CRITICAL = new Set([1, 2]);
const WCO_EVERY = 30;
const OVERRIDES_EVERY = 20;

type State = "Idle" | "Run" | "Jog" | "Hold" | "Alarm" | "Home" | "Sleep" | "Check";

const RealTime = {
  status: 0x3f,
  hold: 0x21,
  resume: 0x7e,
  reset: 0x18,
  door: 0x84,
  jogCancel: 0x85,
} as const;

export class GrblController extends EmulatedController {
  readonly settings: GrblSettings;
  readonly carriage: Carriage;
  readonly #registers = new Map<number, number>();
  #state: State = "Alarm";
  #line = "";
  /** True position of the machine coordinate 0. */
  #origin_mm = 0;
  #feed_mm_min = 0;
  #absolute = true;
  #inches = false;
  #motionMode: "G0" | "G1" = "G0";
  #reports = 0;
  #booting = false;
  /** Lines and parts of lines that wait until the main loop reads on. */
  #waiting: number[] = [];
  /** Why the main loop does not read: it homes, dwells, sleeps, or waits for the reset that an alarm demands. */
  #occupied: "homing" | "dwell" | "asleep" | "critical" | undefined;
  /** The line that occupies the main loop has not had its answer. */
  #unanswered = false;
  #resumeTarget_mm: number | undefined;
  #callOffEnd: () => void = () => undefined;
  #callOffDwell: () => void = () => undefined;

  constructor(clock: Clock, settings: Partial<GrblSettings> = {}) {
    super(clock);
    this.settings = { ...DEFAULTS, ...settings };
    const { travel_mm, position_mm } = this.settings;
    this.carriage = new Carriage(position_mm, -SWITCH_mm, travel_mm + SWITCH_mm);
    this.#setRegisters();
    this.#origin_mm = position_mm;
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
    this.#line = "";
    this.#waiting = [];
    this.#occupied = undefined;
    this.#unanswered = false;
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
        if (this.#state === "Run") {
          this.#resumeTarget_mm = this.carriage.target_mm;
          this.#brake("Hold");
        } else if (this.#state === "Jog") {
          this.#brake("Jog");
        }
        return;
      case RealTime.resume:
        if (this.#state === "Hold" && this.#resumeTarget_mm !== undefined) {
          const target_mm = this.#resumeTarget_mm;
          this.#resumeTarget_mm = undefined;
          this.#drive("Run", target_mm, this.#feed_mm_min / 60);
        }
        return;
      case RealTime.jogCancel:
        if (this.#state === "Jog") {
          this.#brake("Jog");
        }
        return;
      default:
        // Overrides and the safety door are accepted and have no effect here.
        return;
    }
  }

  #reset(): void {
    const inMotion = this.#isMoving();
    const before = this.#occupied;
    const wasAsleep = this.#state === "Sleep";
    this.#line = "";
    this.#waiting = [];
    this.#occupied = undefined;
    this.#resumeTarget_mm = undefined;
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
    this.#feed_mm_min = 0;
    this.#sayHello();
  }

  #isMoving(): boolean {
    return this.carriage.isMoving(this.now_ms());
  }

  /** Halts at once with an alarm; the machine is locked until it is homed or unlocked. */
  #alarm(code: number): void {
    this.#callOffEnd();
    this.carriage.halt(this.now_ms());
    this.#state = "Alarm";
    this.#send(`ALARM:${code}`);
    if (CRITICAL.has(code)) {
      this.#occupied = "critical";
      this.#send("[MSG:Reset to continue]");
    }
  }

  #brake(next: State): void {
    this.#callOffEnd();
    this.carriage.stop(this.now_ms(), this.#register(120));
    this.#state = next;
    this.#callOffEnd = this.schedule(Math.max(this.carriage.end_ms, this.now_ms()), () => {
      if (this.#state === "Jog") {
        this.#state = "Idle";
      }
    });
  }

  #report(): void {
    this.#reports += 1;
    const now_ms = this.now_ms();
    const substate = this.#state === "Hold" ? `:${this.#isMoving() ? 1 : 0}` : "";
    const unit = this.#register(13) === 1 ? 25.4 : 1;
    const digits = unit === 1 ? 3 : 4;
    const zero = (0).toFixed(digits);
    const machine = this.#machine_mm() / unit;
    const kind = (this.#register(10) & 1) === 1 ? "MPos" : "WPos";
    const feed = Math.round(Math.abs(this.carriage.velocity_mm_s(now_ms)) * 60);
    const fields = [`${this.#state}${substate}`, `${kind}:${machine.toFixed(digits)},${zero},${zero}`, `FS:${feed},0`];
    const pins = this.#pins();
    if (pins !== "") {
      fields.push(`Pn:${pins}`);
    }
    if (this.#reports % WCO_EVERY === 1) {
      fields.push(`WCO:${zero},${zero},${zero}`);
    } else if (this.#reports % OVERRIDES_EVERY === 2) {
      fields.push("Ov:100,100,100");
    }
    this.#send(`<${fields.join("|")}>`);
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
      .replace(/\([^)]*\)/g, "")
      .replace(/;.*$/, "")
      .replace(/\s+/g, "")
      .toUpperCase();
    let error: number | undefined;
    if (raw.length > LINE_LENGTH_MAX) {
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
    if (line.startsWith("$J=")) {
      return this.#state === "Idle" || this.#state === "Jog" ? this.#code(line.slice(3), true) : 8;
    }
    if (line === "$") {
      this.#send("[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]");
      return undefined;
    }
    if (line === "$G") {
      const words = [this.#motionMode, "G54", "G17", this.#inches ? "G20" : "G21", this.#absolute ? "G90" : "G91"];
      this.#send(`[GC:${words.join(" ")} G94 M5 M9 T0 F${this.#feed_mm_min} S0]`);
      return undefined;
    }
    if (line === "$C") {
      return this.#toggleCheck();
    }
    if (this.#state !== "Idle" && this.#state !== "Alarm") {
      return 8;
    }
    const setting = /^\$(\d{1,3})=(-?\d+(?:\.\d*)?)$/.exec(line);
    if (setting !== null) {
      const number = Number(setting[1]);
      if (!this.#registers.has(number)) {
        return 3;
      }
      if (Number(setting[2]) < 0) {
        return 4;
      }
      this.#registers.set(number, Number(setting[2]));
      return undefined;
    }
    switch (line) {
      case "$$":
        for (const [number, value] of this.#registers) {
          this.#send(
            `$${number}=${Number.isInteger(value) && number < 100 && number !== 27 ? value : value.toFixed(3)}`,
          );
        }
        return undefined;
      case "$#":
        for (const name of ["G54", "G55", "G56", "G57", "G58", "G59", "G28", "G30", "G92"]) {
          this.#send(`[${name}:0.000,0.000,0.000]`);
        }
        this.#send("[TLO:0.000]");
        this.#send("[PRB:0.000,0.000,0.000:0]");
        return undefined;
      case "$N":
        this.#send("$N0=");
        this.#send("$N1=");
        return undefined;
      case "$SLP":
        this.#state = "Sleep";
        this.#occupied = "asleep";
        return undefined;
      case "$I":
        this.#send("[VER:1.1h.20190830:]");
        this.#send("[OPT:V,15,128]");
        return undefined;
      case "$X":
        if (this.#state === "Alarm") {
          this.#send("[MSG:Caution: Unlocked]");
          this.#state = "Idle";
        }
        return undefined;
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
        this.#state = "Idle";
        this.#goOn("ok");
      });
    });
  }

  /** Executes one block of G-code; the number of its error, if it has one. */
  #code(line: string, isJog: boolean): number | undefined {
    const words = /^(?:[A-Z][+-]?(?:\d+\.?\d*|\.\d+))*$/.test(line)
      ? [...line.matchAll(/([A-Z])([+-]?[\d.]+)/g)].map(([, letter = "", number]) => [letter, Number(number)] as const)
      : undefined;
    if (words === undefined) {
      return /[A-Z](?![+-]?[\d.])/.test(line) ? 2 : 1;
    }
    let absolute = this.#absolute;
    let inches = this.#inches;
    let feed_mm_min = isJog ? 0 : this.#feed_mm_min;
    let motion = this.#motionMode;
    let target: number | undefined;
    let dwells = false;
    let dwell_s: number | undefined;
    for (const [letter, value] of words) {
      const scale = inches ? 25.4 : 1;
      if (letter === "G") {
        if (value === 90 || value === 91) {
          absolute = value === 90;
        } else if (value === 20 || value === 21) {
          inches = value === 20;
        } else if ((value === 0 || value === 1) && !isJog) {
          motion = value === 0 ? "G0" : "G1";
        } else if (value === 4 && !isJog) {
          dwells = true;
        } else if (value !== 53 && value !== 54 && value !== 94) {
          return isJog ? 16 : 20;
        }
      } else if (letter === "P" && dwells) {
        dwell_s = value;
      } else if (letter === "F") {
        feed_mm_min = value * scale;
      } else if (letter === "X") {
        target = value * scale;
      } else if (letter !== "Y" && letter !== "Z" && letter !== "N") {
        return isJog ? 16 : 20;
      }
    }
    if (dwells) {
      return this.#dwell(dwell_s);
    }
    if ((isJog || (motion === "G1" && target !== undefined)) && feed_mm_min <= 0) {
      return 22;
    }
    if (isJog && target === undefined) {
      return 26;
    }
    const target_mm = target === undefined ? undefined : absolute ? target : this.#commandedTarget_mm() + target;
    const outside = target_mm !== undefined && (target_mm > 0 || target_mm < -this.#register(130));
    if (outside && this.#register(20) === 1) {
      if (isJog) {
        return 15;
      }
      this.#alarm(2);
      return undefined;
    }
    if (!isJog) {
      this.#absolute = absolute;
      this.#inches = inches;
      this.#feed_mm_min = feed_mm_min;
      this.#motionMode = motion;
    }
    if (target_mm !== undefined && this.#state !== "Check") {
      const most = this.#register(110);
      const rate_mm_min = motion === "G0" && !isJog ? most : Math.min(feed_mm_min, most);
      this.#drive(isJog ? "Jog" : "Run", this.#origin_mm + target_mm, rate_mm_min / 60);
    }
    return undefined;
  }

  /** Waits until the motion is over, then for the time; the ok comes at the end. */
  #dwell(duration_s: number | undefined): number | undefined {
    if (duration_s === undefined) {
      return 28;
    }
    if (duration_s < 0) {
      return 4;
    }
    if (this.#state === "Check") {
      return undefined;
    }
    this.#occupied = "dwell";
    const begin_ms = Math.max(this.carriage.end_ms, this.now_ms());
    this.#callOffDwell = this.schedule(begin_ms + 1000 * duration_s, () => this.#goOn("ok"));
    return undefined;
  }

  #commandedTarget_mm(): number {
    return this.carriage.target_mm - this.#origin_mm;
  }

  #drive(state: "Run" | "Jog", target_mm: number, velocity_mm_s: number): void {
    this.#callOffEnd();
    this.#state = state;
    this.carriage.moveTo(target_mm, this.now_ms(), velocity_mm_s, this.#register(120));
    const end_mm =
      target_mm > this.carriage.commanded_mm(this.now_ms()) ? this.carriage.end2_mm : this.carriage.end1_mm;
    const atSwitch_ms = this.#register(21) === 1 ? this.carriage.whenAt(end_mm, this.now_ms()) : undefined;
    this.#callOffEnd = this.schedule(Math.min(atSwitch_ms ?? Number.POSITIVE_INFINITY, this.carriage.end_ms), () => {
      if (atSwitch_ms !== undefined && this.now_ms() === atSwitch_ms && !this.carriage.jammed) {
        this.#alarm(1);
      } else {
        this.#state = "Idle";
      }
    });
  }
}
