import { InstrumentError, type InstrumentErrorCode } from "../../protocol/instrument-error.ts";
import type { NativeFeature, NativeGenicam, NativeHandle, NativeNumber, NativeQuantity } from "./native.ts";

const CODES: Readonly<Record<string, InstrumentErrorCode>> = {
  not_found: "not_connected",
  closed: "not_connected",
  not_controller: "busy",
  not_connected: "connection_lost",
  timeout: "connection_lost",
  transfer: "connection_lost",
  refused: "refused",
  no_genicam: "unsupported",
};

const HINTS: Readonly<Partial<Record<InstrumentErrorCode, string>>> = {
  not_connected:
    "check power, cable and that the camera's address is in this computer's subnet; caustic devices lists what answers",
  connection_lost: "check cable and power of the camera, then try again: it is connected anew by itself",
  busy: "close the other program that uses the camera",
};

/** What the addon threw, in the words of the instrument layers. */
export function asInstrumentError(error: unknown, instrument: string, doing: string): InstrumentError {
  if (error instanceof InstrumentError) return error;
  const word = error instanceof Error && "code" in error ? String(error.code) : "other";
  const reply = error instanceof Error ? error.message : String(error);
  const code = CODES[word] ?? "faulted";
  return new InstrumentError(code, instrument, `${doing} failed: ${reply}`, { name: doing, reply }, HINTS[code]);
}

/** The feature tree of one open camera. Errors are `InstrumentError` and name the feature. */
export class CameraFeatures {
  readonly instrument: string;
  readonly #native: NativeGenicam;
  readonly #handle: NativeHandle;

  constructor(native: NativeGenicam, handle: NativeHandle, instrument: string) {
    this.#native = native;
    this.#handle = handle;
    this.instrument = instrument;
  }

  /** Undefined when the camera has no such feature, or not at present. */
  async read(name: string): Promise<NativeFeature | undefined> {
    return this.attempt(`reading ${name}`, this.#native.readFeature(this.#handle, name));
  }

  async readNumber(name: string): Promise<NativeNumber | undefined> {
    const feature = await this.read(name);
    return feature?.kind === "integer" || feature?.kind === "float" ? feature : undefined;
  }

  /** The text of a feature, "" when the camera has none. */
  async readText(name: string): Promise<string> {
    const feature = await this.read(name);
    return feature?.kind === "string" || feature?.kind === "enumeration" ? feature.value : "";
  }

  async write(name: string, value: string | number | boolean): Promise<void> {
    await this.attempt(`setting ${name} to ${value}`, this.#native.writeFeature(this.#handle, name, value));
  }

  async execute(name: string): Promise<void> {
    await this.attempt(name, this.#native.executeFeature(this.#handle, name));
  }

  async readQuantity(quantity: NativeQuantity): Promise<NativeNumber | undefined> {
    return this.attempt(`reading the ${WORDS[quantity]}`, this.#native.readQuantity(this.#handle, quantity));
  }

  async writeQuantity(quantity: NativeQuantity, value: number): Promise<void> {
    const doing = `setting the ${WORDS[quantity]} to ${value}`;
    await this.attempt(doing, this.#native.writeQuantity(this.#handle, quantity, value));
  }

  /** Waits for the addon and turns what it throws into an `InstrumentError`. */
  async attempt<T>(doing: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw asInstrumentError(error, this.instrument, doing);
    }
  }
}

const WORDS: Readonly<Record<NativeQuantity, string>> = {
  exposure: "exposure",
  gain: "gain",
  blackLevel: "black level",
  frameRate: "frame rate",
};
