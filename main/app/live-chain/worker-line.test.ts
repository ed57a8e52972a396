import { afterEach, expect, test } from "vitest";
import { WorkerEnded, WorkerLine } from "./worker-line.ts";

/** Answers with twice a number; "throw", "exit" and "wait" (until the second word of its data is set) do as they say. */
const MODULE = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from "node:worker_threads";
    parentPort.on("message", (request) => {
      if (request === "exit") process.exit(3);
      if (request === "fault") throw new Error("out of paper");
      Atomics.add(workerData, 0, 1);
      if (request === "wait") Atomics.wait(workerData, 1, 0);
      parentPort.postMessage(request === "throw" ? { error: new RangeError("not that") } : { value: 2 * request });
    });
  `)}`,
);

const words = new Int32Array(new SharedArrayBuffer(8));
const lines: WorkerLine<number | string, number>[] = [];
const line = (): WorkerLine<number | string, number> => {
  words.fill(0);
  const made = new WorkerLine<number | string, number>({
    name: "the worker of this test",
    module: MODULE,
    data: words,
  });
  lines.push(made);
  return made;
};
const letGo = (): void => {
  Atomics.store(words, 1, 1);
  Atomics.notify(words, 1);
};
const begun = async (requests: number): Promise<void> => {
  while (Atomics.load(words, 0) < requests) await new Promise((resolve) => setTimeout(resolve, 1));
};

afterEach(async () => {
  letGo();
  for (const made of lines.splice(0)) await made.close();
});

test("requests are answered one by one, and what the worker throws reaches whoever asked", async () => {
  const made = line();
  const answers = [made.do(1), made.do("throw"), made.do(3)];
  expect(await answers[0]).toBe(2);
  await expect(answers[1]).rejects.toThrow(RangeError);
  expect(await answers[2]).toBe(6);
  expect(made.started).toBe(1);
});

test("cancelling rejects at once; what the worker is at is let go when it is done, what waits never begins", async () => {
  const made = line();
  const done: string[] = [];
  const [first, second] = [new AbortController(), new AbortController()];
  const running = made.do("wait", first.signal, () => done.push("running"));
  const waiting = made.do(5, second.signal, () => done.push("waiting"));
  const after = made.do(7);
  await begun(1);
  second.abort(new Error("not now"));
  await expect(waiting).rejects.toThrow("not now");
  first.abort(new Error("stop"));
  await expect(running).rejects.toThrow("stop");
  expect(done).toEqual(["waiting"]);
  letGo();
  expect(await after).toBe(14);
  expect(done).toEqual(["waiting", "running"]);
  expect(Atomics.load(words, 0)).toBe(2);
  await expect(made.do(1, second.signal)).rejects.toThrow("not now");
});

test("a worker that ends fails what it was at, by name; the rest goes to a new one", async () => {
  const made = line();
  let freed = 0;
  const lost = made.do("exit", undefined, () => (freed += 1));
  const broken = made.do("fault", undefined, () => (freed += 1));
  const after = made.do(4);
  await expect(lost).rejects.toThrow(new WorkerEnded("the worker of this test ended (exit status 3)"));
  await expect(broken).rejects.toThrow(new WorkerEnded("the worker of this test ended (out of paper)"));
  expect(await after).toBe(8);
  expect(freed).toBe(2);
  expect(made.started).toBe(3);
});

test("closing fails what is under way and what comes after", async () => {
  const made = line();
  let freed = 0;
  const under = [made.do("wait", undefined, () => (freed += 1)), made.do(2, undefined, () => (freed += 1))];
  const ends = Promise.allSettled(under);
  await begun(1);
  const closed = made.close();
  letGo();
  await closed;
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(made.do(1, undefined, () => (freed += 1))).rejects.toThrow("has been closed");
  expect(freed).toBe(3);
});
