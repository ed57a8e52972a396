import { connect, type Socket } from "node:net";
import { InstrumentError } from "../protocol/instrument-error.ts";
import { type ByteLink, closedLinkError } from "./byte-link.ts";
import { Listeners } from "./listeners.ts";

/** A serial device server, or a controller with a network socket. */
export interface TcpSettings {
  readonly host: string;
  readonly port: number;
}

const CONNECT_DEADLINE_ms = 5000;

function connectError(name: string, error: NodeJS.ErrnoException): InstrumentError {
  const detail = { name: "address", value: name, reply: error.message };
  switch (error.code) {
    case "ECONNREFUSED":
      return new InstrumentError(
        "not_connected",
        name,
        "the host is there, but nothing listens on this port",
        detail,
        "check the port number and that the device server is running",
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new InstrumentError("not_connected", name, "no host of this name is known", detail, "check the name");
    default:
      return new InstrumentError(
        "not_connected",
        name,
        `the host cannot be reached (${error.code ?? error.message})`,
        detail,
        "check network cable, address and power",
      );
  }
}

/** Raw bytes over TCP. */
export class TcpLink implements ByteLink {
  readonly name: string;
  readonly #settings: TcpSettings;
  readonly #data = new Listeners<Uint8Array>();
  readonly #closed = new Listeners<string>();
  #socket: Socket | undefined;
  #isOpen = false;

  constructor(settings: TcpSettings) {
    this.#settings = settings;
    this.name = `tcp://${settings.host}:${String(settings.port)}`;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async open(): Promise<void> {
    if (this.#socket !== undefined) {
      throw new InstrumentError("busy", this.name, "the link is already open");
    }
    const socket = connect({ host: this.#settings.host, port: this.#settings.port, noDelay: true, keepAlive: true });
    this.#socket = socket;
    try {
      await new Promise<void>((resolve, reject) => {
        socket.setTimeout(CONNECT_DEADLINE_ms, () =>
          reject(connectError(this.name, Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }))),
        );
        socket.once("connect", resolve);
        socket.once("error", (error) => reject(connectError(this.name, error)));
      });
    } catch (error) {
      socket.destroy();
      this.#socket = undefined;
      throw error;
    }
    socket.setTimeout(0);
    socket.removeAllListeners("error");
    this.#isOpen = true;
    let reason = "the other side closed the connection";
    socket.on("data", (bytes) => this.#data.call(new Uint8Array(bytes)));
    socket.on("error", (error) => {
      reason = error.message;
    });
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#gone(socket, reason));
  }

  async write(bytes: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (!this.#isOpen || socket === undefined) {
      throw closedLinkError(this.name);
    }
    await new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) => {
        if (error === null || error === undefined) {
          resolve();
        } else {
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
    const socket = this.#socket;
    if (socket !== undefined) {
      this.#gone(socket, "closed by this program");
      socket.end();
      socket.destroySoon();
    }
  }

  #gone(socket: Socket, reason: string): void {
    if (this.#socket === socket) {
      this.#socket = undefined;
      this.#isOpen = false;
      this.#closed.call(reason);
    }
  }
}
