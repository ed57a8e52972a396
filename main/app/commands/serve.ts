import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import type { Command } from "commander";
import { createHttpEndpoint } from "../../mcp/http-endpoint.ts";
import { createBenchServer } from "../../mcp/bench-server.ts";
import { type BenchChoice, chosenOffers, offerBenchOfFile } from "../bench-desk.ts";
import { frameFile } from "../create-desk.ts";
import { BENCHES_FOLDER, BenchFileFolder } from "../bench-file/bench-file-folder.ts";
import { httpConfiguration, stdioConfiguration } from "../client-configuration.ts";
import { announceHost, withdrawHost } from "../discovery.ts";
import { takeEndingSignals } from "../ending-signals.ts";
import { type Host, startHost } from "../host.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { startLiveChain } from "../live-chain/live-chain.ts";
import { addModelOptions, type ModelChoice } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { programVersion } from "../program-version.ts";
import { stderrLog, surviveRejections } from "../stderr-log.ts";
import { printJson, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { builtPage } from "../window/built-page.ts";
import { agentOffer } from "../window/agent-offer.ts";
import { createWindow } from "../window/create-window.ts";

/** 632.8 nm. */
const USUAL_PORT = 6328;
const MCP_PATH = "/mcp";

export interface ServeOptions extends BenchChoice, ModelChoice {
  readonly port?: number;
  readonly json?: true;
  readonly open?: true;
}

/** The options of every command that may serve the page. */
export function serveOptions(command: Command): Command {
  return addModelOptions(command)
    .option("--scenario <name>", "which simulated beam, or random_scenario (default: clean)")
    .option("--seed <N>", "decides all noise", numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }))
    .option("--bench <file>", "the bench that the file describes; the window edits the files beside it")
    .option(
      "--port <N>",
      `TCP port on 127.0.0.1; 0 takes a free one (default: ${USUAL_PORT}, else a free one)`,
      numberOption({ least: 0, most: 65_535, whole: true }),
    )
    .option("--real-time", "simulated moves and exposures last as long as real ones")
    .option("--out <folder>", "where runs are kept", RUNS_FOLDER)
    .option("--json", "print address and client configuration as one JSON document");
}

export function registerServe(program: Command): void {
  serveOptions(program.command("serve"))
    .description("host of a bench on this machine: the window as a page, and the MCP endpoint for agents")
    .option("--open", "open the page in the browser")
    .addHelpText(
      "after",
      `
Listens on the loopback interface alone. Every call needs the token that is printed, and that only this user can read.

Example:
  $ caustic serve
  $ caustic serve --scenario random_scenario --seed 7 --port 0 --json`,
    )
    .action(serve);
}

/** Serves page and MCP endpoint until a signal ends it. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = stderrLog();
  surviveRejections(log);
  const chain = startLiveChain();
  const offers = chosenOffers(options, chain);
  // Two secrets: who may drive through the tools is not who may take over from everybody in the window.
  const token = randomBytes(32).toString("base64url");
  const pageToken = randomBytes(32).toString("base64url");
  const pageFolder = await builtPage((message) => {
    log.info(message);
  });
  const host = await startOn(options.port);
  const url = `${host.origin}${MCP_PATH}`;
  const files = new BenchFileFolder(options.bench === undefined ? BENCHES_FOLDER : dirname(options.bench), (file) =>
    offerBenchOfFile(file, { keepIn: options.out, realTime: options.realTime === true, chain }),
  );
  const window = createWindow(pageFolder, {
    version: programVersion(),
    desktop: false,
    runsFolder: options.out,
    files,
    token: pageToken,
    mcpAddress: url,
    chain,
    contenders: [agentOffer(options)],
    log: (message) => {
      log.error(message);
    },
  });
  for (const offer of offers) window.benches.offer(offer);
  const desk = createBenchServer({ benches: window.benches.benches, frameFile, version: programVersion(), log });
  const endpoint = createHttpEndpoint({ factory: desk.factory, token, log });
  desk.onResourceUpdated((uri) => endpoint.notify.resourceUpdated(uri));

  host.addRoute(async (request, response) => {
    if ((request.url ?? "").split("?", 1)[0] !== MCP_PATH) return false;
    await endpoint.handle(request, response);
    return true;
  });
  host.addRoute((request, response) => window.servePage(request, response));
  const sockets = window.acceptSockets(host.server);
  const page = `${host.origin}/#token=${pageToken}`;
  const record = { url, token, pid: process.pid };
  announceHost(record);

  const stdio = stdioConfiguration();
  const http = httpConfiguration(url, token);
  if (options.json === true) {
    printJson({ address: host.origin, page, mcp: url, pid: process.pid, client_configuration: { stdio, http } });
  } else {
    printResult(
      [
        `Caustic listens at ${host.origin}`,
        `Window: ${page}`,
        `MCP endpoint: ${url}`,
        "",
        "For clients that start a program (holds no secret, stays valid):",
        JSON.stringify(stdio, null, 2),
        "",
        "For clients that speak HTTP (valid until this host ends; keep it to yourself):",
        JSON.stringify(http, null, 2),
        "",
        "Ctrl-C stops what moves and ends.",
      ].join("\n"),
    );
  }

  if (options.open === true) openInBrowser(page);

  const ended = Promise.withResolvers<undefined>();
  // Whatever else comes while the stage is being stopped must not cut that short.
  const leaveSignals = takeEndingSignals(() => ended.resolve(undefined));
  await ended.promise;
  withdrawHost(record);
  sockets.close();
  await window.close();
  await chain.close();
  await desk.close();
  await endpoint.close();
  await host.close();
  leaveSignals();
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  linux: ["xdg-open"],
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens the page as the person's system opens addresses. Where it cannot, the printed address still can be. */
function openInBrowser(page: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  spawn(program, [...args, page], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}

/** On the port that was asked for, or else on the usual one, or else on a free one. */
async function startOn(port: number | undefined): Promise<Host> {
  try {
    return await startHost({ port: port ?? USUAL_PORT });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (port === undefined && code === "EADDRINUSE") return startHost({ port: 0 });
    throw new UsageError(`--port ${port ?? USUAL_PORT} cannot be used (${code}); expected a free port, or 0 for any`);
  }
}
