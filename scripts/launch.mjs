// `npm start`, `npm test` and `npm run check` begin here. Plain JavaScript without packages, because it runs before anything
// is installed and on whatever Node started npm: it brings the checkout into a working state, then hands over to the
// Node that the project pins.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

const STAMPS = join(root, "node_modules", ".caustic");

/** Debian packages by what they are for. The first list is nice to have for a start, both are needed by the tests. */
const SYSTEM_PACKAGES = {
  start: [],
  test: [
    ["/usr/bin/chromium", "chromium"],
    ["/usr/bin/socat", "socat"],
    ["/usr/bin/convert", "imagemagick"],
    ["/usr/bin/arv-tool-0.8", "aravis-tools-cli"],
    ["/usr/bin/arv-camera-test-0.8", "aravis-tools"],
    ["/usr/include/aravis-0.8/arv.h", "libaravis-dev"],
    ["/usr/include/libusb-1.0/libusb.h", "libusb-1.0-0-dev"],
    ["/usr/lib/python3/dist-packages/serial/__init__.py", "python3-serial"],
    ["/usr/lib/python3/dist-packages/numpy/__init__.py", "python3-numpy"],
  ],
};

function say(text) {
  process.stderr.write(`${text}\n`);
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { stdio: "inherit", ...options });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

function mustRun(what, command, args, options) {
  const status = run(command, args, options);
  if (status !== 0) {
    say(`${what} failed (${command} ${args.join(" ")} ended with status ${status}).`);
    process.exit(status);
  }
}

function digestOf(paths) {
  const hash = createHash("sha256");
  const visit = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) {
        if (name !== "build" && name !== "node_modules" && name !== "prebuilds") visit(join(path, name));
      }
    } else {
      hash.update(path.slice(root.length)).update(readFileSync(path));
    }
  };
  for (const path of paths) visit(join(root, path));
  return hash.digest("hex");
}

/** Runs `work` unless the files it depends on are as they were when it last succeeded. */
function whenChanged(name, inputs, output, work) {
  const stamp = join(STAMPS, name);
  const digest = digestOf(inputs);
  const current = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  if (current === digest && (output === undefined || existsSync(join(root, output)))) return;
  if (work() === false) return;
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(stamp, digest);
}

function installPackages() {
  whenChanged("packages", ["package-lock.json"], "node_modules/.package-lock.json", () => {
    say("Installing the packages of package-lock.json …");
    // npm's own path differs between systems; npm tells it to what it runs.
    const npm = process.env.npm_execpath;
    const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    if (npm) mustRun("Installing packages", process.execPath, [npm, ...args]);
    else mustRun("Installing packages", process.platform === "win32" ? "npm.cmd" : "npm", args);
  });
}

/** The pinned Node of the packages where the platform has one, else the running one if it is new enough. */
function pinnedNode() {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const path = join(root, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(path)) return path;
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  say(
    `Caustic needs Node 24 and found ${process.version}; the package ${name} that brings it is not installed. Install Node 24 from nodejs.org.`,
  );
  process.exit(2);
}

function installSystemPackages(list) {
  const missing = list.filter(([path]) => !existsSync(path)).map(([, name]) => name);
  if (missing.length === 0) return;
  const asRoot = process.getuid?.() === 0;
  if (asRoot && existsSync("/usr/bin/apt-get")) {
    say(`Installing system packages: ${missing.join(" ")} …`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const quiet = { env, stdio: ["ignore", "ignore", "inherit"] };
    run("apt-get", ["update", "-qq"], quiet);
    if (run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing], quiet) === 0) return;
  }
  say(
    `Some tests will be skipped by name. To run them too, install: ${missing.join(" ")} (on Debian: sudo apt-get install ${missing.join(" ")})`,
  );
}

/** Addons with what they need beside a compiler, what happens without them, and what to install for them on Debian. */
const ADDONS = [
  { folder: "main/kernel", without: "the plain fallback serves", install: "g++ make python3" },
  { folder: "simulators/kernel", without: "the plain fallback serves", install: "g++ make python3" },
  {
    folder: "drivers/instruments/genicam",
    library: "aravis-0.8",
    without: "cameras cannot be used",
    install: "g++ make python3 libaravis-dev libusb-1.0-0-dev",
  },
];

/** Why an addon cannot be built here; undefined when it can. */
function whyNotBuilt({ library }) {
  if (spawnSync("c++", ["--version"], { stdio: "ignore" }).status !== 0) return "No C++ compiler";
  if (library && spawnSync("pkg-config", ["--exists", library], { stdio: "ignore" }).status !== 0)
    return `No ${library} (by pkg-config)`;
  return undefined;
}

