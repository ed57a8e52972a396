/** Tells listeners that something changed. What a listener throws reaches nobody else. */
export class Notifier<Arguments extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...args: Arguments) => void>();

  readonly onChange = (listener: (...args: Arguments) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  tell(...args: Arguments): void {
    for (const listener of [...this.#listeners]) listener(...args);
  }
}
