import { InstrumentError } from "../protocol/instrument-error.ts";

/**
 * A two-way stream of bytes to one instrument: a serial line, a TCP connection, an emulator in memory or a recording.
 * A link may be opened again after it was closed or lost. Errors are `InstrumentError`.
 */
export interface ByteLink {
  /** How a person knows the link: "/dev/ttyUSB0", "tcp://stage.lab:4001". */
  readonly name: string;
  readonly isOpen: boolean;
  /** Opens the link for this program alone. Fails with `not_connected` or `busy`, in words that say what to do. */
  open(): Promise<void>;
  /** Hands the bytes to the line in the order of the calls. Fails at once with `connection_lost` when not open. */
  write(bytes: Uint8Array): Promise<void>;
  /** Calls the listener with every piece that arrives, cut anywhere. Returns the way to stop listening. */
  onData(listener: (bytes: Uint8Array) => void): () => void;
  /** Calls the listener when the link goes away, by `close` or by itself, with the reason in words. */
  onClose(listener: (reason: string) => void): () => void;
  /** Closing a closed link does nothing. */
  close(): Promise<void>;
}

/** What helps when a line is lost. A serial device server closes at once on a second client. */
export const LOST_LINE_HINT = "check plug, power and whether another program holds the line, then connect again";

/** What every link answers to a write while it is closed: buffered bytes would move a stage minutes later. */
export function closedLinkError(linkName: string): InstrumentError {
  return new InstrumentError("connection_lost", linkName, "the link is closed, nothing was sent", {}, LOST_LINE_HINT);
}
