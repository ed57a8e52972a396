import { InstrumentError } from "../protocol/instrument-error.ts";
import { type ByteLink, closedLinkError } from "./byte-link.ts";
import { Listeners } from "./listeners.ts";

/** The other end of a link in memory, as an emulated controller has it. */
export interface MemoryPeer {
  receive(bytes: Uint8Array): void;
  onTransmit(listener: (bytes: Uint8Array) => void): () => void;
  /** Called at each opening, for a controller that notices it (many boards reset then). */
  opened?(): void;
}

/** A link to something in the same program. The plug can be pulled and put back, as on a table. */
export class MemoryLink implements ByteLink {
  readonly name: string;
  readonly #peer: MemoryPeer;
  readonly #data = new Listeners<Uint8Array>();
  readonly #closed = new Listeners<string>();
  #isOpen = false;
  #plugged = true;

  constructor(name: string, peer: MemoryPeer) {
    this.name = name;
    this.#peer = peer;
    peer.onTransmit((bytes) => {
      if (this.#isOpen) {
        this.#data.call(bytes);
      }
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async open(): Promise<void> {
    if (!this.#plugged) {
      throw new InstrumentError("not_connected", this.name, "the plug is pulled", {}, "plug it in and try again");
    }
    if (this.#isOpen) {
      throw new InstrumentError("busy", this.name, "the link is already open");
    }
    this.#isOpen = true;
    this.#peer.opened?.();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isOpen) {
      throw closedLinkError(this.name);
    }
    this.#peer.receive(bytes);
  }

  onData(listener: (bytes: Uint8Array) => void): () => void {
    return this.#data.add(listener);
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#closed.add(listener);
  }

  async close(): Promise<void> {
    this.#shut("closed by this program");
  }

  /** The cable goes out: the link closes and cannot be opened. */
  unplug(): void {
    this.#plugged = false;
    this.#shut("unplugged");
  }

  /** The cable is back: the link can be opened again. */
  plug(): void {
    this.#plugged = true;
  }

  #shut(reason: string): void {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#closed.call(reason);
    }
  }
}
