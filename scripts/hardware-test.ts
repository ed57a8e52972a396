/** `CAUSTIC_HARDWARE=bench.yaml npm run test:hardware`: the contracts on real instruments, after a question. */
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { readBenchFile } from "../main/app/bench-file/read-bench-file.ts";
import { UsageError } from "../main/app/usage-error.ts";

const path = process.env["CAUSTIC_HARDWARE"];

function fail(message: string): never {
  process.stderr.write(`test:hardware: ${message}\n`);
  process.exit(2);
}

/** True when the person says yes; false at any other answer, and where nobody is there. */
async function allowed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  terminal.once("close", () => gone.abort());
  try {
    return (await terminal.question(question, { signal: gone.signal })).trim().toLowerCase() === "yes";
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}

if (path === undefined) fail("CAUSTIC_HARDWARE names no bench file; expected CAUSTIC_HARDWARE=bench.yaml");
try {
  const { bench, instruments } = readBenchFile(path);
  const { stage, camera } = instruments;
  process.stderr.write(
    `The bench ${bench}: stage ${stage.driver}${stage.driver === "simulated" ? "" : ` at ${stage.address}`}, camera ${camera.driver}.\n` +
      "The stage will search its reference and travel over its whole range. Look that nothing is in its way.\n",
  );
} catch (error) {
  if (error instanceof UsageError) fail(error.message);
  throw error;
}
const mayMove = await allowed('May it move? Type "yes", or anything else to leave out what moves: ');
process.stderr.write(mayMove ? "It moves now.\n" : "Nothing moves.\n");
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "contract", "tests/contract/hardware.test.ts"],
  { stdio: "inherit", env: { ...process.env, CAUSTIC_HARDWARE_MOVES: mayMove ? "yes" : "no" } },
);
process.exitCode = status ?? 1;
