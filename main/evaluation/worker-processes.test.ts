import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { WorkerProcesses } from "./worker-processes.ts";

const folder = mkdtempSync(join(tmpdir(), "caustic-workers-"));
const module = join(folder, "worker.mjs");
const pids = join(folder, "pids");
mkdirSync(pids);
const known = new Set<string>();
writeFileSync(
  module,
  `import { writeFileSync } from "node:fs";
   process.on("message", (message) => process.send({ message, pid: process.pid }));
   writeFileSync(${JSON.stringify(pids)} + "/" + process.pid, "");`,
);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("workers that were begun are taken before new ones, and answer what was sent before they were loaded", async () => {
  const workers = new WorkerProcesses(module);
  workers.begin(2);
  const taken = [workers.take(), workers.take(), workers.take()];
  try {
    expect(new Set(taken.map(({ pid }) => pid)).size).toBe(3);
    for (const worker of taken) {
      const answer = once(worker, "message");
      worker.send("work");
      expect(await answer).toMatchObject([{ message: "work", pid: worker.pid }, undefined]);
    }
  } finally {
    for (const worker of taken) {
      worker.kill("SIGKILL");
      known.add(String(worker.pid));
    }
  }
});

test("one that died before it was taken is passed over, and those that nobody took are ended", async () => {
  const workers = new WorkerProcesses(module);
  workers.begin(1);
  const lost = await loaded();
  process.kill(lost, "SIGKILL");
  await expect.poll(() => isRunning(lost), { timeout: 20_000 }).toBe(false);
  const next = workers.take();
  expect(next.pid).not.toBe(lost);
  expect(next.connected).toBe(true);
  known.add(String(next.pid));
  next.kill("SIGKILL");
  workers.begin(1);
  const untaken = await loaded();
  workers.close();
  await expect.poll(() => isRunning(untaken), { timeout: 20_000 }).toBe(false);
});

/** Number of a worker that has been loaded, apart from those known before. */
async function loaded(): Promise<number> {
  const found = (): string[] => readdirSync(pids).filter((name) => !known.has(name));
  await expect.poll(() => found().length, { timeout: 20_000 }).toBeGreaterThan(0);
  const [pid = ""] = found();
  known.add(pid);
  return Number(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
