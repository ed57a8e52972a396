import { dirname, join } from "node:path";
import { offerBenchOfFile } from "./bench-desk.ts";
import { BENCHES_FOLDER, BenchFileFolder } from "./bench-file/bench-file-folder.ts";
import { chooseKernel } from "./choose-kernel.ts";
import { agentOffer } from "./window/agent-offer.ts";
import { offerSimulatedBench } from "./simulated-bench.ts";
import { programVersion } from "./program-version.ts";
import { simulatedScenario } from "./simulated-scenario.ts";
import { createWindow } from "./window/create-window.ts";
import { desktopPort, type DesktopPort } from "./window/parent-port.ts";

/** How a utility process hears from the shell that started it. */
interface ParentPort {
  on(event: "message", listener: (event: { readonly ports: readonly DesktopPort[] }) => void): void;
}

/** The bench process of the desktop: the same benches as `caustic serve`, with windows over ports instead of a network. */
export function runDesktopBench(parent: ParentPort, runsFolder: string): void {
  const window = createWindow("", {
    version: programVersion(),
    desktop: true,
    runsFolder,
    files: new BenchFileFolder(join(dirname(runsFolder), BENCHES_FOLDER), (file) =>
      offerBenchOfFile(file, { keepIn: runsFolder, realTime: true }),
    ),
    kernel: chooseKernel().kernel,
    contenders: [agentOffer({})],
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
    }),
  );
  parent.on("message", ({ ports }) => {
    for (const port of ports) window.host.accept(desktopPort(port));
  });
}
