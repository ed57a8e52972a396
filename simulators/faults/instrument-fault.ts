import { createRng } from "../world/random.ts";

/*
 * Faults of the instruments, as plain data. Each names the calls that it spoils, either one by one or by chance; chance
 * is drawn from the bench's seed and the number of the call.
 */

/** Which calls a fault spoils: those of these numbers, counted from 0, or each with this probability. */
export type Occurrence = { readonly calls: readonly number[] } | { readonly probability: number };

/** The carriage stops on the way and the driver notices: the move fails with `position_error`. Counts moves. */
export interface StageStall {
  readonly kind: "stage_stall";
  readonly on: Occurrence;
  /** Share of the way that is done, 0…1. */
  readonly fraction: number;
  /** How long the driver watches a carriage at rest before it gives up. */
  readonly noticed_after_ms: number;
}

/**
 * The carriage comes to rest beyond its target; at the end of the travel it stops there. Beyond a driver's usual
 * tolerance of 5 µm the move fails with `position_error`, below it the readback alone tells. Counts moves.
 */
export interface StageOvershoot {
  readonly kind: "stage_overshoot";
  readonly on: Occurrence;
  /** Along the direction of the move, ≥ 0. */
  readonly by_mm: number;
}

/** The move takes longer to be over. Counts moves. */
export interface StageSlowSettle {
  readonly kind: "stage_slow_settle";
  readonly on: Occurrence;
  readonly extra_ms: number;
}

/** The frame is exposed and lost on the way: `frame_lost`, and a gap in the sequence. Counts frames asked for. */
export interface CameraDrop {
  readonly kind: "camera_drop";
  readonly on: Occurrence;
}

/** The frame arrives late. Counts frames asked for. */
export interface CameraLate {
  readonly kind: "camera_late";
  readonly on: Occurrence;
  readonly extra_ms: number;
}

export type StageFault = StageStall | StageOvershoot | StageSlowSettle;
export type CameraFault = CameraDrop | CameraLate;
export type InstrumentFault = StageFault | CameraFault;

/** Decides whether a call is spoilt. `fault` tells several faults of one instrument apart. */
export function occurs(on: Occurrence, seed: number, fault: number, call: number): boolean {
  if ("calls" in on) return on.calls.includes(call);
  // One stream per fault and call: asking in another order changes nothing.
  return createRng(seed, "fault", fault * 1_000_003 + call).uniform() < on.probability;
}
