import { averageDark } from "../../bench/average-dark.ts";
import { loadNativeReduction } from "../../kernel/native-kernel.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { reduceFrame } from "../window/reduce-frame.ts";
import { type FrameTasks, frameTasksHere } from "./frame-tasks.ts";
import { answerRequests } from "./worker-module.ts";

/** A task by its name, with its arguments less the cancellation. Frames come without what holds their memory. */
export interface FrameRequest {
  readonly task: keyof FrameTasks;
  readonly given: readonly unknown[];
}

/** A dark stays in shared memory, so that every analysis with it gets a view. */
const shared = (pixels: number): Float32Array =>
  new Float32Array(new SharedArrayBuffer(pixels * Float32Array.BYTES_PER_ELEMENT));

const { kernel } = chooseKernel();
const reduction = loadNativeReduction();
const tasks: FrameTasks = {
  ...frameTasksHere(kernel),
  averageDark: (frames) => averageDark(frames, kernel, shared),
  // Comes with the memory for its samples.
  reduce: (frame, detail, memory: unknown) => reduceFrame(frame, detail, reduction, memory as Uint16Array),
};

answerRequests<FrameRequest, unknown>(
  ({ task, given }) => (tasks[task] as (...given: readonly unknown[]) => unknown)(...given),
  (value) => {
    if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer];
    if (typeof value === "object" && value !== null && "png" in value && value.png instanceof Uint8Array) {
      return [value.png.buffer as ArrayBuffer];
    }
    return [];
  },
);
