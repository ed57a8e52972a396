/**
 * A request to stop, seen from the side that must obey it. Structural, so that a real `AbortSignal` is assignable
 * although the pure layers have no DOM or Node types.
 */
export interface Cancellation {
  readonly aborted: boolean;
  /** Why the work was cancelled; any value, usually an Error. */
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
