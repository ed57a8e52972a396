import { createHash } from "node:crypto";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { BenchFile } from "../../contract/bench-file.ts";
import type { EvaluationBench } from "../../evaluation/evaluation-bench.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import { frameKeeping, rawFrameSink } from "../keep-run.ts";
import type { LiveChain } from "../live-chain/live-chain.ts";
import type { ConnectedBench } from "./connect-bench.ts";
import { type ConfiguredBench, type ConfiguredOfferOptions, offerConfiguredBench } from "./offer-configured-bench.ts";

const OPERATOR = { kind: "operator", name: "operator", id: "operator-of-the-evaluation" } as const;

/**
 * The bench of a file as an evaluation runs on it: connected once, the stage brought back between units, one session after the other.
 * `onClose` comes when the bench is closed, and when it could not be opened.
 *
 * @throws InstrumentError where an instrument does not answer.
 */
export async function openEvaluationBench(
  file: BenchFile,
  {
    onClose,
    ...options
  }: Pick<ConfiguredOfferOptions, "ask" | "session" | "chain"> & { readonly onClose?: () => Promise<void> } = {},
): Promise<EvaluationBench> {
  const bench = offerConfiguredBench(file, options);
  const connected = await bench.connect().catch(async (error: unknown) => {
    await bench.close();
    await onClose?.();
    throw error;
  });
  const close = async (): Promise<void> => {
    await bench.close();
    await onClose?.();
  };
  return new ConfiguredEvaluationBench(file, { ...bench, close }, connected, options.chain);
}

class ConfiguredEvaluationBench implements EvaluationBench {
  readonly facts: EvaluationBench["facts"];
  readonly file: BenchFile;
  readonly operatorNote?: string;
  readonly #bench: ConfiguredBench;
  readonly #simulated: boolean;
  readonly #tiff: LiveChain["tasks"]["tiff"] | undefined;
  #session: BenchSession | undefined;

  constructor(file: BenchFile, bench: ConfiguredBench, connected: ConnectedBench, chain: LiveChain | undefined) {
    this.file = file;
    this.#bench = bench;
    this.#simulated = connected.simulated;
    this.#tiff = chain?.tasks.tiff;
    if (file.operator_note !== undefined) this.operatorNote = file.operator_note;
    const { stage, camera, shutter } = connected;
    this.facts = {
      bench: file.bench,
      description: bench.description,
      kind: connected.simulated ? "emulated" : "hardware",
      file_sha256: createHash("sha256").update(canonicalJson(file)).digest("hex"),
      instruments: [
        { role: "stage", what: `${stage.info.model}, serial ${stage.info.serialNumber}` },
        { role: "camera", what: `${camera.info.model}, serial ${camera.info.serialNumber}` },
        { role: "shutter", what: shutter?.model ?? "the operator blocks the beam" },
      ],
    };
  }

  async makeReady(start_travel_fraction: number, cancellation?: Cancellation): Promise<{ start_z_mm: number }> {
    const { stage } = await this.#bench.makeReady();
    const { limits = {} } = this.file;
    const { travelMin_mm, travelMax_mm } = stage.info;
    const least_mm = Math.max(travelMin_mm, limits.z_min_mm ?? travelMin_mm);
    const most_mm = Math.min(travelMax_mm, limits.z_max_mm ?? travelMax_mm);
    const start_z_mm = least_mm + start_travel_fraction * (most_mm - least_mm);
    await stage.moveTo(start_z_mm, cancellation === undefined ? {} : { cancellation });
    return { start_z_mm };
  }

  offer({ canaryKey, writeFrame, opened, journal, ...session }: Parameters<EvaluationBench["offer"]>[0]) {
    const { bench, description, simulated } = this.#bench;
    return {
      bench,
      description,
      simulated,
      open: async () => {
        const made = await this.#bench.openRun({
          session,
          canaryKey,
          journal,
          frameSink: (pixelPitch_um) =>
            rawFrameSink(writeFrame, frameKeeping(this.#simulated, this.file), pixelPitch_um, this.#tiff),
        });
        this.#session = made;
        made.subscribe(({ type }) => {
          if (type === "run_closed") this.#session = undefined;
        });
        opened(made);
        return made;
      },
    };
  }

  async stop(): Promise<void> {
    const session = this.#session;
    // Between units the stage is brought back, or searches for its reference.
    if (session === undefined) return this.#bench.stop();
    await session.verbs.stop({ run: session.handle, reason: "STOP at the terminal" }, { caller: OPERATOR });
  }

  close(): Promise<void> {
    return this.#bench.close();
  }
}
