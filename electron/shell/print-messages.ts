/** What the bench process asks of the shell: pages of a report, since the shell has a browser at hand. */
export interface PrintRequest {
  readonly type: "print";
  readonly id: number;
  readonly html: string;
}

/** Reads a message of the bench process; undefined where it is nothing that the shell does. */
export function printRequest(message: unknown): PrintRequest | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, id, html } = message as Readonly<Record<string, unknown>>;
  if (type !== "print" || typeof id !== "number" || typeof html !== "string") return undefined;
  return { type, id, html };
}
