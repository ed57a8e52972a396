import type { Framer } from "./framer.ts";

/** One message of Thorlabs' APT protocol: a six-byte header, and data when the header says so. */
export interface AptPacket {
  readonly id: number;
  readonly destination: number;
  readonly source: number;
  /** First parameter byte of a message without data, else 0. */
  readonly parameter1: number;
  /** Second parameter byte of a message without data, else 0. */
  readonly parameter2: number;
  readonly data: Uint8Array;
}

const HEADER_LENGTH = 6;
/** Set in the destination byte of a header that is followed by data. */
const DATA_FOLLOWS = 0x80;
const HOST = 0x01;
/** No message of the protocol carries more. */
const DATA_LENGTH_MAX = 255;

function isController(address: number): boolean {
  return address === 0x00 || address === 0x11 || address === 0x50 || (address >= 0x21 && address <= 0x2a);
}

/**
 * Packets from the controller to the host. The protocol has neither start marks nor checksums; after garbled or lost
 * bytes the stream is searched byte by byte for the next header that can be one: destination is the host, source is a
 * controller, length is possible and the message id is one the caller knows.
 */
export class AptPacketFramer implements Framer<AptPacket> {
  readonly #isKnown: (id: number) => boolean;
  #pending: number[] = [];

  constructor(isKnown: (id: number) => boolean) {
    this.#isKnown = isKnown;
  }

  push(bytes: Uint8Array): AptPacket[] {
    this.#pending.push(...bytes);
    const packets: AptPacket[] = [];
    let start = 0;
    while (this.#pending.length - start >= HEADER_LENGTH) {
      const header = this.#pending.slice(start, start + HEADER_LENGTH) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const id = header[0] | (header[1] << 8);
      const hasData = (header[4] & DATA_FOLLOWS) !== 0;
      const destination = header[4] & ~DATA_FOLLOWS;
      const dataLength = hasData ? header[2] | (header[3] << 8) : 0;
      const possible =
        (destination === HOST || destination === 0) &&
        isController(header[5]) &&
        dataLength <= DATA_LENGTH_MAX &&
        this.#isKnown(id);
      if (!possible) {
        start += 1;
        continue;
      }
      if (this.#pending.length - start < HEADER_LENGTH + dataLength) {
        break;
      }
      const data = Uint8Array.from(this.#pending.slice(start + HEADER_LENGTH, start + HEADER_LENGTH + dataLength));
      packets.push({
        id,
        destination,
        source: header[5],
        parameter1: hasData ? 0 : header[2],
        parameter2: hasData ? 0 : header[3],
        data,
      });
      start += HEADER_LENGTH + dataLength;
    }
    this.#pending = this.#pending.slice(start);
    return packets;
  }

  reset(): void {
    this.#pending = [];
  }
}

/** A message without data to a controller. */
export function aptHeader(id: number, parameter1: number, parameter2: number, destination: number): Uint8Array {
  return Uint8Array.of(id & 0xff, id >> 8, parameter1, parameter2, destination, HOST);
}

/** A message with data to a controller. */
export function aptMessage(id: number, destination: number, data: Uint8Array): Uint8Array {
  const message = new Uint8Array(HEADER_LENGTH + data.length);
  message.set([id & 0xff, id >> 8, data.length & 0xff, data.length >> 8, destination | DATA_FOLLOWS, HOST]);
  message.set(data, HEADER_LENGTH);
  return message;
}
