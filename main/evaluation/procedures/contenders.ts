import type { ProcedureTask } from "../../contract/procedure-task.ts";
import { mutated } from "./edit-program.ts";

/** What a contender wrote, and what it took. */
export interface WrittenProgram {
  readonly program: string;
  readonly turns?: number;
  readonly tokens?: number;
  readonly usd?: number;
  /** The conversation, for the transcript. */
  readonly transcript?: string;
  /** Why there is no program, where there is none. */
  readonly note?: string;
}

/** Somebody who writes the program that a task asks for. */
export interface Programmer {
  readonly name: string;
  /** How many tasks it works at at once; without one, as many as there are. */
  readonly parallel?: number;
  /** Its programs cost money. */
  readonly costs?: boolean;
  /**
   * `tryOut` runs a draft on a bench of its own and tells the error that it ended with, if any; it says nothing of what is
   * judged. Throws where the infrastructure broke, or when it was called off.
   */
  write(
    task: ProcedureTask,
    tryOut: (program: string) => Promise<string | undefined>,
    signal?: AbortSignal,
  ): Promise<WrittenProgram>;
}

/** Contenders that need nobody: the task's own program, no program, and the task's program with all its numbers changed. */
export const CONTROLS: readonly Programmer[] = [
  { name: "gold", write: async ({ gold }) => ({ program: gold }) },
  { name: "null", write: async () => ({ program: "" }) },
  { name: "mutated", write: async ({ gold }) => ({ program: mutated(gold) }) },
];
