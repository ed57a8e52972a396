import type { BeamCamera } from "../../drivers/protocol/beam-camera.ts";
import type { BeamShutter } from "../../drivers/protocol/beam-shutter.ts";
import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import type { Stage } from "../../drivers/protocol/stage.ts";
import type { CalibrationUncertainty } from "../analysis/caustic-types.ts";
import type { MomentKernel } from "../analysis/kernel.ts";
import type { BenchVerbs, Caller } from "../contract/bench-verbs.ts";
import type { BenchErrorShape } from "../contract/error-codes.ts";
import type { BenchEvent, Budgets, Journal } from "../contract/events.ts";
import type {
  BenchDescription,
  BudgetLeft,
  Dark,
  KeepOutZone,
  Measurement,
  ToolName,
  ToolOutput,
} from "../contract/tools.ts";
import type { Eventually, FrameWork } from "./frame-work.ts";

/** Instruments by role. A bench without a shutter asks the operator to block the beam for darks. */
export interface BenchInstruments {
  readonly stage: Stage;
  readonly camera: BeamCamera;
  readonly shutter?: BeamShutter;
}

/** Bounds narrower than what the instruments allow; they hold for everyone. */
export interface SoftLimits {
  readonly z_min_mm?: number;
  readonly z_max_mm?: number;
  readonly exposure_min_ms?: number;
  readonly exposure_max_ms?: number;
}

/**
 * Takes every frame of a measurement or dark, in order, for whoever keeps raw frames. The next one comes when it is done. What it
 * throws is reported and ignored.
 */
export type FrameSink = (id: string, frame: Frame, index: number) => Eventually<void>;

export interface BenchSessionOptions {
  /** The name under which the bench is offered; opaque in an evaluation. */
  readonly bench: string;
  readonly instruments: BenchInstruments;
  readonly wavelength_nm: number;
  /** Default: the camera's. Differs where optics magnify. */
  readonly pixelPitch_um?: number;
  /** The bench's time: simulated or real. Stands in every event. */
  readonly clock: Clock;
  /** The caller's time, always real in production: decides what becomes a job and what has expired. Never logged. */
  readonly hostClock: Clock;
  readonly limits?: SoftLimits;
  readonly keepOutZones?: readonly KeepOutZone[];
  readonly budgets?: Budgets;
  readonly rules?: readonly string[];
  readonly operatorNote?: string;
  /** `all` adds the findings for the operator's window (second spot, structured background, …). Default `standard`. */
  readonly findings?: "standard" | "all";
  /** The tools on offer. Default: all. */
  readonly tools?: readonly ToolName[];
  /** Frames of a measurement that does not say how many. Default 5. */
  readonly defaultFrames?: number;
  /** Default: both instruments say so. */
  readonly simulated?: boolean;
  readonly journal: Journal;
  readonly frameSink?: FrameSink;
  /** Makes the run handle: opaque, unguessable, never the same twice. */
  readonly newHandle: () => string;
  /** The code drawn into the picture that event `seq` records. Unguessable from results; the same for the same run seed. */
  readonly canary: (seq: number) => string;
  /** Of the work in this thread. Default: the TypeScript kernel. */
  readonly kernel?: MomentKernel;
  /** Where whole frames are analysed, averaged, hashed and drawn. Default: in this thread, with `kernel`. */
  readonly frameWork?: FrameWork;
  readonly calibration?: CalibrationUncertainty;
  /** Standard uncertainty of a stage position. Default 0. */
  readonly uZ_mm?: number;
  /** A stop farther than this from its target is a failure of the stage. Default 0.1 mm. */
  readonly positionTolerance_mm?: number;
  /** Work that takes longer, in host time, goes on as a job. Default 45 000. */
  readonly longCall_ms?: number;
  /** Host time without a call after which the handle expires. Default one day. */
  readonly handleLifetime_s?: number;
  /** Host time without an acting call after which another caller may take control. Default 600. */
  readonly leaseIdle_s?: number;
  /** Bytes of raw frames kept in memory; the oldest go first. Default 256 MiB. */
  readonly framesKept_bytes?: number;
}

