import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { type OrderEnd, ProgramWorkers } from "../../main/evaluation/procedures/program-workers.ts";

const MODULE = fileURLToPath(new URL("../support/procedures/misbehaving-worker.ts", import.meta.url));
const open: ProgramWorkers[] = [];

function workers(limit_ms: number, jobs = 1): ProgramWorkers {
  const made = new ProgramWorkers({ module: MODULE, jobs, limit_ms });
  open.push(made);
  return made;
}

afterEach(async () => {
  for (const made of open.splice(0)) await made.close();
});

const order = (program: string) => ({
  engine: "simulator",
  run: { world: { scenario: "clean", seed: 1 }, program, assertions: [] },
});
const pidOf = (end: OrderEnd): number => (end.type === "done" ? end.judged.calls : Number.NaN);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that nobody has waited for yet is dead all the same.
    const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] : "";
    return !state?.startsWith("Z");
  } catch {
    return false;
  }
}

test("a program that never ends is killed with everything that it started; the next one gets a new worker", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "caustic-workers-")), "pids");
  const pool = workers(4000);
  const hanging = pool.do(order(`hang ${file}`));
  const next = pool.do(order("answer"));
  expect(await hanging).toMatchObject({ type: "timed_out", message: expect.stringContaining("4 s") as string });
  const [worker = 0, child = 0] = readFileSync(file, "utf8").split(" ").map(Number);
  expect(child).toBeGreaterThan(0);
  await expect.poll(() => [worker, child].map(isAlive)).toEqual([false, false]);
  const answered = pidOf(await next);
  expect(answered).toBeGreaterThan(0);
  expect(answered).not.toBe(worker);
});

test("a worker that dies costs its own program and no other", async () => {
  const pool = workers(60_000);
  const [before, dying, after] = await Promise.all([
    pool.do(order("answer")),
    pool.do(order("exit 7")),
    pool.do(order("answer")),
  ]);
  expect(dying).toEqual({ type: "crashed", message: "the worker process ended with status 7" });
  expect(pidOf(after)).toBeGreaterThan(0);
  expect(pidOf(after)).not.toBe(pidOf(before));
});

test("closing ends what runs and what waits, and resolves when nothing is left", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "caustic-workers-")), "pids");
  const pool = workers(60_000);
  const ends = Promise.all([pool.do(order(`hang ${file}`)), pool.do(order("answer"))]);
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+ \d+$/);
  await pool.close();
  expect((await ends).map(({ type }) => type)).toEqual(["called_off", "called_off"]);
  const pids = readFileSync(file, "utf8").split(" ").map(Number);
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  expect(await pool.do(order("answer"))).toEqual({ type: "called_off" });
});
