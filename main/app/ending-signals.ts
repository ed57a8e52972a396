const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Takes the signals that ask a program to end, so that what moves can be stopped first. `onFirst` is called once; `onAgain` at every further
 * one, of whichever kind. None of them kills the process until the listeners are taken away, which the returned function does.
 */
export function takeEndingSignals(onFirst: () => void, onAgain: () => void = () => undefined): () => void {
  let come = false;
  const take = (): void => {
    if (come) {
      onAgain();
      return;
    }
    come = true;
    onFirst();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, take);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, take);
  };
}
