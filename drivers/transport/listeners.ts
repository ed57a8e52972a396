/** A set of callbacks for one kind of event. A listener that is removed during a call is not called any more. */
export class Listeners<Value> {
  readonly #listeners = new Set<(value: Value) => void>();

  add(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  call(value: Value): void {
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) {
        listener(value);
      }
    }
  }
}
