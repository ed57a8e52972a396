import { InstrumentError } from "../protocol/instrument-error.ts";
import type { ByteLink } from "./byte-link.ts";
import { SerialLink, type SerialSettings } from "./serial-link.ts";
import { TcpLink } from "./tcp-link.ts";

/** A link for an address as a person types it: "tcp://host:port", or else the path of a serial port. Not opened yet. */
export function linkForAddress(address: string, serial: Omit<SerialSettings, "path">): ByteLink {
  if (!address.includes("://")) {
    return new SerialLink({ path: address, ...serial });
  }
  const match = /^tcp:\/\/(\[[^\]]+\]|[^:/]+):(\d{1,5})\/?$/.exec(address);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || !(port >= 1 && port <= 65535)) {
    throw new InstrumentError("not_connected", address, 'expected "tcp://host:port" or the path of a serial port', {
      name: "address",
      value: address,
    });
  }
  return new TcpLink({ host: match[1].replace(/^\[|\]$/g, ""), port });
}
