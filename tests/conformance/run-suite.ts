import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** One check of the official conformance suite. */
export interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

export interface SuiteRun {
  readonly exitStatus: number;
  readonly output: string;
  readonly checks: readonly Check[];
}

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

/** Runs the official suite against a server and reads what it wrote down. */
export async function runSuite(url: string, args: readonly string[]): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), "caustic-conformance-"));
  try {
    const child = spawn(process.execPath, [SUITE, "server", "--url", url, "-o", folder, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const exitStatus = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
    const checks = readdirSync(folder).flatMap((name) => {
      const found = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Omit<Check, "scenario">[];
      return found.map((check) => ({ ...check, scenario: name.replace(/^server-/, "").replace(/-\d{4}-.*$/, "") }));
    });
    return { exitStatus, output, checks };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
