import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { SimulatedStage } from "../../../simulators/instruments/stage.ts";
import type { MomentKernel } from "../../analysis/kernel.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import { type BenchOffer, createBenches } from "../../bench/benches.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { Overview, PageInput, PageOutput, ScenarioOffer } from "../../contract/window-verbs.ts";
import type { LiveChain } from "../live-chain/live-chain.ts";
import { offerSimulatedBench } from "../simulated-bench.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { Notifier } from "./notifier.ts";
import type { BenchShelf } from "./shelves.ts";

/** Files that describe benches. Refusals are `bad_argument` and name what is wrong. */
export interface BenchFiles {
  list(): Overview["bench_files"];
  save(file: string, text: string): void;
  edit(file: string, edits: PageInput<"edit_bench_file">["edits"]): string;
  /** The bench that the file describes. */
  offer(file: string): BenchOffer;
}

export interface OfferedBenchesOptions {
  /** Folder in which runs are kept. */
  readonly runsFolder: string;
  readonly files?: BenchFiles;
  readonly kernel?: MomentKernel;
  readonly chain?: LiveChain;
}

/** What the scenarios show, for a person who chooses one. Of the beam itself they say what its name says. */
const SCENARIOS: readonly ScenarioOffer[] = [
  { scenario: "clean", description: "A well-behaved beam with its waist in the middle of the rail. Begin here." },
  { scenario: "partial_saturation", description: "Bright: the usual exposure saturates near the waist." },
  { scenario: "background_drift", description: "Room light that slowly grows, so that darks become stale." },
  { scenario: "beam_too_large", description: "Small waist and strong divergence: far out the sensor is too small." },
  { scenario: "waist_outside_range", description: "The waist lies beyond the end of the rail." },
  { scenario: "different_waists", description: "Astigmatic: the two axes have their waists far apart." },
  { scenario: "ghost_everywhere", description: "A second spot beside the beam, at every position." },
  { scenario: "ghost_in_range", description: "A second spot in a part of the rail." },
  { scenario: "random_scenario", description: "A mystery beam drawn from the seed." },
];

