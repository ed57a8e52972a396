import { randomBytes } from "node:crypto";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import type { BenchSession, BenchSessionOptions, FrameSink } from "../../bench/bench-session.ts";
import type { BenchOffer, InstrumentTest } from "../../bench/benches.ts";
import { createCanary } from "../../bench/canary.ts";
import { createBenchSession } from "../../bench/session.ts";
import type { BenchFile } from "../../contract/bench-file.ts";
import type { Journal } from "../../contract/events.ts";
import { newRunHandle } from "../../mcp/run-handle.ts";
import type { KeptRun } from "../keep-run.ts";
import { RealClock } from "../real-clock.ts";
import { UsageError } from "../usage-error.ts";
import { type ConnectedBench, type ConnectOptions, connectBench, isSimulatedBench } from "./connect-bench.ts";
import { given } from "./given.ts";
import { StageShutter } from "./shutters.ts";

export interface ConfiguredOfferOptions extends ConnectOptions {
  /** Begins the folder of a run; without it the run is gone with the process. */
  readonly keep?: (run: { readonly canaryKey: string; readonly simulated: boolean }) => KeptRun;
  /** Sees every event beside the run's folder. */
  readonly onEvent?: Journal["append"];
  readonly session?: Partial<Pick<BenchSessionOptions, "operatorNote" | "budgets" | "findings" | "tools" | "kernel">>;
}

/** A run whose records somebody else keeps, and what holds for it alone. */
export interface ConfiguredRun {
  readonly session: ConfiguredOfferOptions["session"];
  /** Key of the codes in the pictures. */
  readonly canaryKey: string;
  readonly journal: Journal;
  readonly frameSink: (pixelPitch_um: number) => FrameSink;
}

/** A bench of a file on offer. Its instruments stay connected from the first run on, until it is closed. */
export interface ConfiguredBench extends BenchOffer {
  /** Connects unless that was done. Nothing moves. Throws `InstrumentError`. */
  connect(): Promise<ConnectedBench>;
  /** The instruments in the state in which a run begins, connected anew where one has gone. Throws `InstrumentError`. */
  makeReady(): Promise<ConnectedBench>;
  /** Opens a run beside those of `open`. */
  openRun(run: ConfiguredRun): Promise<BenchSession>;
  test(): Promise<readonly InstrumentTest[]>;
  /** Stops the stage, whoever moves it; nothing where none is connected. Throws `InstrumentError`. */
  stop(): Promise<void>;
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
    async stop() {
      const bench = await connecting;
      await bench?.stage.stop();
    },
    async test() {
      // What was not in use is not kept from others.
      const wasConnected = connecting !== undefined;
      try {
        return await testInstruments(file, connect);
      } finally {
        if (!wasConnected) await close();
      }
    },
    async makeReady() {
      const bench = await answering(connect, close);
      await prepare(file, bench);
      await requireReference(file, bench);
      return bench;
    },
    async openRun({ session, ...run }) {
      const bench = await answering(connect, close);
      await prepare(file, bench);
      return openSession(file, bench, options, { ...options.session, ...session }, run);
    },
    async open() {
      const bench = await answering(connect, close);
      await prepare(file, bench);
      const canaryKey = randomBytes(16).toString("hex");
      const kept = options.keep?.({ canaryKey, simulated: bench.simulated });
      const session = await openSession(file, bench, options, options.session, {
        canaryKey,
        journal: kept?.journal ?? { append: () => undefined },
        ...(kept === undefined
          ? {}
          : { frameSink: (pitch_um: number) => kept.frameSink(pitch_um, options.chain?.tasks.tiff) }),
      });
      kept?.follow(session);
      return session;
    },
  };
}

/** What every instrument says of itself. The first that fails keeps those behind it from being asked. */
async function testInstruments(
  { instruments }: BenchFile,
  connect: () => Promise<ConnectedBench>,
): Promise<readonly InstrumentTest[]> {
  let bench: ConnectedBench;
  try {
    bench = await connect();
  } catch (error) {
    if (!(error instanceof InstrumentError) && !(error instanceof UsageError)) throw error;
    const role = error instanceof InstrumentError ? (/\((\w+)\)$/.exec(error.instrument)?.[1] ?? "instrument") : "file";
    const hint = error instanceof InstrumentError && error.hint !== undefined ? `; ${error.hint}` : "";
    return [{ role, ok: false, message: `${error.message}${hint}` }];
  }
  const { stage, camera, shutter } = bench;
  return [
    await testOne("stage", stage.info.simulated, async () => {
      const { info } = stage;
      const { position_mm, homed, warnings } = await stage.readState();
      const place = homed && position_mm !== undefined ? `at ${position_mm.toFixed(3)} mm` : "without a reference";
      return [
        `${info.model}, serial ${info.serialNumber}, ${info.travelMin_mm} to ${info.travelMax_mm} mm, ${place}`,
        ...warnings,
      ].join("; ");
    }),
    await testOne("camera", camera.info.simulated, async () => {
      const { model, serialNumber, width_px, height_px, pixelFormat } = camera.info;
      const exposure_ms = await camera.readExposure();
      return `${model}, serial ${serialNumber}, ${width_px} × ${height_px} px ${pixelFormat}, ${exposure_ms} ms`;
    }),
    await testOne("shutter", shutter?.simulated ?? false, async () => {
      if (shutter !== undefined) return shutter.model;
      return instruments.shutter?.driver === "stage" ? "a stage" : "the operator blocks the beam";
    }),
  ];
}

async function testOne(role: string, simulated: boolean, ask: () => Promise<string>): Promise<InstrumentTest> {
  try {
    return { role, ok: true, simulated, message: await ask() };
  } catch (error) {
    return { role, ok: false, simulated, message: error instanceof Error ? error.message : String(error) };
  }
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
  if (shutter instanceof StageShutter && file.instruments.shutter?.driver === "stage") {
    if (file.instruments.shutter.stage.home_at_start === true) await shutter.home();
  }
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
  { onEvent, chain }: ConfiguredOfferOptions,
  more: ConfiguredOfferOptions["session"],
  { canaryKey, journal, frameSink }: Omit<ConfiguredRun, "session" | "frameSink"> & Partial<ConfiguredRun>,
): Promise<BenchSession> {
  const { stage, camera, shutter, clock } = bench;
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
      frameSink: frameSink?.(pixel_pitch_um ?? camera.info.pixelPitch_um),
      frameWork: chain?.tasks,
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
        journal.append(event);
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
  return session;
}
