import { Transform, type TransformCallback } from "node:stream";
import { parseJSONRPCMessage } from "@modelcontextprotocol/server";

/** An answer to a line that is no message. */
export interface LineRefusal {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

const NEWLINE = 0x0a;

/**
 * Lets whole JSON-RPC messages through, one a line, and answers everything else, so that one bad or endless line
 * neither ends the connection nor goes unanswered.
 */
export class LineFilter extends Transform {
  readonly #longest_bytes: number;
  readonly #refuse: (refusal: LineRefusal) => void;
  #held: Buffer[] = [];
  #held_bytes = 0;
  #tooLong = false;

  constructor(longest_bytes: number, refuse: (refusal: LineRefusal) => void) {
    super();
    this.#longest_bytes = longest_bytes;
    this.#refuse = refuse;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    this.#hold(chunk.subarray(from));
    done();
  }

  #hold(part: Buffer): void {
    this.#held_bytes += part.length;
    if (this.#held_bytes > this.#longest_bytes) {
      this.#tooLong = true;
      this.#held = [];
    } else if (part.length > 0) this.#held.push(part);
  }

  #endLine(): void {
    const line = Buffer.concat(this.#held);
    const tooLong = this.#tooLong;
    this.#held = [];
    this.#held_bytes = 0;
    this.#tooLong = false;
    if (tooLong) {
      this.#refuse(refusal(null, -32_600, `The message is longer than ${this.#longest_bytes} bytes`));
      return;
    }
    if (line.toString("utf8").trim() === "") return;
    const refused = judge(line);
    if (refused === undefined) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
    else this.#refuse(refused);
  }
}

function judge(line: Buffer): LineRefusal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return refusal(null, -32_700, "Parse error: expected one JSON-RPC message a line");
  }
  try {
    parseJSONRPCMessage(value);
    return undefined;
  } catch {
    const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
    const named = typeof id === "string" || typeof id === "number" ? id : null;
    return refusal(named, -32_600, "Invalid request: expected a JSON-RPC 2.0 request, notification or response");
  }
}

function refusal(id: string | number | null, code: number, message: string): LineRefusal {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