/** Benches on offer, which a window may add to, and the runs on them. */
export class OfferedBenches implements BenchShelf {
  readonly #options: OfferedBenchesOptions;
  readonly #offers: BenchOffer[] = [];
  /** What the light of a simulated bench is: for the operator who chose it, and for nobody who drives by its tools. */
  readonly #about = new Map<string, { readonly input: string; readonly words: string }>();
  readonly #runs: BenchSession[] = [];
  readonly #changed = new Notifier();
  /** For the servers and clients that drive these benches beside the window. */
  readonly benches = createBenches(this.#offers);
  readonly onChange = this.#changed.onChange;
  readonly verbs = this.benches.verbs;

  constructor(options: OfferedBenchesOptions) {
    this.#options = options;
  }

  session(run: string): BenchSession {
    return this.benches.session(run);
  }

  offers(): Overview["benches"] {
    return this.#offers.map(({ bench, description, simulated }) => {
      const state = this.benches.sessionOn(bench)?.snapshot().state;
      const about = this.#about.get(bench)?.words;
      const in_use = state === "open" || state === "paused";
      return { bench, description, simulated, in_use, ...(about === undefined ? {} : { about }) };
    });
  }

  openRuns(): readonly BenchSession[] {
    return this.#runs.filter((session) => session.snapshot().state !== "closed");
  }

  scenarios(): readonly ScenarioOffer[] {
    return SCENARIOS;
  }

  /** Puts any bench on offer; one of the same name is replaced unless a run is open on it. */
  offer(offer: BenchOffer): void {
    const at = this.#offers.findIndex(({ bench }) => bench === offer.bench);
    const followed: BenchOffer = {
      ...offer,
      open: async () => {
        const session = await offer.open();
        this.#runs.push(session);
        session.subscribe((event) => {
          const { type } = event;
          if (type === "control_changed" || type === "operator_acted" || type === "finished" || type === "run_closed") {
            queueMicrotask(() => {
              this.#changed.tell();
            });
          }
        });
        this.#changed.tell();
        return session;
      },
    };
    if (at === -1) this.#offers.push(followed);
    else if (this.benches.sessionOn(offer.bench) === undefined) {
      // Two offers of one bench would fight for its instruments.
      void this.#offers[at]?.close?.();
      this.#offers[at] = followed;
    }
    this.#changed.tell();
  }

  offerSimulator(input: PageInput<"offer_simulator">): string {
    const { scenario: name, seed, sensor, real_time = false, z_min_mm, z_max_mm } = input;
    const known = [...this.#about].find(([, about]) => about.input === JSON.stringify(input));
    if (known !== undefined) return known[0];
    checkTravel(z_min_mm, z_max_mm);
    const bench = `bench-${this.#offers.length + 1}`;
    this.#about.set(bench, {
      input: JSON.stringify(input),
      words: [
        name,
        `seed ${seed}`,
        ...(sensor === undefined ? [] : [sensor]),
        ...(real_time ? ["real time"] : []),
        ...limitWords(z_min_mm, z_max_mm),
      ].join(", "),
    });
    this.offer(
      offerSimulatedBench({
        bench,
        scenario: simulatedScenario(name, seed),
        seed,
        realTime: real_time,
        ...(sensor === undefined ? {} : { sensor }),
        keepIn: this.#options.runsFolder,
        keepFrames: true,
        ...(this.#options.chain === undefined ? {} : { chain: this.#options.chain }),
        session: {
          findings: "all",
          limits: {
            ...(z_min_mm === undefined ? {} : { z_min_mm }),
            ...(z_max_mm === undefined ? {} : { z_max_mm }),
          },
          ...(this.#options.kernel === undefined ? {} : { kernel: this.#options.kernel }),
        },
      }),
    );
    return bench;
  }

  benchFiles(): Overview["bench_files"] {
    return this.#options.files?.list() ?? [];
  }

  offerBenchFile(file: string): string {
    const offer = this.#benchFilesOrRefuse().offer(file);
    this.offer(offer);
    return offer.bench;
  }

  saveBenchFile(file: string, text: string): void {
    this.#benchFilesOrRefuse().save(file, text);
    this.#changed.tell();
  }

  editBenchFile(file: string, edits: PageInput<"edit_bench_file">["edits"]): string {
    const text = this.#benchFilesOrRefuse().edit(file, edits);
    this.#changed.tell();
    return text;
  }

  async testBench(bench: string): Promise<PageOutput<"test_bench">> {
    const offer = this.#offers.find((candidate) => candidate.bench === bench);
    if (offer === undefined) throw new BenchError("unknown_bench", `there is no bench ${bench}`, "Look at the list.");
    if (offer.test !== undefined) return { instruments: [...(await offer.test())] };
    const message = "simulated: always there";
    return {
      instruments: ["stage", "camera", "shutter"].map((role) => ({ role, ok: true, simulated: true, message })),
    };
  }

  #benchFilesOrRefuse(): BenchFiles {
    const { files } = this.#options;
    if (files !== undefined) return files;
    throw new BenchError("not_offered", "this host has no folder of bench files", "Start it with caustic serve.");
  }
}

const TRAVEL = ((): { readonly min_mm: number; readonly max_mm: number } => {
  const { travelMin_mm, travelMax_mm } = new SimulatedStage(new SimulatedClock(() => Promise.resolve())).info;
  return { min_mm: travelMin_mm, max_mm: travelMax_mm };
})();

/** Throws `bad_argument` where limits leave the travel of the simulated stage, or nothing between them. */
function checkTravel(z_min_mm: number | undefined, z_max_mm: number | undefined): void {
  const { min_mm, max_mm } = TRAVEL;
  const travel = `the simulated stage travels from ${min_mm} to ${max_mm} mm`;
  const refuse = (message: string): never => {
    throw new BenchError("bad_argument", message, "Correct the limit; the bench was not offered.");
  };
  const limits = [
    ["lower", z_min_mm],
    ["upper", z_max_mm],
  ] as const;
  for (const [name, limit_mm] of limits) {
    if (limit_mm === undefined || (limit_mm >= min_mm && limit_mm <= max_mm)) continue;
    refuse(`${name} limit ${limit_mm} mm: ${travel}`);
  }
  if ((z_min_mm ?? min_mm) < (z_max_mm ?? max_mm)) return;
  refuse(`lower limit ${z_min_mm ?? min_mm} mm: expected less than the upper limit, ${z_max_mm ?? max_mm} mm`);
}

function limitWords(z_min_mm: number | undefined, z_max_mm: number | undefined): string[] {
  if (z_min_mm === undefined && z_max_mm === undefined) return [];
  return [`${z_min_mm ?? TRAVEL.min_mm} to ${z_max_mm ?? TRAVEL.max_mm} mm`];
}
