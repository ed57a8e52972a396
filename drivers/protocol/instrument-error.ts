/** Why an instrument could not do what was asked. Every driver and simulator maps its own words to these. */
export type InstrumentErrorCode =
  /** Nothing answers: not plugged in, wrong path, powered off. */
  | "not_connected"
  /** It was there and went away in the middle of the work. */
  | "connection_lost"
  /** It is there and silent for longer than the deadline. */
  | "timed_out"
  /** The bytes that came back do not follow the protocol. */
  | "bad_reply"
  /** The controller refused the command and said why. */
  | "refused"
  /** Absolute moves need a reference first. */
  | "not_homed"
  /** The target lies outside the travel of the instrument itself. */
  | "out_of_range"
  /** Motion ended away from the target: stall, limit switch, overshoot. */
  | "position_error"
  /** The controller lost its position (reset, power cut): home again. */
  | "position_lost"
  /** The controller reports a fault that needs a person. */
  | "faulted"
  /** A frame was incomplete, lost or older than the request. */
  | "frame_lost"
  /** Pixel format, region or size differ from what was configured. */
  | "wrong_format"
  /** Another command is running. */
  | "busy"
  /** Cancelled by the caller. */
  | "cancelled"
  /** The instrument does not offer this. */
  | "unsupported";

/** Numbers that make the message checkable; every value carries its unit. */
export interface InstrumentErrorDetail {
  readonly name?: string;
  readonly value?: number | string;
  readonly unit?: string;
  readonly limit?: number | string;
  /** What the instrument itself said, verbatim. */
  readonly reply?: string;
}

/** The one error class of the instrument layers. `message` is a sentence for a person; `code` is for the program. */
export class InstrumentError extends Error {
  override readonly name = "InstrumentError";
  readonly code: InstrumentErrorCode;
  /** Model and role of the instrument, as in "Zaber X-LSM150A (stage)". */
  readonly instrument: string;
  readonly detail: InstrumentErrorDetail;
  /** What the caller can do about it, where there is something. */
  readonly hint: string | undefined;

  constructor(
    code: InstrumentErrorCode,
    instrument: string,
    message: string,
    detail: InstrumentErrorDetail = {},
    hint?: string,
  ) {
    super(`${instrument}: ${message}`);
    this.code = code;
    this.instrument = instrument;
    this.detail = detail;
    this.hint = hint;
  }
}
