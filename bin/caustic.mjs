#!/usr/bin/env node
// The `caustic` command as npx and the shell find it. Plain JavaScript without packages, because any Node from 20 on may run
// it: where that Node cannot run the program's TypeScript, the Node that the packages bring along takes over.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);
const require = createRequire(here);
const NEEDED_MAJOR = 24;

function fail(sentence) {
  process.stderr.write(`caustic: ${sentence}\n`);
  process.exit(2);
}

/** Folder of an installed package: in this checkout, or above it where Caustic itself is installed as one. */
function installed(name) {
  const folders = require.resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, "package.json")));
}

/** The Node of the platform's package, or undefined where it is not installed. */
function pinnedNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const folder = installed(`node-${platform}-${process.arch}`);
  const path = folder && join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  return path && existsSync(path) ? path : undefined;
}

const major = Number(process.versions.node.split(".")[0]);
const runsTypeScript = major >= NEEDED_MAJOR && Boolean(process.features.typescript);

if (!installed("commander")) {
  fail(`the packages are not installed in ${join(dirname(here), "..")}; run npm ci there`);
} else if (runsTypeScript) {
  // What was compiled once is there at the next start, in the folder that Node keeps for that.
  module.enableCompileCache();
  const { runCommandLine } = await import("../main/app/command-line.ts");
  await runCommandLine(process.argv.slice(2));
} else {
  const node = pinnedNode();
  if (!node) {
    fail(
      `needs Node ${NEEDED_MAJOR} and runs on ${process.version}; run npm ci, which brings it, or install it from nodejs.org`,
    );
  } else {
    handOver(node);
  }
}

/** Runs this file again by `node` and ends as it ends. */
function handOver(node) {
  const child = spawn(node, [here, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends its own signals to both; what was sent to this process alone is passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]) {
    try {
      process.on(signal, () => {
        if (!(signal === "SIGINT" && process.stdin.isTTY)) child.kill(signal);
      });
    } catch {
      // This platform does not know the signal.
    }
  }
  child.on("error", (error) => fail(`${node} cannot be started (${error.code ?? error.message}); run npm ci`));
  child.on("exit", (status, signal) => {
    process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (status ?? 1));
  });
}
