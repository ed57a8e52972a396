import { dirname, join } from "node:path";
import { offerBenchOfFile } from "./bench-desk.ts";
import { BENCHES_FOLDER, BenchFileFolder } from "./bench-file/bench-file-folder.ts";
import { startLiveChain } from "./live-chain/live-chain.ts";
import { agentOffer } from "./window/agent-offer.ts";
import { offerSimulatedBench } from "./simulated-bench.ts";
import { programVersion } from "./program-version.ts";
import { simulatedScenario } from "./simulated-scenario.ts";
import { createWindow } from "./window/create-window.ts";
import { desktopPort, type DesktopPort } from "./window/parent-port.ts";
import { ParentPrinter } from "./window/parent-printer.ts";

/** How a utility process hears from the shell that started it. */
interface ParentPort {
  on(
    event: "message",
    listener: (event: { readonly data: unknown; readonly ports: readonly DesktopPort[] }) => void,
  ): void;
  postMessage(message: unknown): void;
}

/** The bench process of the desktop: the same benches as `caustic serve`, with windows over ports instead of a network. */
export function runDesktopBench(parent: ParentPort, runsFolder: string): void {
  const printer = new ParentPrinter(parent);
  const chain = startLiveChain();
  const window = createWindow("", {
    version: programVersion(),
    desktop: true,
    runsFolder,
    files: new BenchFileFolder(join(dirname(runsFolder), BENCHES_FOLDER), (file) =>
      offerBenchOfFile(file, { keepIn: runsFolder, realTime: true, chain }),
    ),
    chain,
    contenders: [agentOffer({})],
    printPdf: printer.print,
    log: (message) => {
      process.stderr.write(`${message}\n`);
    },
  });
  window.benches.offer(
    offerSimulatedBench({
      bench: "bench-1",
      scenario: simulatedScenario("clean", 1),
      seed: 1,
      realTime: true,
      keepIn: runsFolder,
      keepFrames: true,
      chain,
    }),
  );
  parent.on("message", ({ data, ports }) => {
    if (printer.answer(data)) return;
    for (const port of ports) window.host.accept(desktopPort(port));
  });
}
