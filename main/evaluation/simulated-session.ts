import type { Clock } from "../../drivers/protocol/clock.ts";
import { breakInstruments } from "../../simulators/faults/break-instruments.ts";
import type { InstrumentFault } from "../../simulators/faults/instrument-fault.ts";
import { createSimulatedBench, type SimulatedBenchOptions } from "../../simulators/instruments/simulated-bench.ts";
import type { BeamTruth } from "../../simulators/world/truth.ts";
import type { BenchInstruments, BenchSession, BenchSessionOptions } from "../bench/bench-session.ts";
import { createCanary } from "../bench/canary.ts";
import { createBenchSession } from "../bench/session.ts";
import { newRunHandle } from "../mcp/run-handle.ts";

/** The light of a simulated run, where it is computed, and what its instruments do wrong. */
export interface SimulatedLight extends Omit<SimulatedBenchOptions, "clock" | "faults"> {
  /** Default: none. */
  readonly instrumentFaults?: readonly InstrumentFault[];
}

/** Fresh instruments in that light, in the state in which a run finds them. */
export interface SimulatedInstruments {
  readonly instruments: BenchInstruments;
  readonly clock: Clock;
  readonly wavelength_nm: number;
  /** For graders alone. */
  readonly truth: BeamTruth;
}

export function createSimulatedInstruments(
  { scenario, seed, instrumentFaults = [], ...where }: SimulatedLight,
  clock: Clock,
): SimulatedInstruments {
  const bench = createSimulatedBench({ scenario, seed, clock, ...where });
  const { stage, camera } =
    instrumentFaults.length === 0 ? bench : breakInstruments(bench, instrumentFaults, seed, clock);
  const { shutter, wavelength_nm, truth } = bench;
  return { instruments: { stage, camera, shutter }, clock, wavelength_nm, truth };
}

/** What a session on simulated instruments is told by whoever opens it. */
export interface SimulatedSessionOptions
  extends Omit<BenchSessionOptions, "instruments" | "clock" | "wavelength_nm" | "newHandle" | "canary"> {
  /** Default: that of the simulated laser. */
  readonly wavelength_nm?: number;
  /** Key of the codes in the pictures. */
  readonly canaryKey: string;
}

/** One run on simulated instruments, which belong to it from here on. */
export function openSimulatedSession(
  { instruments, clock, wavelength_nm }: SimulatedInstruments,
  { canaryKey, ...options }: SimulatedSessionOptions,
): Promise<BenchSession> {
  return createBenchSession({
    wavelength_nm,
    ...options,
    instruments,
    clock,
    newHandle: newRunHandle,
    canary: createCanary(canaryKey),
  });
}
