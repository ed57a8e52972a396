import type { Clock } from "../protocol/clock.ts";
import { InstrumentError } from "../protocol/instrument-error.ts";
import { type ByteLink, LOST_LINE_HINT } from "./byte-link.ts";
import { toHex } from "./byte-text.ts";
import type { Framer } from "./framer.ts";

/** What a message is to a question: its answer, a part of it with more to come, or nothing to do with it. */
export type Taken<Answer> = { readonly answer: Answer } | "part" | "foreign";

/** A command that is answered. */
export interface Question<Message, Answer> {
  /** For error messages: what is asked, in words or as it stands on the wire. */
  readonly what: string;
  readonly bytes: Uint8Array;
  /**
   * Looks at one message. Called once per message for one attempt; may throw an `InstrumentError`, which fails the
   * question (`refused` at once, `bad_reply` after the attempts are used up).
   */
  readonly take: (message: Message) => Taken<Answer>;
  /** Silence longer than this fails the attempt. The exchange's own value when absent. */
  readonly deadline_ms?: number;
}

export interface AskOptions {
  /** Tries in all. More than one only for a question that may be asked twice without moving anything. */
  readonly attempts?: number;
  /** Goes out at once, past the queue. Only where the answer can be told from that of the question in flight. */
  readonly urgent?: boolean;
}

export interface ExchangeSettings<Message> {
  readonly link: ByteLink;
  readonly framer: Framer<Message>;
  readonly clock: Clock;
  readonly deadline_ms: number;
  /** Shortest time between two writes, for controllers that lose bytes otherwise. */
  readonly gap_ms?: number;
  /** Name of the instrument in errors. */
  readonly instrument: () => string;
  /** Messages that answer no question: alerts, banners, and late replies to a question that was given up. */
  readonly onUnsolicited?: (message: Message) => void;
  /**
   * Whether a message that answers no question says nothing in this protocol. Bytes of which the framer makes no message are noise anyway;
   * when absent nothing else is.
   */
  readonly isNoise?: (message: Message) => boolean;
  /**
   * Questions with unmistakable answers, used in turn after a time-out: whatever comes before the answer belongs to
   * questions that were given up and is dropped. Not needed where replies carry the number of their command.
   */
  readonly probes?: readonly (() => Question<Message, unknown>)[];
}

interface Pending<Message> {
  offer(message: Message): boolean;
  fail(error: InstrumentError): void;
  /** What has come in since the question went out. */
  readonly heard: number[];
  /** A message of the protocol came in, if not the answer. */
  understood: boolean;
}

/** Bytes of an answer that cannot be understood are kept for the error's message up to this number. */
const HEARD_MAX = 40;
/** Line noise and late replies are waited out this long before a line is used again. */
const QUIET_ms = 60;

/**
 * Questions and answers over one link: one question in flight, a deadline for each, repetition where it is safe.
 * After a time-out the line counts as out of step; the next question is sent only when the late replies are known to
 * be gone, so that an answer can never be taken for that of another question.
 */
export class Exchange<Message> {
  readonly #settings: ExchangeSettings<Message>;
  readonly #pending = new Set<Pending<Message>>();
  #queue: Promise<void> = Promise.resolve();
  #outOfStep = false;
  #probeIndex = 0;
  #lastWrite_ms = Number.NEGATIVE_INFINITY;

