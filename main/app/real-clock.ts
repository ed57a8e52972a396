import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";

/** The longest that a timer of Node takes; it ends a longer one at once. */
const LONGEST_ms = 2 ** 31 - 1;

/** The time on the wall, in milliseconds since the process began. */
export class RealClock implements Clock {
  now_ms(): number {
    return performance.now();
  }

  wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    if (cancellation?.aborted === true) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        cancellation?.removeEventListener("abort", finish);
        resolve();
      };
      const end_ms = this.now_ms() + duration_ms;
      const again = (): void => {
        const rest_ms = end_ms - this.now_ms();
        if (rest_ms <= LONGEST_ms) timer = setTimeout(finish, Math.max(0, rest_ms));
        else timer = setTimeout(again, LONGEST_ms);
      };
      let timer: NodeJS.Timeout | undefined;
      again();
      cancellation?.addEventListener("abort", finish, { once: true });
    });
  }
}
