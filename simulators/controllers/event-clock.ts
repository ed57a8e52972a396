import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";

interface Timer {
  readonly due_ms: number;
  readonly order: number;
  readonly resolve: () => void;
}

/**
 * Simulated time for programs that talk to emulated controllers in memory: when everything waits, it jumps to the
 * instant at which the first wait ends. Waits that end at the same instant end in the order in which they began, so a
 * run depends on nothing but its inputs.
 */
export class EventClock implements Clock {
  readonly #defer: (callback: () => void) => void;
  /** A binary heap by (due_ms, order). */
  readonly #timers: Timer[] = [];
  readonly #cancelled = new Set<Timer>();
  #now_ms = 0;
  #order = 0;
  #scheduled = false;

  /**
   * @param defer calls back when no promise is left to settle; `setImmediate` in Node. The pure layers have no such
   * function of their own.
   */
  constructor(defer: (callback: () => void) => void) {
    this.#defer = defer;
  }

  now_ms(): number {
    return this.#now_ms;
  }

  async wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    if (cancellation?.aborted === true) {
      return;
    }
    await new Promise<void>((resolve) => {
      const cancel = (): void => {
        this.#cancelled.add(timer);
        resolve();
      };
      const timer: Timer = {
        due_ms: this.#now_ms + Math.max(0, duration_ms),
        order: this.#order,
        resolve: () => {
          cancellation?.removeEventListener("abort", cancel);
          resolve();
        },
      };
      this.#order += 1;
      cancellation?.addEventListener("abort", cancel, { once: true });
      this.#push(timer);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (!this.#scheduled && this.#timers.length > 0) {
      this.#scheduled = true;
      this.#defer(() => {
        this.#scheduled = false;
        this.#step();
        this.#schedule();
      });
    }
  }

  #step(): void {
    for (let timer = this.#pop(); timer !== undefined; timer = this.#pop()) {
      // A wait that was cancelled must not move time.
      if (!this.#cancelled.delete(timer)) {
        this.#now_ms = Math.max(this.#now_ms, timer.due_ms);
        timer.resolve();
        return;
      }
    }
  }

  #push(timer: Timer): void {
    const heap = this.#timers;
    heap.push(timer);
    let index = heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(timer, heap[parent] as Timer)) {
        break;
      }
      heap[index] = heap[parent] as Timer;
      index = parent;
    }
    heap[index] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#timers;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) {
      return first;
    }
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) {
        break;
      }
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) {
        child += 1;
      }
      if (!isBefore(heap[child] as Timer, last)) {
        break;
      }
      heap[index] = heap[child] as Timer;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(left: Timer, right: Timer): boolean {
  return left.due_ms < right.due_ms || (left.due_ms === right.due_ms && left.order < right.order);
}
