/*
 * Kills an evaluation at random moments, starts it again each time, and compares its report and every journal byte by byte with those
 * of an undisturbed one. Usage: node scripts/kill-evaluation.ts [kills] [seed]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

export interface KillTrial {
  readonly kills: number;
  /** Kills that hit the evaluation while it ran; the others came after its end, which then was undone in part. */
  readonly hits: number;
  /** Files that differ from those of the undisturbed evaluation. */
  readonly different: readonly string[];
  readonly files: number;
}

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** What is run of the plan. */
  readonly cases: readonly string[];
  readonly by: readonly string[];
  readonly say?: (line: string) => void;
}

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const CAUSTIC = join(PROJECT, "bin", "caustic.mjs");
const PLAN = join(PROJECT, "tasks", "plans", "beam-quality.yaml");

/** Runs the trial in a temporary folder. */
export async function killEvaluation({
  kills,
  seed,
  cases,
  by,
  say = () => undefined,
}: KillOptions): Promise<KillTrial> {
  const root = mkdtempSync(join(tmpdir(), "caustic-kill-"));
  const start = (out: string): ChildProcess =>
    // A group of its own, so that a kill takes the workers along or spares them, as chance will have it.
    spawn(
      process.execPath,
      [CAUSTIC, "eval", PLAN, "--case", cases.join(), "--by", by.join(), "--jobs", "2", "--exploratory", "--out", out],
      { stdio: "ignore", detached: true },
    );
  const finish = async (out: string): Promise<void> => {
    const child = start(out);
    const [status] = (await once(child, "exit")) as [number | null];
    if (status !== 0) throw new Error(`the evaluation in ${out} ended with status ${status ?? "none"}`);
  };
  try {
    const calm = join(root, "calm");
    const began = performance.now();
    await finish(calm);
    const whole_ms = performance.now() - began;
    const expected = hashes(calm);
    say(`undisturbed: ${Object.keys(expected).length} files in ${(whole_ms / 1000).toFixed(1)} s`);

    const generator = xoroshiro128plus(seed);
    const chance = (least: number, most: number): number => uniformInt(generator, least, most);
    const stormy = join(root, "stormy");
    let hits = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const after_ms = chance(0, Math.round(whole_ms));
      const withWorkers = chance(0, 1) === 1;
      const child = start(stormy);
      const ended = once(child, "exit");
      const first = await Promise.race([ended.then(() => "ended" as const), setTimeout(after_ms, "killed" as const)]);
      if (first === "ended") {
        // Too late: what is finished loses some of its runs, so that there is work to interrupt again.
        const lost = loseRuns(stormy, (count) => chance(0, count));
        say(`kill ${kill} came after the end; ${lost} runs taken away`);
        continue;
      }
      hits += 1;
      process.kill(withWorkers ? -(child.pid ?? 0) : (child.pid ?? 0), "SIGKILL");
      await ended;
      say(
        `kill ${kill} after ${(after_ms / 1000).toFixed(2)} s${withWorkers ? ", workers too" : ""}: ${runsIn(stormy).length} runs finished`,
      );
    }
    await finish(stormy);
    const found = hashes(stormy);
    const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
    return {
      kills,
      hits,
      different: names.filter((name) => expected[name] !== found[name]),
      files: Object.keys(expected).length,
    };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

const runsIn = (out: string): string[] => (existsSync(join(out, "runs")) ? readdirSync(join(out, "runs")).sort() : []);

function loseRuns(out: string, chance: (count: number) => number): number {
  const runs = runsIn(out);
  const lost = runs.slice(chance(runs.length - 1));
  for (const unit of lost) rmSync(join(out, "runs", unit), { recursive: true });
  return lost.length;
}

/** SHA-256 of the report's files and of every journal. */
function hashes(out: string): Record<string, string> {
  const files = [
    "results.json",
    "results.md",
    "report.html",
    ...runsIn(out).flatMap((unit) => [join("runs", unit, "events.jsonl"), join("runs", unit, "outcome.json")]),
  ];
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex"),
    ]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kills = Number(process.argv[2] ?? 50);
  const seed = Number(process.argv[3] ?? 1);
  const trial = await killEvaluation({
    kills,
    seed,
    cases: ["A1", "A5", "A11", "B1", "C1"],
    by: ["scripted", "naive", "constant"],
    say: (line) => console.log(line),
  });
  console.log(
    `${trial.kills} kills, ${trial.hits} of them while it ran; ${trial.different.length} of ${trial.files} files differ${trial.different.length === 0 ? "" : `: ${trial.different.join(", ")}`}`,
  );
  if (trial.different.length > 0) process.exitCode = 1;
}
