import { openGrblStage } from "../../drivers/instruments/grbl/stage.ts";
import { openNewportStage } from "../../drivers/instruments/newport-conex-smc/stage.ts";
import { openPiGcs2Stage } from "../../drivers/instruments/pi-gcs2/stage.ts";
import { openThorlabsAptStage } from "../../drivers/instruments/thorlabs-apt/stage.ts";
import { openZaberAsciiStage } from "../../drivers/instruments/zaber-ascii/stage.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { ByteLink } from "../../drivers/transport/byte-link.ts";
import type { ControlledStage } from "../../drivers/transport/controlled-stage.ts";
import type { StageOptions } from "../../drivers/transport/stage-options.ts";
import type { EmulatedController } from "../../simulators/controllers/emulated-controller.ts";
import { GrblController } from "../../simulators/controllers/grbl/grbl-controller.ts";
import { NewportController } from "../../simulators/controllers/newport-conex-smc/newport-controller.ts";
import { PiGcs2Controller } from "../../simulators/controllers/pi-gcs2/pi-gcs2-controller.ts";
import { ThorlabsAptController } from "../../simulators/controllers/thorlabs-apt/thorlabs-apt-controller.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";
import { SimulatedClock } from "../../simulators/instruments/clock.ts";

/** Time that passes as fast as the processor allows, and lets everything in memory settle first. */
export function simulatedClock(): SimulatedClock {
  return new SimulatedClock(() => new Promise((resolve) => setImmediate(resolve)));
}

/** What the tests do to every emulated controller. */
export type TestController = EmulatedController & {
  jam(): void;
  free(): void;
  /** A limit switch closes in mid-move. */
  hitLimit(): void;
  readonly carriage: { overshoot_mm: number };
};

/** A driver with the emulator that it is tested against. */
export interface EmulatedStage {
  readonly name: string;
  /** "quick" has fast mechanics, for tests that run in real time; "brisk" moves a few millimetres in a second. */
  readonly makeController: (clock: Clock, pace?: Pace) => TestController;
  readonly open: (link: ByteLink, clock: Clock, options?: StageOptions) => Promise<ControlledStage>;
  /** Travel, velocity and acceleration of the mechanics without a pace, in mm and s. */
  readonly figures: readonly [number, number, number];
  /** Whether the controller, or its readback, shows that the carriage is held. */
  readonly noticesStall: boolean;
}

type Pace = "quick" | "brisk";

/** Settings of the mechanics, the maker's own without a pace. */
function mechanics(pace: Pace | undefined): { velocity_mm_s?: number; acceleration_mm_s2?: number } {
  switch (pace) {
    case "quick":
      // An LTS holds no more than 97 mm/s in its 32 bits.
      return { velocity_mm_s: 80, acceleration_mm_s2: 1000 };
    case "brisk":
      return { velocity_mm_s: 8, acceleration_mm_s2: 40 };
    default:
      return {};
  }
}

export const EMULATED_STAGES: readonly EmulatedStage[] = [
  {
    name: "zaber-ascii",
    figures: [150, 20, 200],
    makeController: (clock, pace) => new ZaberAsciiController(clock, mechanics(pace)),
    open: (link, clock, options) => openZaberAsciiStage(link, clock, { microstepSize_um: 0.047625, ...options }),
    noticesStall: true,
  },
  {
    name: "thorlabs-apt LTS150",
    figures: [150, 20, 20],
    makeController: (clock, pace) =>
      new ThorlabsAptController(clock, { ...mechanics(pace), ...(pace === "quick" ? { homeVelocity_mm_s: 60 } : {}) }),
    open: (link, clock, options) => openThorlabsAptStage(link, clock, { stage: "LTS150", ...options }),
    noticesStall: true,
  },
  {
    name: "thorlabs-apt KDC101",
    figures: [50, 2.4, 4.5],
    makeController: (clock, pace) =>
      new ThorlabsAptController(clock, {
        model: "KDC101",
        ...mechanics(pace),
        ...(pace === "quick" ? { homeVelocity_mm_s: 60 } : {}),
      }),
    open: (link, clock, options) => openThorlabsAptStage(link, clock, { stage: "KDC101 with MTS50-Z8", ...options }),
    noticesStall: true,
  },
  {
    name: "newport CONEX-CC",
    figures: [25, 0.4, 1.6],
    makeController: (clock, pace) => new NewportController(clock, mechanics(pace)),
    open: (link, clock, options) => openNewportStage(link, clock, { controller: "CONEX-CC", ...options }),
    noticesStall: true,
  },
  {
    name: "newport SMC100",
    figures: [25, 0.4, 1.6],
    makeController: (clock, pace) => new NewportController(clock, { controller: "SMC100", ...mechanics(pace) }),
    open: (link, clock, options) => openNewportStage(link, clock, { controller: "SMC100", ...options }),
    noticesStall: true,
  },
  {
    name: "pi-gcs2",
    figures: [300, 20, 100],
    makeController: (clock, pace) => new PiGcs2Controller(clock, { ...mechanics(pace), velocityMax_mm_s: 200 }),
    open: (link, clock, options) => openPiGcs2Stage(link, clock, options),
    noticesStall: true,
  },
  {
    name: "grbl",
    figures: [200, 20, 50],
    makeController: (clock, pace) =>
      new GrblController(clock, { ...mechanics(pace), ...(pace === "quick" ? { homingVelocity_mm_s: 80 } : {}) }),
    open: (link, clock, options) =>
      // The machine coordinates of the default build run from −200 to 0.
      openGrblStage(link, clock, { calibration: { zero_mm: 200 }, ...options }),
    // A stepper without encoder counts on while the carriage stands still.
    noticesStall: false,
  },
];
