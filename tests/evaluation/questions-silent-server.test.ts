import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { readQuestions } from "../../main/evaluation/questions/read-questions.ts";
import { agentsNamed, runSuite, scratch } from "./question-run.ts";

const folder = scratch();
afterAll(() => folder.remove());

const suite = readQuestions(join(import.meta.dirname, "../support/foreign-questions.yaml"));
const selected = suite.questions.slice(0, 1);

/** A server that takes everything in, answers nothing, and does not end when asked; says its process id in a file. */
function silentServer(name: string): { command: string[]; pid: () => number } {
  const [program, said] = [join(folder.path, `${name}.mjs`), join(folder.path, `${name}.pid`)];
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
process.stdin.resume();
writeFileSync(${JSON.stringify(said)}, String(process.pid));`,
  );
  return { command: [process.execPath, program], pid: () => Number(readFileSync(said, "utf8")) };
}

/** Whether the server has begun and not ended. */
const lives = (pid: () => number): boolean => {
  try {
    return process.kill(pid(), 0);
  } catch {
    return false;
  }
};

it("a server that never answers fails the question within its time, and is ended by force", async () => {
  const { command, pid } = silentServer("in-time");
  const { rows } = await runSuite(suite, agentsNamed("silent"), join(folder.path, "in-time"), {
    selected,
    server: { command, env: {} },
    sharedServer: false,
    timeLimit_s: 3,
  });
  expect(rows).toMatchObject([{ status: "failed", note: "the server did not answer initialize within 3 s" }]);
  await vi.waitFor(() => expect(lives(pid)).toBe(false), { timeout: 20_000 });
});

it("a server that never answers does not outlive a stop", async () => {
  const { command, pid } = silentServer("stopped");
  const stop = new AbortController();
  const run = runSuite(suite, agentsNamed("silent"), join(folder.path, "stopped"), {
    selected,
    server: { command, env: {} },
    sharedServer: false,
    timeLimit_s: 3600,
    signal: stop.signal,
  });
  await vi.waitFor(() => expect(lives(pid)).toBe(true), { timeout: 20_000 });
  stop.abort();
  const { rows } = await run;
  expect(rows).toMatchObject([{ status: "not_run" }]);
  await vi.waitFor(() => expect(lives(pid)).toBe(false), { timeout: 20_000 });
});
