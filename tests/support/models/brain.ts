/** What reached a stand-in with one request, in no provider's own form. */
export interface Heard {
  /** Of the whole life of the stand-in, from 1. */
  readonly request: number;
  readonly system: string;
  readonly tools: readonly string[];
  /** The first message of the operator. */
  readonly task: string;
  /** Answers of tools since the last answer of the model. */
  readonly results: readonly HeardResult[];
  /** Pictures in the whole conversation, oldest first. */
  readonly pictures: readonly Uint8Array[];
  /** Words of the operator since the last answer of the model. */
  readonly words: string;
}

export interface HeardResult {
  readonly id: string;
  readonly text: string;
}

/** What the stand-in answers. */
export interface Said {
  readonly text?: string;
  /** Arguments as an object, or as the text that goes over the wire. */
  readonly calls?: readonly { readonly name: string; readonly arguments: object | string }[];
  /** Ends the answer in this way; default by what it holds. */
  readonly end?: "cut_off" | "refused" | "context_full";
  /** An HTTP error in place of an answer. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body in place of the usual one. */
  readonly body?: unknown;
  /** No answer at all. */
  readonly hang?: true;
  /** The answer does not say what it cost. */
  readonly unmetered?: true;
}

/** Stands in for the model itself. */
export type Brain = (heard: Heard) => Said;

/** A brain that says one thing after the other, and the last one for ever. */
export function sayingInTurn(...said: readonly Said[]): Brain {
  let turn = 0;
  return () => {
    const now = said[Math.min(turn, said.length - 1)] ?? {};
    turn += 1;
    return now;
  };
}

/** A brain written as a generator: what it yields is said, and it is resumed with what is heard next. */
export function thinkingInSteps(steps: () => Generator<Said, Said, Heard>): Brain {
  let running: Generator<Said, Said, Heard> | undefined;
  let end: Said | undefined;
  return (heard) => {
    if (end !== undefined) return end;
    // What is heard first resumes nothing: a generator begins without input.
    const step = running === undefined ? (running = steps()).next() : running.next(heard);
    if (step.done === true) end = step.value;
    return step.value;
  };
}
