import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";

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
      const timer = setTimeout(finish, Math.max(0, duration_ms));
      cancellation?.addEventListener("abort", finish, { once: true });
    });
  }
}
