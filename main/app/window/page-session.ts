import type { BenchErrorShape } from "../../contract/error-codes.ts";
import type { HostMessage } from "../../contract/window-messages.ts";

/** An answer that the page has not confirmed. */
type Answer = Extract<HostMessage, { type: "result" | "error" }>;

/** Answers that are kept for a page that does not fetch them. */
const MOST_ANSWERS = 1000;

/**
 * The calls of one page, which outlive its connection: each runs once however often its number is sent, and its answer is kept
 * until the page says that it has it.
 */
export class PageSession {
  readonly #running = new Map<number, AbortController>();
  readonly #answers = new Map<number, Answer>();
  #confirmedBelow = 0;
  readonly #confirmed = new Set<number>();
  #send: ((message: HostMessage) => void) | undefined;

  /** Answers go there from now on; those not confirmed go once more. */
  attach(send: (message: HostMessage) => void): void {
    this.#send = send;
    for (const answer of this.#answers.values()) send(answer);
  }

  detach(): void {
    this.#send = undefined;
  }

  /** Runs the call unless its number is known already. `work` resolves to the output or throws. */
  call(
    id: number,
    work: (cancellation: AbortSignal) => Promise<unknown>,
    refusal: (error: unknown) => BenchErrorShape,
  ): void {
    if (id < this.#confirmedBelow || this.#confirmed.has(id) || this.#running.has(id)) return;
    const known = this.#answers.get(id);
    if (known !== undefined) {
      this.#send?.(known);
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    void work(controller.signal)
      .then(
        (output): Answer => ({ type: "result", id, output: output ?? {} }),
        (error: unknown): Answer => ({ type: "error", id, error: refusal(error) }),
      )
      .then((answer) => {
        this.#running.delete(id);
        this.#answers.set(id, answer);
        const oldest = this.#answers.keys().next().value;
        if (this.#answers.size > MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
        this.#send?.(answer);
      });
  }

  progress(id: number, fraction: number, message: string): void {
    this.#send?.({ type: "progress", id, fraction, message });
  }

  cancel(id: number): void {
    this.#running.get(id)?.abort(new Error("cancelled in the window"));
  }

  confirm(id: number): void {
    this.#answers.delete(id);
    this.#confirmed.add(id);
    while (this.#confirmed.delete(this.#confirmedBelow)) this.#confirmedBelow++;
  }

  /** The page is gone for good. */
  close(): void {
    this.detach();
    for (const controller of this.#running.values()) controller.abort(new Error("the window is gone"));
    this.#answers.clear();
  }
}
