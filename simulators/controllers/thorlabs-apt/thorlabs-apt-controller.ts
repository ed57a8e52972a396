/**
 * A Thorlabs stage with the APT protocol: an LTS150/LTS300 with its built-in stepper controller, or a KDC101 DC servo
 * controller with a motorised actuator.
 *
 * Sources: "APT Communications Protocol", issue 25
 * https://fdocuments.in/document/apt-communications-protocol-rev-25-thorlabs-controlapt-2019-12-11-thorlabs.html
 * (messages, status bits, keep-alive), https://github.com/AlexShkarin/pyLabLib (what clients ask at start),
 * https://github.com/yaq-project/thorlabs-apt-protocol and https://github.com/UniNE-CHYN/thorpy (layout of the data).
 *
 * Not verified: the values out of the box of what is only kept (power, buttons, potentiometer, servo gains: zeros here), that
 * only the jogging bits are set while it jogs, and the direction of a jog, on which public clients disagree (1 forward
 * here, as in thorpy's and most drivers' code).
 */
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { Carriage } from "../carriage.ts";
import { EmulatedController } from "../emulated-controller.ts";

export interface ThorlabsAptSettings {
  /** As the controller reports it: "LTS150", "LTS300", "KDC101". */
  readonly model: "LTS150" | "LTS300" | "KDC101";
  readonly serialNumber: number;
  readonly countsPerMm: number;
  readonly countsPerMmPerSecond: number;
  readonly countsPerMmPerSecond2: number;
  readonly travel_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  readonly homeVelocity_mm_s: number;
  /** True position at power-up, from the reference mark. */
  readonly position_mm: number;
  /** Some firmware announces the end of a move or of homing, some does not. */
  readonly announcesEnd: boolean;
  /** The controller falls silent after 50 status messages that the host did not acknowledge. */
  readonly needsAcknowledge: boolean;
  readonly latency_ms: number;
}

const LTS = {
  countsPerMm: 409_600,
  countsPerMmPerSecond: 21_987_328,
  countsPerMmPerSecond2: 4506.08,
  velocity_mm_s: 20,
  acceleration_mm_s2: 20,
  homeVelocity_mm_s: 5,
  position_mm: 30,
  announcesEnd: true,
  needsAcknowledge: true,
  latency_ms: 2,
} as const;

/** The controllers that are known, as they come from the factory. */
export const THORLABS_APT_MODELS: Readonly<Record<ThorlabsAptSettings["model"], ThorlabsAptSettings>> = {
  LTS150: { ...LTS, model: "LTS150", serialNumber: 45_123_456, travel_mm: 150 },
  LTS300: { ...LTS, model: "LTS300", serialNumber: 45_123_457, travel_mm: 300 },
  // With an MTS50-Z8 stage.
  KDC101: {
    ...LTS,
    model: "KDC101",
    serialNumber: 27_123_456,
    countsPerMm: 34_304,
    countsPerMmPerSecond: 767_367.5,
    countsPerMmPerSecond2: 261.93,
    travel_mm: 50,
    velocity_mm_s: 2.4,
    acceleration_mm_s2: 4.5,
    homeVelocity_mm_s: 2,
    position_mm: 5,
  },
};

const CONTROLLER = 0x50;
const HOST = 0x01;
const HEADER_LENGTH = 6;
const UPDATE_PERIOD_ms = 100;
const UNACKNOWLEDGED_MAX = 50;
/** The hardware switches lie this far outside the travel. */
const SWITCH_mm = 0.4;
/** A switch stays closed this close to it. */
const AT_SWITCH_mm = 1e-6;

const Bit = {
  forwardSwitch: 0x1,
  reverseSwitch: 0x2,
  movingForward: 0x10,
  movingReverse: 0x20,
  joggingForward: 0x40,
  joggingReverse: 0x80,
  connected: 0x100,
  homing: 0x200,
  homed: 0x400,
  tracking: 0x1000,
  settled: 0x2000,
  motionError: 0x4000,
  powerOk: 0x1000_0000,
  enabled: 0x8000_0000,
} as const;

