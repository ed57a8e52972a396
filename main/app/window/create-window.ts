import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { MomentKernel } from "../../analysis/kernel.ts";
import { SCRIPTS } from "../../contenders/index.ts";
import { type BenchServer, createBenchServer } from "../../mcp/bench-server.ts";
import { frameTasksHere } from "../live-chain/frame-tasks.ts";
import type { LiveChain } from "../live-chain/live-chain.ts";
import { KeptRecords } from "./kept-records.ts";
import { KeptEvaluations } from "./kept-evaluations.ts";
import { KeptSuites } from "./kept-suites.ts";
import { type BenchFiles, OfferedBenches } from "./offered-benches.ts";
import { servePage } from "./page-files.ts";
import { browserPrinter, type PdfPrinter } from "./pdf-printer.ts";
import { acceptSockets, type OpenSockets } from "./socket-port.ts";
import { type StartableContender, StartedContenders } from "./started-contenders.ts";
import { pauseOver } from "./wait-while-paused.ts";
import { WindowHost } from "./window-host.ts";

export interface CreateWindowOptions {
  readonly version: string;
  readonly desktop: boolean;
  /** Folder of the run records. */
  readonly runsFolder: string;
  readonly token?: string;
  readonly mcpAddress?: string;
  readonly files?: BenchFiles;
  /** On top of the scripts. */
  readonly contenders?: readonly StartableContender[];
  /** Of what is computed in this thread. */
  readonly kernel?: MomentKernel;
  /** Where frames are made and looked at; its owner closes it after the window. Default: in this thread. */
  readonly chain?: LiveChain;
  /** Shortest time between two live frames. Default 33 ms. */
  readonly liveInterval_ms?: number;
  readonly grace_ms?: number;
  /** Default: the browser of this machine, if it has one that prints. */
  readonly printPdf?: PdfPrinter;
  readonly log?: (message: string) => void;
}

/** The benches, their records and the host of the windows that look at them: the composition behind desktop and browser. */
export interface WindowBench {
  readonly benches: OfferedBenches;
  readonly records: KeptRecords;
  readonly host: WindowHost;
  /** Answers a request for the page or one of its files; false where it is for somebody else. */
  servePage(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Lets the pages connect. */
  acceptSockets(server: Server): OpenSockets;
  /** Ends every run and lets go of everything. */
  close(): Promise<void>;
}

const SCRIPT_WORDS: Readonly<Record<string, string>> = {
  scripted: "A rule-based operator: finds the waist, chooses exposures and positions, rejects bad frames, decides.",
  naive: "Ten evenly spaced positions at 1 ms. A reference for what no judgement gives.",
  constant: "Answers without measuring. The floor of every comparison.",
};

export function createWindow(pageFolder: string, options: CreateWindowOptions): WindowBench {
  const { version, runsFolder, kernel, chain } = options;
  const evaluations = new KeptEvaluations(runsFolder);
  const benches = new OfferedBenches({
    runsFolder,
    ...(options.files === undefined ? {} : { files: options.files }),
    ...(kernel === undefined ? {} : { kernel }),
    ...(chain === undefined ? {} : { chain }),
  });
  const tasks = chain?.tasks ?? frameTasksHere(kernel);
  const records = new KeptRecords(runsFolder, benches, {
    work: tasks,
    ...(chain === undefined ? {} : { openWorld: chain.openWorld }),
  });
  const printPdf = options.printPdf ?? browserPrinter();
  const servers: Readonly<Record<"script" | "agent", BenchServer>> = {
    script: createBenchServer({ benches: benches.benches, callerKind: "script", version }),
    agent: createBenchServer({ benches: benches.benches, callerKind: "agent", version }),
  };
  const scripts = Object.entries(SCRIPTS).map(
    ([contender, script]): StartableContender => ({
      offer: { contender, kind: "script", description: SCRIPT_WORDS[contender] ?? script.name },
      create: () => script,
    }),
  );
  const contenders = new StartedContenders(
    [...scripts, ...(options.contenders ?? [])],
    (kind) => servers[kind],
    async (bench, signal) => {
      const session = benches.benches.sessionOn(bench);
      if (session !== undefined) await pauseOver(session, signal);
    },
  );
  const host = new WindowHost({
    version,
    desktop: options.desktop,
    shelves: { benches, records, contenders, evaluations, suites: new KeptSuites(runsFolder) },
    ...(printPdf === undefined ? {} : { printPdf }),
    tasks,
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.mcpAddress === undefined ? {} : { mcpAddress: options.mcpAddress }),
    ...(options.liveInterval_ms === undefined ? {} : { liveInterval_ms: options.liveInterval_ms }),
    ...(options.grace_ms === undefined ? {} : { grace_ms: options.grace_ms }),
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  return {
    benches,
    records,
    host,
    servePage: (request, response) => servePage(pageFolder, request, response),
    acceptSockets: (httpServer) => acceptSockets(httpServer, host),
    async close() {
      host.close();
      await benches.benches.close("abandoned");
      records.close();
      evaluations.close();
    },
  };
}
