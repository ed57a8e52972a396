import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Entry } from "./entry.ts";
import { timingOf } from "./timing.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PLAN = join(ROOT, "tasks/plans/beam-quality.yaml");

/** The groups A, B and C of the plan by the contenders that only compute, each run in a process tree of its own. */
export async function evaluationTimes(rounds: number): Promise<Entry[]> {
  const wall_ms: number[] = [];
  const processor_ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const out = mkdtempSync(join(tmpdir(), "caustic-evaluation-"));
    try {
      const began_ms = performance.now();
      processor_ms.push(await evaluate(join(out, "evaluation")));
      wall_ms.push(performance.now() - began_ms);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
  const name = "groups A to C by scripted, naive, constant";
  return [
    { name, timing: timingOf(wall_ms) },
    { name: `${name}, processor time`, timing: timingOf(processor_ms) },
  ];
}

/** Runs the evaluation and resolves to the processor time of all its processes: a shell knows that of its children. */
function evaluate(out: string): Promise<number> {
  const command = [
    ...[process.execPath, join(ROOT, "bin/caustic.mjs"), "eval", PLAN],
    ...["--group", "A,B,C", "--by", "scripted,naive,constant", "--exploratory", "--out", out],
  ];
  const shell = spawn("sh", ["-c", '"$@" >/dev/null 2>&1; times', "sh", ...command], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  shell.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return new Promise((resolve, reject) => {
    shell.on("error", reject);
    shell.on("close", () => {
      const times = childTimes_ms(text);
      if (times === undefined) reject(new Error(`the shell's times read ${JSON.stringify(text)}`));
      else resolve(times);
    });
  });
}

/** User and system time of the children in what `times` prints ("0m0.01s 0m0.00s" of the shell, then of its children), together. */
function childTimes_ms(text: string): number | undefined {
  const children = text.trim().split("\n")[1];
  const parts = [...(children ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) return undefined;
  return parts.reduce((sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds), 0);
}