type MotionKind = "idle" | "move" | "home" | "stop" | "jog";

const Direction = { forward: 1, reverse: 2 } as const;
const JogMode = { continuous: 1 } as const;

/** Parameters that are kept, asked for and without effect here: ids of setting, request and answer, length of the data. */
type KeptParameters = readonly [set: number, request: number, answer: number, length: number];

const POWER: KeptParameters = [0x0426, 0x0427, 0x0428, 6];
const SERVO_GAINS: KeptParameters = [0x04a0, 0x04a1, 0x04a2, 20];
const POTENTIOMETER: KeptParameters = [0x04b0, 0x04b1, 0x04b2, 26];
const LAMP_MODES: KeptParameters = [0x04b3, 0x04b4, 0x04b5, 4];
const BUTTONS: KeptParameters = [0x04b6, 0x04b7, 0x04b8, 16];

const KEPT_PARAMETERS: Readonly<Record<ThorlabsAptSettings["model"], readonly KeptParameters[]>> = {
  LTS150: [POWER, POTENTIOMETER, LAMP_MODES, BUTTONS],
  LTS300: [POWER, POTENTIOMETER, LAMP_MODES, BUTTONS],
  KDC101: [SERVO_GAINS, LAMP_MODES],
};

export class ThorlabsAptController extends EmulatedController {
  readonly settings: ThorlabsAptSettings;
  readonly carriage: Carriage;
  #pending: number[] = [];
  /** True position of the counter's zero, and of the encoder's. */
  #origin_mm = 0;
  #encoderOrigin_mm = 0;
  #homed = false;
  #enabled = false;
  #motionError = false;
  /** Status bit of a switch that closed before the carriage reached its end, until the motor drives off it. */
  #closedSwitch = 0;
  #kind: MotionKind = "idle";
  #callOffEnd: () => void = () => undefined;
  #callOffUpdates: () => void = () => undefined;
  #endMessages = true;
  #unacknowledged = 0;
  #velocity = 0;
  #acceleration = 0;
  #minVelocity = 0;
  #absoluteTarget = 0;
  #relativeDistance = 0;
  #backlash = 0;
  readonly #jog = new Uint8Array(22);
  /** Direction (1 forward, 2 reverse), limit switch (1 reverse, 4 forward), velocity, offset. */
  #home = { direction: 2, limitSwitch: 1, velocity: 0, offset: 0 };
  readonly #limitSwitch = new Uint8Array(16);
  readonly #kept = new Map<KeptParameters, Uint8Array>();
  #digitalOutputs = 0;
  /** The keys of a K-Cube are locked (1) or free (2). */
  #panelLock = 2;

  constructor(clock: Clock, settings: Partial<ThorlabsAptSettings> = {}) {
    super(clock);
    this.settings = { ...THORLABS_APT_MODELS[settings.model ?? "LTS150"], ...settings };
    this.carriage = new Carriage(this.settings.position_mm, -SWITCH_mm, this.settings.travel_mm + SWITCH_mm);
    this.#powerUp();
    this.#setJogParameters();
    this.#clearKept();
  }

  override position_mm(): number {
    return this.carriage.actual_mm(this.now_ms());
  }

