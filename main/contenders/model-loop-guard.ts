import type { ToolCall } from "./model-provider.ts";

/** Longest cycle of calls that is recognised. */
const LONGEST_CYCLE = 4;
/** A cycle that comes this often in a row leads nowhere. */
const REPETITIONS = 5;

/** Arguments that do not change what is done. */
const BESIDE_THE_POINT: ReadonlySet<string> = new Set(["reason", "image_code", "idempotency_key"]);

function fingerprint(call: ToolCall): string {
  if ("malformed" in call.arguments) return JSON.stringify([call.name, call.arguments.malformed]);
  const asked = Object.entries(call.arguments.bound).filter(([name]) => !BESIDE_THE_POINT.has(name));
  return JSON.stringify([call.name, asked.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Recognises calls that go in circles: the same one, or the same few in turn, with the same arguments. */
export class LoopGuard {
  readonly #calls: string[] = [];
  #told = false;

  /** `told`: a circle for the first time, which the model should hear of. `endless`: it went on after that. */
  note(call: ToolCall): "fine" | "told" | "endless" {
    this.#calls.push(fingerprint(call));
    if (!this.#inCircles()) return "fine";
    this.#calls.length = 0;
    if (this.#told) return "endless";
    this.#told = true;
    return "told";
  }

  #inCircles(): boolean {
    for (let period = 1; period <= LONGEST_CYCLE; period++) {
      const tail = this.#calls.slice(-period * REPETITIONS);
      if (tail.length < period * REPETITIONS) return false;
      if (tail.every((call, i) => call === tail[i % period])) return true;
    }
    return false;
  }
}
