import { BenchError } from "../contract/error-codes.ts";

interface View {
  readonly view: string;
  readonly code: string;
  readonly png: Uint8Array<ArrayBuffer>;
  confirmed: boolean;
}

/** The pictures of a run, and which of them are known to have reached the caller. */
export class Views {
  readonly #canary: (seq: number) => string;
  readonly #views: View[] = [];
  /** Live frames taken for pictures so far. */
  live = 0;

  constructor(canary: (seq: number) => string) {
    this.#canary = canary;
  }

  /** Id of the next picture. */
  next(): string {
    return `v${String(this.#views.length + 1).padStart(3, "0")}`;
  }

  code(seq: number): string {
    return this.#canary(seq);
  }

  add(view: string, code: string, png: Uint8Array<ArrayBuffer>): void {
    this.#views.push({ view, code, png, confirmed: false });
  }

  /** Throws `unknown_id`. */
  png(id: string): Uint8Array<ArrayBuffer> {
    const found = this.#views.find(({ view }) => view === id);
    if (found === undefined) {
      throw new BenchError(
        "unknown_id",
        `There is no view ${JSON.stringify(id)}`,
        "Use the id that view_frame returned.",
      );
    }
    return found.png;
  }

  /** The picture whose code was echoed, "again" when it was confirmed before, "unknown" when no picture has it. */
  confirm(code: string): { readonly view: string } | "again" | "unknown" {
    const wanted = code.trim().toUpperCase();
    const found = this.#views.find((view) => view.code === wanted);
    if (found === undefined) return "unknown";
    if (found.confirmed) return "again";
    found.confirmed = true;
    return { view: found.view };
  }

  /** One picture that was seen proves that pictures reach the caller. */
  get delivery(): "not_looked" | "image_confirmed" | "image_not_confirmed" {
    if (this.#views.length === 0) return "not_looked";
    return this.#views.some((view) => view.confirmed) ? "image_confirmed" : "image_not_confirmed";
  }
}