/** What moves or exposes at this moment, beside the journal: never logged, for the window alone. */
export type LiveSignal =
  | { readonly type: "stage"; readonly z_mm: number; readonly target_mm: number }
  /** Whoever wants the samples after the call returns holds their memory. */
  | { readonly type: "frame"; readonly frame: Frame; readonly purpose: "measurement" | "dark" | "live" }
  | { readonly type: "progress"; readonly tool: ToolName; readonly fraction: number; readonly message: string };

/** A bench at one moment, unlogged. */
export interface BenchSnapshot {
  readonly seq: number;
  readonly state: "open" | "paused" | "finished" | "closed";
  readonly holder?: Omit<Caller, "id">;
  readonly running?: string;
  readonly z_requested_mm?: number;
  readonly z_actual_mm?: number;
  readonly exposure_ms: number;
  readonly measurements: readonly Measurement[];
  readonly darks: readonly Dark[];
  readonly budget: BudgetLeft;
}

/** One run on one bench. All verbs may be called at once by anybody; who may act decides the control lease. */
export interface BenchSession {
  readonly handle: string;
  readonly bench: string;
  readonly simulated: boolean;
  readonly handleLifetime_s: number;
  readonly description: BenchDescription;
  /** The tools on offer in this run. */
  readonly tools: readonly ToolName[];
  readonly verbs: BenchVerbs;

  readonly state: BenchSnapshot["state"];
  /** Past its lifetime without a call. */
  readonly expired: boolean;
  snapshot(): BenchSnapshot;
  /** Whether that caller drives. */
  isHolder(callerId: string): boolean;
  /** All events so far, from `seq` on. */
  events(from?: number): readonly BenchEvent[];
  /** Calls back with every event after it was written. What a listener throws never reaches the bench. */
  subscribe(listener: (event: BenchEvent) => void): () => void;
  /** Calls back with what is not worth a line in the log. */
  watch(listener: (signal: LiveSignal) => void): () => void;
  /** PNG of a view (`v001`). Throws `unknown_id`. */
  picture(view: string): Uint8Array<ArrayBuffer>;
  /** Last raw frame of a measurement (`m001`), dark (`d001`) or live view (`v001`). Throws `unknown_id`. */
  frame(id: string): Frame;
  /** The present fit of the measurements in use, unlogged. */
  caustic(): Pick<ToolOutput<"fit_caustic">, "x" | "y" | "used" | "left_out">;
  /**
   * A frame for the window: unlogged, outside every budget, never changing what is measured. None while the camera works. The caller
   * holds its memory.
   */
  liveFrame(cancellation?: Cancellation): Promise<Frame | undefined>;

  /** What only the operator may do; anybody else gets `control_held`. */
  takeOver(operator: Caller): Promise<void>;
  giveBack(operator: Caller): void;
  pause(operator: Caller): void;
  resume(operator: Caller): void;
  note(operator: Caller, text: string): void;
  /** Finds the stage's reference. `heardEvents`: how many events the window had that asked; refused after a STOP that came later. */
  home(operator: Caller, heardEvents?: number): Promise<void>;
  /** On a bench without shutter: the operator has blocked (true) or freed the beam by hand. */
  setBeamBlocked(operator: Caller, blocked: boolean): void;

  /** A caller is gone: what it started stops, its control is free. */
  releaseCaller(callerId: string): Promise<void>;
  /** Logs a call that never reached a verb: unknown tool, arguments that do not fit. A bare message stands for `bad_argument`. */
  callRejected(tool: string, caller: Caller, refusal: string | BenchErrorShape): void;
  /** Ends the run: stops what runs and writes the last event. The instruments stay open; their owner closes them. */
  close(why: "finished" | "abandoned" | "expired"): Promise<void>;
}
