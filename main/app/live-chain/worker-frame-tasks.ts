import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import { BenchError } from "../../contract/error-codes.ts";
import { reducedLength } from "../window/reduce-frame.ts";
import { BufferPool } from "./buffer-pool.ts";
import type { FrameTasks } from "./frame-tasks.ts";
import type { FrameRequest } from "./frame-worker.ts";
import { WorkerEnded, type WorkerLine } from "./worker-line.ts";

/** What a task is about, for whoever is told that it failed. */
const WORDS: Readonly<Record<keyof FrameTasks, string>> = {
  analyze: "the widths were computed",
  averageDark: "the darks were averaged",
  hash: "the frames were hashed",
  picture: "the picture was drawn",
  read: "the frame was looked at",
  brightest: "the brightest pixels were looked for",
  reduce: "the frame was reduced",
  tiff: "the frame was written",
};

/**
 * The tasks in a worker, which sees the very memory of the frames where that is shared; of other frames it gets a copy. A task holds its
 * frames until the worker is done with them.
 */
export function workerFrameTasks(line: WorkerLine<FrameRequest, unknown>): FrameTasks {
  const reduced = new BufferPool();
  const ask = async (
    task: keyof FrameTasks,
    frames: readonly Frame[],
    given: readonly unknown[],
    cancellation: Cancellation | undefined,
    done: () => void = () => undefined,
  ): Promise<unknown> => {
    for (const { memory } of frames) memory?.hold();
    try {
      return await line.do({ task, given }, cancellation, () => {
        for (const { memory } of frames) memory?.release();
        done();
      });
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      throw new BenchError(
        "internal",
        `${error.message} while ${WORDS[task]}`,
        "Call again: a new worker takes over. What was measured before is kept.",
      );
    }
  };
  const one = <Task extends "picture" | "read" | "brightest" | "reduce" | "tiff">(
    task: Task,
    frame: Frame,
    more: readonly unknown[],
    cancellation: Cancellation | undefined,
    done?: () => void,
  ) => ask(task, [frame], [bare(frame), ...more], cancellation, done) as Promise<Awaited<ReturnType<FrameTasks[Task]>>>;
  const all = <Task extends "analyze" | "averageDark" | "hash">(
    task: Task,
    frames: readonly Frame[],
    more: readonly unknown[],
    cancellation: Cancellation | undefined,
  ) => ask(task, frames, [frames.map(bare), ...more], cancellation) as Promise<Awaited<ReturnType<FrameTasks[Task]>>>;
  return {
    analyze: (frames, terms, cancellation) => all("analyze", frames, [terms], cancellation),
    averageDark: (frames, cancellation) => all("averageDark", frames, [], cancellation),
    hash: (frames, cancellation) => all("hash", frames, [], cancellation),
    picture: (frame, options, cancellation) => one("picture", frame, [options], cancellation),
    read: (frame, pixelPitch_um, cancellation) => one("read", frame, [pixelPitch_um], cancellation),
    brightest: (frame, cancellation) => one("brightest", frame, [], cancellation),
    async reduce(frame, detail, cancellation) {
      const { samples, memory } = reduced.take(reducedLength(frame, detail));
      // Also when nobody waits any more the worker writes there until it is done.
      memory.hold();
      const done = (): void => {
        memory.release();
      };
      try {
        const facts = await one("reduce", frame, [detail, samples], cancellation, done);
        return { ...facts, samples, memory };
      } catch (error) {
        memory.release();
        throw error;
      }
    },
    tiff: (frame, pixelPitch_um, provenance, cancellation) =>
      one("tiff", frame, [pixelPitch_um, provenance], cancellation),
  };
}

/** A frame as it can be sent. */
function bare({ memory: _memory, ...frame }: Frame): Frame {
  return frame;
}
