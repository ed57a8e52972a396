import type { PdfPrinter } from "./pdf-printer.ts";

/** The desktop's shell as its bench process reaches it. */
interface PrintingParent {
  postMessage(message: unknown): void;
}

interface Waiting {
  readonly resolve: (pdf: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Prints by asking the process that started this one; its answers come in through `answer`. */
export class ParentPrinter {
  readonly #parent: PrintingParent;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(parent: PrintingParent) {
    this.#parent = parent;
  }

  readonly print: PdfPrinter = (html) => {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#parent.postMessage({ type: "print", id, html });
    });
  };

  /** Takes a message of the parent; false where it is no answer to a request. */
  answer(message: unknown): boolean {
    if (typeof message !== "object" || message === null) return false;
    const { type, id, pdf, error } = message as Readonly<Record<string, unknown>>;
    if (type !== "printed" || typeof id !== "number") return false;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (pdf instanceof Uint8Array) waiting?.resolve(pdf);
    else waiting?.reject(new Error(typeof error === "string" ? error : "the report could not be printed"));
    return true;
  }
}
