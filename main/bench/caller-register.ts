import type { Caller } from "../contract/bench-verbs.ts";
import type { LoggedCaller } from "../contract/events.ts";

/** Numbers the callers of a run in the order in which they first speak, since their ids stay out of the log. */
export class CallerRegister {
  readonly #numbers = new Map<string, number>();
  readonly #callers = new Map<string, Caller>();

  logged(caller: Caller): LoggedCaller {
    let number = this.#numbers.get(caller.id);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(caller.id, number);
      this.#callers.set(caller.id, caller);
    }
    return { number, kind: caller.kind, name: caller.name };
  }

  /** The caller of that id, if it ever spoke. */
  known(callerId: string): Caller | undefined {
    return this.#callers.get(callerId);
  }
}
