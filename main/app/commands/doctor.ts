import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { genicamAvailability } from "../../../drivers/instruments/genicam/index.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { fastestReadout } from "../frame-loops.ts";
import { printJson, printResult } from "../terminal.ts";
import { mayUse } from "../may-use.ts";

/** One thing that Caustic can use on this machine. */
interface Check {
  readonly name: string;
  readonly works: boolean;
  /** Without it nothing runs. */
  readonly essential: boolean;
  readonly needed_for: string;
  /** What was found, in words. */
  readonly found: string;
  /** The command that mends it; absent when it works. */
  readonly mend?: string;
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const require = createRequire(import.meta.url);

export function registerDoctor(program: Command): void {
  program
    .command("doctor")
    .description("what works on this machine and what is missing, with the command that mends it")
    .option("--json", "print the checks as JSON")
    .addHelpText(
      "after",
      "\nExit status 1 when something is missing without which nothing runs.\n\nExample:\n  $ caustic doctor\n  $ caustic doctor --json",
    )
    .action(doctor);
}

async function doctor(options: { readonly json?: true }): Promise<void> {
  const checks = [
    checkNode(),
    checkPackages(),
    checkKernel(),
    checkReadout(),
    checkProgram("C++ compiler", ["c++", "g++", "clang++"], "building the native kernel", install("g++ make python3")),
    checkProgram(
      "Chromium",
      ["chromium", "chromium-browser", "google-chrome"],
      "tests of the page",
      install("chromium"),
    ),
    checkElectron(),
    checkDisplay(),
    await checkSerial(),
    checkAravis(),
    checkProgram("socat", ["socat"], "tests of serial stages", install("socat")),
    checkProgram("ImageMagick", ["convert", "magick"], "tests of image files", install("imagemagick")),
    checkPython(),
  ];
  const works = checks.every((check) => check.works || !check.essential);
  if (options.json) printJson({ works, checks });
  else printResult([...checks.map(asText), "", summary(checks, works)].join("\n"));
  if (!works) process.exitCode = 1;
}

function asText(check: Check): string {
  const sign = check.works ? "✓" : check.essential ? "✗" : "·";
  const line = `${sign} ${check.name.padEnd(20)} ${check.found}`;
  return check.mend === undefined ? line : `${line} (for ${check.needed_for})\n    ${check.mend}`;
}

function summary(checks: readonly Check[], works: boolean): string {
  const missing = checks.filter((check) => !check.works).length;
  if (!works) return "Caustic does not run here until what is marked ✗ is mended.";
  return missing === 0 ? "Everything works." : `Caustic runs; ${missing} optional parts are missing.`;
}

function result(check: Omit<Check, "mend">, mend: string): Check {
  return check.works ? check : { ...check, mend };
}

/** The command that installs Debian packages; elsewhere it at least names them. */
function install(packages: string): string {
  return `sudo apt-get install ${packages}`;
}

function checkNode(): Check {
  const works = Number(process.versions.node.split(".")[0]) >= 24;
  return result(
    {
      name: "Node",
      works,
      essential: true,
      needed_for: "everything",
      found: `${process.version} at ${process.execPath}`,
    },
    "npm ci",
  );
}

function checkPackages(): Check {
  const missing = declaredPackages().filter((name) => !isInstalled(name));
  const found = missing.length === 0 ? "all installed" : `missing: ${missing.join(", ")}`;
  return result(
    { name: "packages", works: missing.length === 0, essential: true, needed_for: "everything", found },
    "npm ci",
  );
}

function declaredPackages(): string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies ?? {});
}

/** Packages may lie in this checkout or, when Caustic is itself installed as one, above it. */
function isInstalled(name: string): boolean {
  return (require.resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name, "package.json")));
}

function checkReadout(): Check {
  const works = fastestReadout().readOut !== undefined;
  return result(
    {
      name: "native simulator",
      works,
      essential: false,
      needed_for: "simulated frames at full camera rates",
      found: works
        ? "the compiled loop fills simulated frames"
        : "the plain loop fills simulated frames, some times slower",
    },
    "npm start (builds it where there is a C++ compiler)",
  );
}

function checkKernel(): Check {
  const { kernel, missing } = chooseKernel();
  const found =
    missing === undefined ? `${kernel.name} runs` : `the ${kernel.name} kernel runs, some times slower (${missing})`;
  return result(
    {
      name: "native kernel",
      works: missing === undefined,
      essential: false,
      needed_for: "full camera frame rates",
      found,
    },
    "npm start (builds it where there is a C++ compiler)",
  );
}

function findProgram(names: readonly string[]): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

function checkProgram(name: string, programs: readonly string[], needed_for: string, mend: string): Check {
  const path = findProgram(programs);
  return result({ name, works: path !== undefined, essential: false, needed_for, found: path ?? "not found" }, mend);
}

function checkElectron(): Check {
  const override = process.env["ELECTRON_OVERRIDE_DIST_PATH"];
  const folder = override ?? join(ROOT, "node_modules/electron/dist");
  const path = ["electron", "electron.exe", "Electron.app"].map((name) => join(folder, name)).find(existsSync);
  const found = path ?? "no binary; caustic open serves the same page to a browser";
  return result(
    { name: "Electron", works: path !== undefined, essential: false, needed_for: "the desktop window", found },
    "npx install-electron --no",
  );
}

function checkDisplay(): Check {
  const display = process.env["WAYLAND_DISPLAY"] ?? process.env["DISPLAY"] ?? "";
  const works = process.platform !== "linux" || display !== "";
  return result(
    {
      name: "display",
      works,
      essential: false,
      needed_for: "the desktop window",
      found: works ? display || process.platform : "none (DISPLAY is not set)",
    },
    "log in at a desktop, or run under xvfb-run -a",
  );
}

async function checkSerial(): Promise<Check> {
  const base = { name: "serial ports", essential: false, needed_for: "real stages" };
  let paths: string[];
  try {
    const { listSerialPorts } = await import("../../../drivers/transport/serial-ports.ts");
    paths = (await listSerialPorts()).map(({ path }) => path);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return result({ ...base, works: false, found: `the serial driver does not load (${reason})` }, "npm ci");
  }
  const closed = paths.filter((path) => !mayUse(path));
  if (closed.length > 0) {
    const mend = "sudo usermod -aG dialout $USER (then log in again)";
    return result({ ...base, works: false, found: `no access to ${closed.join(", ")}` }, mend);
  }
  return { ...base, works: true, found: paths.length === 0 ? "driver loads, no port plugged in" : paths.join(", ") };
}

function checkAravis(): Check {
  const state = genicamAvailability();
  const found = state.available ? "libaravis and its addon load" : `${state.reason}: ${state.why}`;
  return result(
    { name: "GenICam cameras", works: state.available, essential: false, needed_for: "real cameras", found },
    state.available ? "" : state.mend,
  );
}

function checkPython(): Check {
  const base = { name: "Python", essential: false, needed_for: "tests against numpy" };
  const mend = install("python3 python3-numpy");
  for (const program of ["python3", "/usr/bin/python3"]) {
    const answer = spawnSync(program, ["-c", "import numpy, sys; print(sys.version.split()[0], numpy.__version__)"], {
      encoding: "utf8",
    });
    if (answer.status === 0) {
      const [python = "", numpy = ""] = answer.stdout.trim().split(" ");
      return { ...base, works: true, found: `${python} with numpy ${numpy}` };
    }
  }
  return result({ ...base, works: false, found: "no python3 with numpy" }, mend);
}
