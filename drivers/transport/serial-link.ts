import { existsSync } from "node:fs";
import { SerialPort } from "serialport";
import { InstrumentError } from "../protocol/instrument-error.ts";
import { type ByteLink, closedLinkError } from "./byte-link.ts";
import { Listeners } from "./listeners.ts";

/** How the bytes travel. 8 data bits, no parity, one stop bit: every supported controller uses them. */
export interface SerialSettings {
  /** Path as listed or typed in: "/dev/ttyUSB0", "/dev/serial/by-id/…", "COM3", the link of a pseudo-terminal. */
  readonly path: string;
  readonly baudRate: number;
  /** "hardware" is RTS/CTS, "software" is XON/XOFF. */
  readonly flowControl?: "none" | "hardware" | "software";
  /**
   * Raises RTS for a moment after opening, which USB motor controllers of Thorlabs need. A line without modem wires
   * (pseudo-terminal, server) refuses this, which does no harm.
   */
  readonly pulseRts?: boolean;
}

const RTS_PULSE_ms = 50;
/** How often an idle link looks whether its device file is still there. */
const PRESENCE_CHECK_ms = 1000;

/**
 * Turns the words of the operating system into ours. serialport's errors carry no code, only a message, which differs
 * between Linux, macOS and Windows.
 */
export function serialOpenError(path: string, message: string): InstrumentError {
  const detail = { name: "path", value: path, reply: message };
  if (/no such file|file not found|no such device|cannot find/i.test(message)) {
    return new InstrumentError(
      "not_connected",
      path,
      "there is no such serial port",
      detail,
      "check plug and power; `caustic devices` lists the ports that exist",
    );
  }
  if (/cannot lock|temporarily unavailable|resource busy|access is denied/i.test(message)) {
    return new InstrumentError(
      "busy",
      path,
      "another program is using this serial port",
      detail,
      "close the other program and try again",
    );
  }
  if (/permission denied|access denied/i.test(message)) {
    return new InstrumentError(
      "not_connected",
      path,
      "this user may not open the serial port",
      detail,
      "on Linux add the user to the group that owns the port (usually dialout) and log in again",
    );
  }
  if (/inappropriate ioctl|not a (tty|typewriter)/i.test(message)) {
    return new InstrumentError("not_connected", path, "this is not a serial port", detail);
  }
  return new InstrumentError("not_connected", path, `the serial port cannot be opened (${message})`, detail);
}

/** A serial port, opened exclusively. */
export class SerialLink implements ByteLink {
  readonly name: string;
  readonly #settings: SerialSettings;
  readonly #data = new Listeners<Uint8Array>();
  readonly #closed = new Listeners<string>();
  #port: SerialPort | undefined;
  #presence: NodeJS.Timeout | undefined;

  constructor(settings: SerialSettings) {
    this.#settings = settings;
    this.name = settings.path;
  }

  get isOpen(): boolean {
    return this.#port?.isOpen === true;
  }

  async open(): Promise<void> {
    if (this.#port !== undefined) {
      throw new InstrumentError("busy", this.name, "the link is already open");
    }
    const port = new SerialPort({
      path: this.#settings.path,
      baudRate: this.#settings.baudRate,
      autoOpen: false,
      lock: true,
      rtscts: this.#settings.flowControl === "hardware",
      xon: this.#settings.flowControl === "software",
      xoff: this.#settings.flowControl === "software",
    });
    this.#port = port;
    try {
      await new Promise<void>((resolve, reject) => {
        port.open((error) => {
          if (error === null) {
            resolve();
          } else {
            reject(serialOpenError(this.name, error.message));
          }
        });
      });
    } catch (error) {
      this.#port = undefined;
      throw error;
    }
    port.on("data", (bytes: Uint8Array) => this.#data.call(new Uint8Array(bytes)));
    port.on("close", (error: Error | null) =>
      this.#gone(port, error === null ? "closed by this program" : "unplugged"),
    );
    port.on("error", (error: Error) => this.#abandon(port, error.message));
    if (this.#settings.pulseRts === true) {
      await this.#pulse(port);
    }
    this.#watchPresence(port);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const port = this.#port;
    // serialport buffers what is written to a closed port and sends it at the next opening: a stage would move then.
    if (port?.isOpen !== true) {
      throw closedLinkError(this.name);
    }
    await new Promise<void>((resolve, reject) => {
      port.write(bytes, (error) => {
        if (error === null || error === undefined) {
          resolve();
        } else {
          this.#abandon(port, error.message);
          reject(new InstrumentError("connection_lost", this.name, `sending failed (${error.message})`));
        }
      });
    });
  }

  onData(listener: (bytes: Uint8Array) => void): () => void {
    return this.#data.add(listener);
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#closed.add(listener);
  }

  async close(): Promise<void> {
    const port = this.#port;
    if (port === undefined) {
      return;
    }
    await new Promise<void>((resolve) => {
      if (!port.isOpen) {
        resolve();
        return;
      }
      port.close(() => resolve());
    });
    this.#gone(port, "closed by this program");
  }

  async #pulse(port: SerialPort): Promise<void> {
    const set = (rts: boolean): Promise<void> => new Promise((resolve) => port.set({ rts }, () => resolve()));
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RTS_PULSE_ms));
    await pause();
    await set(true);
    await new Promise<void>((resolve) => port.flush(() => resolve()));
    await pause();
    await set(false);
  }

  /** Some systems report no close event when the plug is pulled (node-serialport issues 2043 and 2351). */
  #watchPresence(port: SerialPort): void {
    if (!this.#settings.path.startsWith("/")) {
      return;
    }
    this.#presence = setInterval(() => {
      if (!existsSync(this.#settings.path)) {
        this.#abandon(port, "the device file has gone");
      }
    }, PRESENCE_CHECK_ms);
    this.#presence.unref();
  }

  #abandon(port: SerialPort, reason: string): void {
    if (this.#port === port) {
      if (port.isOpen) {
        port.close(() => undefined);
      }
      this.#gone(port, reason);
    }
  }

  #gone(port: SerialPort, reason: string): void {
    if (this.#port === port) {
      this.#port = undefined;
      clearInterval(this.#presence);
      this.#closed.call(reason);
    }
  }
}