function buildNative(node, env) {
  for (const addon of ADDONS.filter(({ folder }) => existsSync(join(root, folder, "binding.gyp")))) {
    const { folder, without, install } = addon;
    const sources = [`${folder}/binding.gyp`, `${folder}/src`];
    whenChanged(`native-${folder.replaceAll("/", "-")}`, sources, `${folder}/build`, () => {
      const why = whyNotBuilt(addon);
      if (why) {
        say(`${why}: ${folder} is not built, ${without} (on Debian: sudo apt-get install ${install}).`);
        return false;
      }
      say(`Building ${folder} …`);
      const headers = join(root, "node_modules", `node-${process.platform}-${process.arch}`);
      const gypEnv = existsSync(join(headers, "include")) ? { ...env, npm_config_nodedir: headers } : env;
      const gyp = join(root, "node_modules", "node-gyp", "bin", "node-gyp.js");
      const result = spawnSync(node, [gyp, "rebuild", "--loglevel=error"], {
        cwd: join(root, folder),
        env: gypEnv,
        encoding: "utf8",
      });
      if (result.status !== 0) {
        rmSync(join(root, folder, "build"), { recursive: true, force: true });
        const reason = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim().split("\n").slice(-3).join(" | ");
        say(`${folder} could not be built, ${without}. ${reason}`);
        return false;
      }
      return true;
    });
  }
}

function buildPage(node, env) {
  if (!existsSync(join(root, "config/vite.config.ts"))) return;
  whenChanged("page", ["renderer", "main/contract", "config/vite.config.ts"], "out/page/index.html", () => {
    say("Building the page …");
    mustRun(
      "Building the page",
      node,
      ["node_modules/vite/bin/vite.js", "build", "--config", "config/vite.config.ts", "--logLevel", "warn"],
      { env },
    );
  });
}

const CHECKS = [
  ["format", ["node_modules/@biomejs/biome/bin/biome", "check", "."]],
  ["types of the pure layers", ["node_modules/typescript/bin/tsc", "-p", "config/tsconfig.pure.json"]],
  ["types of the Node layers", ["node_modules/typescript/bin/tsc", "-p", "config/tsconfig.node.json"]],
  ["types of the page", ["node_modules/typescript/bin/tsc", "-p", "config/tsconfig.page.json"]],
  ["types of the page's tests", ["node_modules/typescript/bin/tsc", "-p", "config/tsconfig.page-tests.json"]],
  ["types of the preload script", ["node_modules/typescript/bin/tsc", "-p", "config/tsconfig.preload.json"]],
  ["lint", ["node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "."]],
  [
    "import law",
    [
      "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs",
      "--config",
      "config/dependency-rules.cjs",
      "bin",
      "drivers",
      "electron",
      "main",
      "renderer",
      "simulators",
      "tasks",
      "tests",
      "scripts",
    ],
  ],
  ["dead code", ["node_modules/knip/bin/knip.js", "--treat-config-hints-as-errors"]],
];

function check(node, env) {
  const failed = [];
  for (const [name, args] of CHECKS) {
    const config = args[args.indexOf("-p") + 1];
    if (args.includes("-p") && !existsSync(join(root, config))) continue;
    const present = args.filter(
      (arg) => /^[a-z]+$/.test(arg) === false || existsSync(join(root, arg)) || arg.startsWith("-") || arg === "check",
    );
    say(`· ${name}`);
    if (run(node, present, { env }) !== 0) failed.push(name);
  }
  if (failed.length > 0) {
    say(`Failed: ${failed.join(", ")}.`);
    process.exit(1);
  }
}

/** Runs every test project, then says in one line what passed and which tests were skipped and why they say so. */
function test(node, env) {
  const report = join(root, "out", "test-report.json");
  rmSync(report, { force: true });
  const status = run(
    node,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...process.argv.slice(3),
    ],
    { env },
  );
  if (existsSync(report)) {
    const result = JSON.parse(readFileSync(report, "utf8"));
    const skipped = result.testResults.flatMap((file) =>
      file.assertionResults
        .filter((one) => one.status === "skipped" || one.status === "pending")
        .map((one) => one.fullName),
    );
    for (const name of skipped) say(`skipped: ${name}`);
    process.stdout.write(
      `${result.numPassedTests} passed, ${result.numFailedTests} failed, ${skipped.length} skipped\n`,
    );
    if (result.numTotalTests === 0) process.exit(1);
  }
  process.exit(status);
}

const verb = process.argv[2];
installPackages();
const node = pinnedNode();
const env = {
  ...process.env,
  PATH: [dirname(node), join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
};
if (verb === "test" || verb === "check") installSystemPackages(SYSTEM_PACKAGES.test);
buildNative(node, env);
buildPage(node, env);
if (verb === "check") check(node, env);
else if (verb === "test") {
  check(node, env);
  test(node, env);
} else if (verb === "start") {
  process.exit(run(node, ["bin/caustic.mjs", "open", ...process.argv.slice(3)], { env }));
} else {
  say(`launch.mjs knows start, test and check; got ${verb ?? "nothing"}.`);
  process.exit(2);
}
