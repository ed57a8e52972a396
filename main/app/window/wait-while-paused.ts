import type { BenchSession } from "../../bench/bench-session.ts";
import { type BenchClient, ToolRefusal } from "../../contenders/bench-client.ts";

type PausedSession = Pick<BenchSession, "snapshot" | "subscribe">;

/**
 * Resolves once a paused run goes on, is over, or is driven by the operator. Rejects with the signal's reason.
 * Resolves at once where the run is not paused.
 */
export function pauseOver(session: PausedSession, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = [];
    const settle = (settled: () => void): void => {
      for (const end of ends.splice(0)) end();
      settled();
    };
    const look = (): void => {
      const { state, holder } = session.snapshot();
      if (state !== "paused" || holder?.kind === "operator") settle(resolve);
    };
    const onAbort = (): void => {
      settle(() => {
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      });
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort);
    ends.push(() => {
      signal.removeEventListener("abort", onAbort);
    });
    ends.push(
      // The state of the run follows its event.
      session.subscribe(() => {
        queueMicrotask(look);
      }),
    );
    look();
  });
}

/**
 * A client whose calls wait while the operator has paused the run: a driver takes a refusal for the end of its work, and a pause is none.
 * A call that was refused for the pause is made again when `over` resolves.
 */
export function waitingWhilePaused(client: BenchClient, over: () => Promise<void>): BenchClient {
  return {
    ...client,
    async call(name, input) {
      for (;;) {
        try {
          return await client.call(name, input);
        } catch (error) {
          if (!(error instanceof ToolRefusal) || error.code !== "paused") throw error;
          await over();
        }
      }
    },
  };
}