  constructor(settings: ExchangeSettings<Message>) {
    this.#settings = settings;
    settings.link.onData((bytes) => {
      for (const { heard } of this.#pending) {
        heard.push(...bytes.subarray(0, HEARD_MAX - heard.length));
      }
      for (const message of settings.framer.push(bytes)) {
        this.#deliver(message);
      }
    });
    settings.link.onClose((reason) => {
      settings.framer.reset();
      this.#failAll(
        new InstrumentError(
          "connection_lost",
          settings.instrument(),
          `the connection was lost (${reason})`,
          { name: "link", value: settings.link.name },
          LOST_LINE_HINT,
        ),
      );
    });
  }

  /** Asks and resolves to the answer. Fails with an `InstrumentError`. */
  async ask<Answer>(makeQuestion: () => Question<Message, Answer>, options: AskOptions = {}): Promise<Answer> {
    if (options.urgent === true) {
      return this.#askOnce(makeQuestion());
    }
    return this.#inTurn(() => this.#askRepeatedly(makeQuestion, options.attempts ?? 1));
  }

  /** Sends, in turn, something that is not answered. */
  async tell(bytes: Uint8Array): Promise<void> {
    await this.#inTurn(async () => {
      await this.#gap();
      await this.#write(bytes);
    });
  }

  /** Sends at once, whatever is in flight, something that is not answered: the way to stop a stage. */
  async interject(bytes: Uint8Array): Promise<void> {
    await this.#write(bytes);
  }

  /** The next question is preceded by a search for the step: after opening a link, or when a reset was seen. */
  loseStep(): void {
    this.#outOfStep = true;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#queue;
    let release: () => void = () => undefined;
    this.#queue = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      release();
    }
  }

  async #askRepeatedly<Answer>(makeQuestion: () => Question<Message, Answer>, attempts: number): Promise<Answer> {
    let failed: unknown;
    for (let attempt = 1; ; attempt += 1) {
      let asking = false;
      try {
        if (this.#outOfStep) {
          await this.#getInStep();
        }
        await this.#gap();
        asking = true;
        return await this.#askOnce(makeQuestion());
      } catch (error) {
        // What failed is the question; that the line could not be brought into step again comes of it.
        if (asking || failed === undefined) {
          failed = error;
        }
        const repeatable =
          error instanceof InstrumentError && (error.code === "timed_out" || error.code === "bad_reply");
        if (repeatable) {
          this.#outOfStep = true;
        }
        if (!repeatable) {
          throw error;
        }
        if (attempt >= attempts) {
          throw failed;
        }
      }
    }
  }

  async #askOnce<Answer>(question: Question<Message, Answer>): Promise<Answer> {
    const deadline_ms = question.deadline_ms ?? this.#settings.deadline_ms;
    const timer = new AbortController();
    return new Promise<Answer>((resolve, reject) => {
      const settle = (act: () => void): void => {
        if (this.#pending.delete(pending)) {
          timer.abort();
          act();
        }
      };
      const pending: Pending<Message> = {
        heard: [],
        understood: false,
        offer: (message) => {
          try {
            const taken = question.take(message);
            if (taken === "foreign") {
              return false;
            }
            if (taken !== "part") {
              settle(() => resolve(taken.answer));
            }
          } catch (error) {
            settle(() => reject(error instanceof Error ? error : new Error(String(error))));
          }
          return true;
        },
        fail: (error) => settle(() => reject(error)),
      };
      this.#pending.add(pending);
      void this.#settings.clock
        .wait(deadline_ms, timer.signal)
        .then(() =>
          settle(() =>
            reject(
              pending.heard.length > 0 && !pending.understood
                ? this.#noise(question.what, deadline_ms, pending.heard)
                : new InstrumentError(
                    "timed_out",
                    this.#settings.instrument(),
                    `no answer to ${question.what} within ${deadline_ms} ms`,
                    { name: question.what, value: deadline_ms, unit: "ms" },
                    "check power, cable and baud rate, and that driver and address are those of this controller",
                  ),
            ),
          ),
        );
      this.#write(question.bytes).catch((error: unknown) =>
        settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
      );
    });
  }

  async #getInStep(): Promise<void> {
    const { clock, framer, probes, link } = this.#settings;
    await clock.wait(QUIET_ms);
    framer.reset();
    if (probes === undefined || probes.length === 0) {
      this.#outOfStep = false;
      return;
    }
    // In turn, so that a late answer to the last probe is not taken for the answer to this one.
    const probe = probes[this.#probeIndex % probes.length];
    this.#probeIndex += 1;
    if (probe !== undefined && link.isOpen) {
      await this.#gap();
      await this.#askOnce(probe());
    }
    this.#outOfStep = false;
  }

  async #gap(): Promise<void> {
    const { gap_ms, clock } = this.#settings;
    if (gap_ms !== undefined) {
      const rest_ms = this.#lastWrite_ms + gap_ms - clock.now_ms();
      if (rest_ms > 0) {
        await clock.wait(rest_ms);
      }
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { link, clock, instrument } = this.#settings;
    if (!link.isOpen) {
      throw new InstrumentError(
        "connection_lost",
        instrument(),
        "the connection is lost, so the command was not sent",
        { name: toHex(bytes), value: link.name },
        LOST_LINE_HINT,
      );
    }
    this.#lastWrite_ms = clock.now_ms();
    await link.write(bytes);
  }

  #noise(what: string, deadline_ms: number, heard: readonly number[]): InstrumentError {
    const reply = heard
      .map((byte) =>
        byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
      )
      .join("");
    return new InstrumentError(
      "bad_reply",
      this.#settings.instrument(),
      `what came back to ${what} within ${deadline_ms} ms does not follow the protocol: "${reply}"`,
      { name: what, reply },
    );
  }

  #deliver(message: Message): void {
    for (const pending of [...this.#pending]) {
      if (pending.offer(message)) {
        return;
      }
    }
    if (this.#settings.isNoise?.(message) !== true) {
      for (const pending of this.#pending) {
        pending.understood = true;
      }
    }
    this.#settings.onUnsolicited?.(message);
  }

  #failAll(error: InstrumentError): void {
    for (const pending of [...this.#pending]) {
      pending.fail(error);
    }
  }
}
