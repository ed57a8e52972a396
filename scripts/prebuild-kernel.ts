// Puts the built kernel where node-gyp-build finds it on machines of this kind that have no compiler:
// `node scripts/prebuild-kernel.ts` after `npm start` has built it. Node-API keeps one binary good for every Node.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../main/kernel", import.meta.url));
const built = join(folder, "build/Release/moment_kernel.node");
if (existsSync(built)) {
  const target = join(folder, "prebuilds", `${process.platform}-${process.arch}`);
  mkdirSync(target, { recursive: true });
  copyFileSync(built, join(target, "caustic.node"));
  process.stdout.write(`${join(target, "caustic.node")}\n`);
} else {
  process.stderr.write(`no ${built}; expected the kernel built, as npm start does where there is a C++ compiler\n`);
  process.exitCode = 2;
}
