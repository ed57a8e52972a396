// Puts the built addons where node-gyp-build finds them on machines of this kind that have no compiler:
// `node scripts/prebuild-kernel.ts` after `npm start` has built them. Node-API keeps one binary good for every Node.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BUILT = ["main/kernel/build/Release/moment_kernel.node", "simulators/kernel/build/Release/sensor_readout.node"];

for (const path of BUILT) {
  const built = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (existsSync(built)) {
    const target = join(built, "../../../prebuilds", `${process.platform}-${process.arch}`);
    mkdirSync(target, { recursive: true });
    copyFileSync(built, join(target, "caustic.node"));
    process.stdout.write(`${join(target, "caustic.node")}\n`);
  } else {
    process.stderr.write(`no ${built}; expected it built, as npm start does where there is a C++ compiler\n`);
    process.exitCode = 2;
  }
}
