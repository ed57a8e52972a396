import { randomBytes } from "node:crypto";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import type { BenchSession, BenchSessionOptions } from "../../bench/bench-session.ts";
import type { BenchOffer } from "../../bench/benches.ts";
import { createCanary } from "../../bench/canary.ts";
import { createBenchSession } from "../../bench/session.ts";
import type { BenchFile } from "../../contract/bench-file.ts";
import type { Journal } from "../../contract/events.ts";
import { newRunHandle } from "../../mcp/run-handle.ts";
import type { KeptRun } from "../keep-run.ts";
import { RealClock } from "../real-clock.ts";
import { type ConnectedBench, type ConnectOptions, connectBench, isSimulatedBench } from "./connect-bench.ts";
import { given } from "./given.ts";

export interface ConfiguredOfferOptions extends ConnectOptions {
  /** Begins the folder of a run; without it the run is gone with the process. */
  readonly keep?: (run: { readonly canaryKey: string; readonly simulated: boolean }) => KeptRun;
  /** Sees every event beside the run's folder. */
  readonly onEvent?: Journal["append"];
  readonly session?: Partial<Pick<BenchSessionOptions, "operatorNote" | "budgets" | "findings" | "tools" | "kernel">>;
}

/** A bench of a file on offer. Its instruments stay connected from the first run on, until it is closed. */
export interface ConfiguredBench extends BenchOffer {
  /** Connects unless that was done. Nothing moves. Throws `InstrumentError`. */
  connect(): Promise<ConnectedBench>;
  close(): Promise<void>;
}

/** Puts the bench of a file on offer. */
export function offerConfiguredBench(file: BenchFile, options: ConfiguredOfferOptions = {}): ConfiguredBench {
  let connecting: Promise<ConnectedBench> | undefined;
  const connect = (): Promise<ConnectedBench> => {
    connecting ??= connectBench(file, options).catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return connecting;
  };
  const close = async (): Promise<void> => {
    const bench = await connecting?.catch(() => undefined);
    connecting = undefined;
    await bench?.close();
  };
  return {
    bench: file.bench,
    description: file.description ?? "A camera on a linear stage along a laser beam",
    simulated: isSimulatedBench(file),
    connect,
    close,
    async open() {
      const bench = await answering(connect, close);
      await prepare(file, bench);
      return openSession(file, bench, options);
    },
  };
}

/** The instruments, connected anew where one of them has gone since the last run. */
async function answering(connect: () => Promise<ConnectedBench>, close: () => Promise<void>): Promise<ConnectedBench> {
  const bench = await connect();
  try {
    await bench.stage.readState();
    await bench.camera.readExposure();
    return bench;
  } catch {
    await close();
    return connect();
  }
}

/** Brings the bench into the state in which a run begins: the stage referenced if the file says so, the beam free. */
async function prepare(file: BenchFile, { stage, shutter }: ConnectedBench): Promise<void> {
  const { homed } = await stage.readState();
  const entry = file.instruments.stage;
  if (!homed && entry.driver !== "simulated" && entry.home_at_start === true) await stage.home();
  await shutter?.setOpen(true);
}

/**
 * Throws `not_homed` where a run that nobody watches would fail at its first move.
 */
export async function requireReference(file: BenchFile, { stage }: ConnectedBench): Promise<void> {
  const entry = file.instruments.stage;
  if (entry.driver === "simulated" || entry.home_at_start === true) return;
  const { homed } = await stage.readState();
  if (homed) return;
  throw new InstrumentError(
    "not_homed",
    `${stage.info.model} (stage)`,
    "the stage does not know where it is",
    {},
    "home it in the window, or say home_at_start: true in the bench file if its whole travel is free",
  );
}

async function openSession(
  file: BenchFile,
  bench: ConnectedBench,
  { keep, onEvent, session: more = {} }: ConfiguredOfferOptions,
): Promise<BenchSession> {
  const { stage, camera, shutter, clock } = bench;
  const canaryKey = randomBytes(16).toString("hex");
  const kept = keep?.({ canaryKey, simulated: bench.simulated });
  const { pixel_pitch_um, limits, keep_out_zones, uncertainties = {}, default_frames, rules, operator_note } = file;
  const entry = file.instruments.stage;
  const session = await createBenchSession({
    ...given({
      pixelPitch_um: pixel_pitch_um,
      limits: limits === undefined ? undefined : given(limits),
      keepOutZones: keep_out_zones,
      uZ_mm: uncertainties.z_mm,
      defaultFrames: default_frames,
      rules,
      operatorNote: operator_note,
      positionTolerance_mm: entry.driver === "simulated" ? undefined : entry.tolerance_mm,
      frameSink: kept?.frameSink(pixel_pitch_um ?? camera.info.pixelPitch_um),
    }),
    ...more,
    bench: file.bench,
    instruments: { stage, camera, ...(shutter === undefined ? {} : { shutter }) },
    wavelength_nm: file.wavelength_nm,
    calibration: given({
      pixelPitch: uncertainties.pixel_pitch,
      stageScale: uncertainties.stage_scale,
      wavelength: uncertainties.wavelength,
    }),
    simulated: bench.simulated,
    clock,
    hostClock: new RealClock(),
    journal: {
      append(event) {
        kept?.journal.append(event);
        onEvent?.(event);
      },
    },
    newHandle: newRunHandle,
    canary: createCanary(canaryKey),
  });
  session.subscribe((event) => {
    if (event.type === "operator_acted" && event.action === "beam_blocked") bench.beamBlockedByHand = true;
    if (event.type === "operator_acted" && event.action === "beam_unblocked") bench.beamBlockedByHand = false;
  });
  kept?.follow(session);
  return session;
}