  /** Out of the box: single steps of a millimetre with the ramp of a move, and a profiled stop. */
  #setJogParameters(): void {
    const view = new DataView(this.#jog.buffer);
    view.setUint16(0, 1, true);
    view.setUint16(2, 2, true);
    view.setInt32(4, Math.round(this.settings.countsPerMm), true);
    view.setInt32(8, 0, true);
    view.setInt32(12, this.#acceleration, true);
    view.setInt32(16, this.#velocity, true);
    view.setUint16(20, 2, true);
  }

  override powerCycle(): void {
    this.callOff();
    this.carriage.halt(this.now_ms());
    this.#powerUp();
  }

  jam(): void {
    this.advance();
    this.carriage.jam(this.now_ms());
  }

  free(): void {
    this.carriage.free(this.now_ms());
  }

  /** The parameters of the maker's program were never loaded, or are lost: homing then never ends. */
  loseHomeVelocity(): void {
    this.#home = { ...this.#home, velocity: 0 };
  }

  /** A DC servo that cannot follow gives up; the status says so until the next move. */
  raiseMotionError(): void {
    this.advance();
    this.#callOffEnd();
    this.carriage.halt(this.now_ms());
    this.#kind = "idle";
    this.#motionError = true;
  }

  /** A limit switch closes in mid-move: the motor stops, and the status word shows the switch. */
  hitLimit(): void {
    this.advance();
    if (this.#kind === "idle") return;
    const forward = this.carriage.velocity_mm_s(this.now_ms()) >= 0;
    this.#callOffEnd();
    this.carriage.halt(this.now_ms());
    this.#closedSwitch = forward ? Bit.forwardSwitch : Bit.reverseSwitch;
    this.#kind = "idle";
    this.#announce(0x0464);
  }

  protected override handle(bytes: Uint8Array): void {
    this.#pending.push(...bytes);
    let start = 0;
    while (this.#pending.length - start >= HEADER_LENGTH) {
      const id = this.#byte(start) | (this.#byte(start + 1) << 8);
      const hasData = (this.#byte(start + 4) & 0x80) !== 0;
      const length = hasData ? this.#byte(start + 2) | (this.#byte(start + 3) << 8) : 0;
      const destination = this.#byte(start + 4) & 0x7f;
      if (destination !== CONTROLLER || this.#byte(start + 5) !== HOST || length > 255) {
        start += 1;
        continue;
      }
      if (this.#pending.length - start < HEADER_LENGTH + length) {
        break;
      }
      const data = Uint8Array.from(this.#pending.slice(start + HEADER_LENGTH, start + HEADER_LENGTH + length));
      this.#execute(id, this.#byte(start + 2), this.#byte(start + 3), hasData ? data : undefined);
      start += HEADER_LENGTH + length;
    }
    this.#pending = this.#pending.slice(start);
  }

  #byte(index: number): number {
    return this.#pending[index] ?? 0;
  }

  #powerUp(): void {
    const { model } = this.settings;
    this.#pending = [];
    this.#origin_mm = this.carriage.actual_mm(this.now_ms());
    this.#encoderOrigin_mm = this.#origin_mm;
    this.#homed = false;
    this.#motionError = false;
    this.#kind = "idle";
    this.#endMessages = true;
    this.#enabled = model !== "KDC101";
    this.#setMotionParameters();
  }

  #clearKept(): void {
    for (const parameters of KEPT_PARAMETERS[this.settings.model]) {
      const data = new Uint8Array(parameters[3]);
      data[0] = 1;
      this.#kept.set(parameters, data);
    }
  }

  /** As out of the box: ramp, homing and limit switches. */
  #setMotionParameters(): void {
    const { velocity_mm_s, acceleration_mm_s2, homeVelocity_mm_s } = this.settings;
    this.#velocity = Math.round(velocity_mm_s * this.settings.countsPerMmPerSecond);
    this.#acceleration = Math.round(acceleration_mm_s2 * this.settings.countsPerMmPerSecond2);
    this.#home = {
      direction: 2,
      limitSwitch: 1,
      velocity: Math.round(homeVelocity_mm_s * this.settings.countsPerMmPerSecond),
      offset: Math.round(SWITCH_mm * this.settings.countsPerMm),
    };
    const view = new DataView(this.#limitSwitch.buffer);
    view.setUint16(0, 1, true);
    // Switches make on contact, at both ends.
    view.setUint16(2, 2, true);
    view.setUint16(4, 2, true);
    view.setInt32(6, Math.round(this.settings.travel_mm * this.settings.countsPerMm), true);
    view.setUint16(14, 1, true);
  }

  #execute(id: number, parameter1: number, parameter2: number, data: Uint8Array | undefined): void {
    const view = data === undefined ? undefined : new DataView(data.buffer, data.byteOffset, data.length);
    switch (id) {
      case 0x0005: {
        this.#sendInfo();
        return;
      }
      case 0x0011: {
        this.#startUpdates();
        return;
      }
      case 0x0012: {
        this.#callOffUpdates();
        return;
      }
      case 0x0210: {
        this.#setEnabled(parameter2 === 1);
        return;
      }
      case 0x0211: {
        this.#sendHeader(0x0212, 1, this.#enabled ? 1 : 2);
        return;
      }
      case 0x0213:
        this.#digitalOutputs = parameter1;
        return;
      case 0x0214: {
        this.#sendHeader(0x0215, this.#digitalOutputs, 0);
        return;
      }
      case 0x0250:
        this.#panelLock = parameter2 === 1 ? 1 : 2;
        return;
      case 0x0251: {
        this.#sendHeader(0x0252, 0, this.#panelLock);
        return;
      }
      case 0x0409:
        if (view !== undefined && view.byteLength >= 6) {
          this.#encoderOrigin_mm = this.position_mm() - view.getInt32(2, true) / this.settings.countsPerMm;
        }
        return;
      case 0x040a: {
        this.#sendLongs(0x040b, [this.#encoderCount()]);
        return;
      }
      case 0x0410:
        if (view !== undefined && view.byteLength >= 6) {
          this.#origin_mm = this.position_mm() - view.getInt32(2, true) / this.settings.countsPerMm;
        }
        return;
      case 0x0411: {
        this.#sendLongs(0x0412, [this.#count()]);
        return;
      }
      case 0x0413:
        if (view !== undefined && view.byteLength >= 14) {
          this.#minVelocity = view.getInt32(2, true);
          this.#acceleration = Math.max(1, view.getInt32(6, true));
          this.#velocity = Math.max(1, view.getInt32(10, true));
        }
        return;
      case 0x0414: {
        this.#sendLongs(0x0415, [this.#minVelocity, this.#acceleration, this.#velocity]);
        return;
      }
      case 0x0416:
        if (data?.length === 22) {
          this.#jog.set(data);
        }
        return;
      case 0x0417: {
        this.#sendData(0x0418, this.#jog);
        return;
      }
      case 0x0423:
        if (data?.length === 16) {
          this.#limitSwitch.set(data);
        }
        return;
      case 0x0424: {
        this.#sendData(0x0425, this.#limitSwitch);
        return;
      }
      case 0x0429: {
        this.#sendLongs(0x042a, [this.#bits()]);
        return;
      }
      case 0x043a:
        this.#backlash = view !== undefined && view.byteLength >= 6 ? view.getInt32(2, true) : this.#backlash;
        return;
      case 0x043b: {
        this.#sendLongs(0x043c, [this.#backlash]);
        return;
      }
      case 0x0440:
        if (view !== undefined && view.byteLength >= 14) {
          this.#home = {
            direction: view.getUint16(2, true),
            limitSwitch: view.getUint16(4, true),
            velocity: view.getInt32(6, true),
            offset: view.getInt32(10, true),
          };
        }
        return;
      case 0x0441: {
        this.#sendHomeParameters();
        return;
      }
      case 0x0443: {
        this.#startHome();
        return;
      }
      case 0x0445:
        this.#relativeDistance =
          view !== undefined && view.byteLength >= 6 ? view.getInt32(2, true) : this.#relativeDistance;
        return;
      case 0x0446: {
        this.#sendLongs(0x0447, [this.#relativeDistance]);
        return;
      }
      case 0x0448:
        if (view !== undefined && view.byteLength >= 6) {
          this.#relativeDistance = view.getInt32(2, true);
        }
        {
          this.#startMove(this.#count() + this.#relativeDistance);
          return;
        }
      case 0x0450:
        this.#absoluteTarget =
          view !== undefined && view.byteLength >= 6 ? view.getInt32(2, true) : this.#absoluteTarget;
        return;
      case 0x0451: {
        this.#sendLongs(0x0452, [this.#absoluteTarget]);
        return;
      }
      case 0x0453:
        if (view !== undefined && view.byteLength >= 6) {
          this.#absoluteTarget = view.getInt32(2, true);
        }
        {
          this.#startMove(this.#absoluteTarget);
          return;
        }
      case 0x0457: {
        this.#startEndless("move", parameter2, this.#velocity, this.#acceleration);
        return;
      }
      case 0x0465: {
        this.#stop(parameter2 === 1);
        return;
      }
      case 0x046a: {
        this.#startJog(parameter2);
        return;
      }
      case 0x046b:
        this.#endMessages = false;
        return;
      case 0x046c:
        this.#endMessages = true;
        return;
      case 0x0480: {
        this.#sendData(0x0481, this.#stepperStatus());
        return;
      }
      case 0x0490: {
        this.#sendData(0x0491, this.#servoStatus());
        return;
      }
      case 0x0492:
        this.#unacknowledged = 0;
        return;
      case 0x0686:
        this.#setMotionParameters();
        this.#setJogParameters();
        this.#clearKept();
        return;
      default:
        // Identify (the lamp blinks), start and end of a connection, and all that this controller does not know: no answer.
        this.#keep(id, data);
    }
  }

  #keep(id: number, data: Uint8Array | undefined): void {
    for (const [parameters, kept] of this.#kept) {
      const [set, request, answer, length] = parameters;
      if (id === set && data?.length === length) {
        kept.set(data);
      } else if (id === request) {
        this.#sendData(answer, kept);
      }
    }
  }

  #encoderCount(): number {
    return Math.round((this.position_mm() - this.#encoderOrigin_mm) * this.settings.countsPerMm);
  }

  #count(): number {
    return Math.round((this.carriage.actual_mm(this.now_ms()) - this.#origin_mm) * this.settings.countsPerMm);
  }

  #bits(): number {
    const now_ms = this.now_ms();
    const place_mm = this.carriage.actual_mm(now_ms);
    let bits = Bit.powerOk | Bit.connected | this.#closedSwitch;
    if (this.#enabled) {
      bits |= Bit.enabled;
    }
    if (this.#homed) {
      bits |= Bit.homed;
    }
    if (this.#motionError) {
      bits |= Bit.motionError;
    }
    if (place_mm >= this.carriage.end2_mm - AT_SWITCH_mm) {
      bits |= Bit.forwardSwitch;
    }
    if (place_mm <= this.carriage.end1_mm + AT_SWITCH_mm) {
      bits |= Bit.reverseSwitch;
    }
    if (this.#kind === "home") {
      bits |= Bit.homing;
    }
    const forward = this.carriage.target_mm >= this.carriage.commanded_mm(now_ms);
    if (this.#kind === "jog") {
      bits |= forward ? Bit.joggingForward : Bit.joggingReverse;
    } else if (this.#kind !== "idle") {
      bits |= forward ? Bit.movingForward : Bit.movingReverse;
    }
    return bits >>> 0;
  }

  #stepperStatus(): Uint8Array {
    const data = new Uint8Array(14);
    const view = new DataView(data.buffer);
    view.setUint16(0, 1, true);
    view.setInt32(2, this.#count(), true);
    view.setInt32(6, this.#encoderCount(), true);
    view.setUint32(10, this.#bits(), true);
    return data;
  }

  #servoStatus(): Uint8Array {
    const data = new Uint8Array(14);
    const view = new DataView(data.buffer);
    view.setUint16(0, 1, true);
    view.setInt32(2, this.#count(), true);
    view.setInt16(6, Math.round(this.carriage.velocity_mm_s(this.now_ms()) * 1000), true);
    view.setUint32(10, this.#bits(), true);
    return data;
  }

  #isServo(): boolean {
    return this.settings.model === "KDC101";
  }

  #setEnabled(enabled: boolean): void {
    if (!enabled && this.#kind !== "idle") {
      this.#callOffEnd();
      this.carriage.halt(this.now_ms());
      this.#kind = "idle";
    }
    this.#enabled = enabled;
  }

  #startMove(target: number): void {
    if (!this.#enabled) {
      return;
    }
    const place_mm = this.#origin_mm + target / this.settings.countsPerMm;
    this.#run("move", place_mm, this.#velocity, this.#acceleration);
  }

  /** A step of the jog's own length and ramp, or a motion that goes on until it is stopped. */
  #startJog(direction: number): void {
    const jog = new DataView(this.#jog.buffer);
    const velocity = Math.max(1, jog.getInt32(16, true));
    const acceleration = Math.max(1, jog.getInt32(12, true));
    if (jog.getUint16(2, true) === JogMode.continuous) {
      this.#startEndless("jog", direction, velocity, acceleration);
    } else if (this.#enabled && (direction === Direction.forward || direction === Direction.reverse)) {
      const step_mm = jog.getInt32(4, true) / this.settings.countsPerMm;
      const sign = direction === Direction.forward ? 1 : -1;
      this.#run("jog", this.carriage.actual_mm(this.now_ms()) + sign * step_mm, velocity, acceleration);
    }
  }

  /** Goes on until it is stopped, at the latest by a switch. */
  #startEndless(kind: "move" | "jog", direction: number, velocity: number, acceleration: number): void {
    if (this.#enabled && (direction === Direction.forward || direction === Direction.reverse)) {
      const { end1_mm, end2_mm } = this.carriage;
      const beyond_mm = direction === Direction.forward ? end2_mm + 1 : end1_mm - 1;
      this.#run(kind, beyond_mm, velocity, acceleration);
    }
  }

  /** Velocity and acceleration in the controller's units. */
  #run(kind: "move" | "jog", place_mm: number, velocity: number, acceleration: number): void {
    const { countsPerMmPerSecond, countsPerMmPerSecond2 } = this.settings;
    this.#motionError = false;
    this.#begin(kind);
    this.#drive(place_mm, velocity / countsPerMmPerSecond, acceleration / countsPerMmPerSecond2, () =>
      this.#announce(0x0464),
    );
  }

  #startHome(): void {
    if (!this.#enabled) {
      return;
    }
    this.#motionError = false;
    this.#homed = false;
    this.#begin("home");
    const { countsPerMm, countsPerMmPerSecond, countsPerMmPerSecond2, travel_mm } = this.settings;
    const velocity_mm_s = this.#home.velocity / countsPerMmPerSecond;
    const forward = this.#home.direction === 1;
    const rightSwitch = this.#home.limitSwitch === (forward ? 4 : 1);
    if (velocity_mm_s <= 0) {
      // The controller waits for a switch that a motor without velocity never reaches.
      this.#callOffEnd = () => undefined;
      return;
    }
    const acceleration_mm_s2 = this.#acceleration / countsPerMmPerSecond2;
    const switch_mm = forward ? travel_mm + SWITCH_mm : -SWITCH_mm;
    this.#drive(switch_mm, velocity_mm_s, acceleration_mm_s2, () => {
      if (!rightSwitch) {
        // The motor stands against the end and waits for the other switch.
        return;
      }
      this.#kind = "home";
      const offset_mm = (forward ? -1 : 1) * (this.#home.offset / countsPerMm);
      this.#drive(switch_mm + offset_mm, velocity_mm_s / 4, acceleration_mm_s2, () => {
        this.#origin_mm = this.position_mm();
        this.#encoderOrigin_mm = this.#origin_mm;
        this.#homed = true;
        this.#kind = "idle";
        if (this.settings.announcesEnd && this.#endMessages) {
          this.#sendHeader(0x0444, 1, 0);
        }
      });
    });
  }

  #begin(kind: MotionKind): void {
    this.#callOffEnd();
    this.#closedSwitch = 0;
    this.#kind = kind;
  }

  /** Runs the motor; a switch on the way stops it. */
  #drive(target_mm: number, velocity_mm_s: number, acceleration_mm_s2: number, atEnd: () => void): void {
    const now_ms = this.now_ms();
    const { carriage } = this;
    carriage.moveTo(target_mm, now_ms, velocity_mm_s, acceleration_mm_s2);
    const isHoming = this.#kind === "home";
    const switch_mm = target_mm > carriage.actual_mm(now_ms) ? carriage.end2_mm : carriage.end1_mm;
    const beyond = target_mm > carriage.end2_mm || target_mm < carriage.end1_mm;
    const atSwitch_ms = beyond && !isHoming ? carriage.whenAt(switch_mm, now_ms) : undefined;
    this.#callOffEnd = this.schedule(atSwitch_ms ?? carriage.end_ms, () => {
      if (carriage.jammed) {
        // A servo goes on trying, a stepper goes on stepping; either way the encoder says that nothing moves.
        return;
      }
      carriage.halt(this.now_ms());
      if (!isHoming) {
        this.#kind = "idle";
      }
      atEnd();
    });
  }

  #stop(atOnce: boolean): void {
    if (this.#kind === "idle") {
      return;
    }
    this.#begin("stop");
    if (atOnce || this.carriage.jammed) {
      this.carriage.halt(this.now_ms());
    } else {
      this.carriage.stop(this.now_ms(), this.#acceleration / this.settings.countsPerMmPerSecond2);
    }
    this.#callOffEnd = this.schedule(Math.max(this.carriage.end_ms, this.now_ms()), () => {
      this.#kind = "idle";
      this.#announce(0x0466);
    });
  }

  #announce(id: number): void {
    if (this.settings.announcesEnd && this.#endMessages && this.#mayReport()) {
      this.#sendData(id, this.#isServo() ? this.#servoStatus() : this.#stepperStatus());
    }
  }

  #startUpdates(): void {
    this.#callOffUpdates();
    this.#unacknowledged = 0;
    const update = (): void => {
      if (this.#mayReport()) {
        if (this.#isServo()) {
          this.#sendData(0x0491, this.#servoStatus());
        } else {
          this.#sendData(0x0481, this.#stepperStatus());
        }
      }
      this.#callOffUpdates = this.schedule(this.now_ms() + UPDATE_PERIOD_ms, update);
    };
    this.#callOffUpdates = this.schedule(this.now_ms() + UPDATE_PERIOD_ms, update);
  }

  /** Counts a status message that nobody asked for; false once the host has been silent for too many of them. */
  #mayReport(): boolean {
    this.#unacknowledged += 1;
    return !this.settings.needsAcknowledge || this.#unacknowledged <= UNACKNOWLEDGED_MAX;
  }

  #sendInfo(): void {
    const data = new Uint8Array(84);
    const view = new DataView(data.buffer);
    view.setUint32(0, this.settings.serialNumber, true);
    const { model } = this.settings;
    for (let index = 0; index < model.length; index += 1) {
      data[4 + index] = model.charCodeAt(index);
    }
    view.setUint16(12, this.#isServo() ? 44 : 16, true);
    data.set([3, 1, 2, 0], 14);
    view.setUint16(78, 3, true);
    view.setUint16(80, 0, true);
    view.setUint16(82, 1, true);
    this.#sendData(0x0006, data);
  }

  #sendHomeParameters(): void {
    const data = new Uint8Array(14);
    const view = new DataView(data.buffer);
    view.setUint16(0, 1, true);
    view.setUint16(2, this.#home.direction, true);
    view.setUint16(4, this.#home.limitSwitch, true);
    view.setInt32(6, this.#home.velocity, true);
    view.setInt32(10, this.#home.offset, true);
    this.#sendData(0x0442, data);
  }

  #sendHeader(id: number, parameter1: number, parameter2: number): void {
    this.transmit(
      Uint8Array.of(id & 0xff, id >> 8, parameter1, parameter2, HOST, CONTROLLER),
      this.settings.latency_ms,
    );
  }

  /** Channel 1 and 32-bit numbers. */
  #sendLongs(id: number, values: readonly number[]): void {
    const data = new Uint8Array(2 + 4 * values.length);
    const view = new DataView(data.buffer);
    view.setUint16(0, 1, true);
    for (const [index, value] of values.entries()) {
      view.setInt32(2 + 4 * index, value | 0, true);
    }
    this.#sendData(id, data);
  }

  #sendData(id: number, data: Uint8Array): void {
    const message = new Uint8Array(HEADER_LENGTH + data.length);
    message.set([id & 0xff, id >> 8, data.length & 0xff, data.length >> 8, HOST | 0x80, CONTROLLER]);
    message.set(data, HEADER_LENGTH);
    this.transmit(message, this.settings.latency_ms);
  }
}
