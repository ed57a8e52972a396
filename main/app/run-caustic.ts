import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The command as a user starts it. */
export const CAUSTIC = fileURLToPath(new URL("../../bin/caustic.mjs", import.meta.url));

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** For tests: runs `caustic` in its own process and waits for its end. */
export function runCaustic(args: readonly string[], node = process.execPath): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [CAUSTIC, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
