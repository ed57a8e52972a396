import { beforeEach, describe, expect, test } from "vitest";
import type { Cancellation } from "../protocol/cancellation.ts";
import type { Clock } from "../protocol/clock.ts";
import { InstrumentError } from "../protocol/instrument-error.ts";
import { toBytes, toText } from "./byte-text.ts";
import { Exchange, type Question } from "./exchange.ts";
import { LineFramer } from "./line-framer.ts";
import { MemoryLink, type MemoryPeer } from "./memory-link.ts";

/** Jumps to the end of the first wait when nothing else is left to do. */
class JumpingClock implements Clock {
  #now_ms = 0;
  readonly #waits: { due_ms: number; end: () => void }[] = [];
  #running = false;

  now_ms(): number {
    return this.#now_ms;
  }

  wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      const entry = { due_ms: this.#now_ms + duration_ms, end: resolve };
      this.#waits.push(entry);
      this.#waits.sort((left, right) => left.due_ms - right.due_ms);
      cancellation?.addEventListener("abort", () => {
        if (this.#waits.includes(entry)) {
          this.#waits.splice(this.#waits.indexOf(entry), 1);
        }
        resolve();
      });
      if (!this.#running) {
        this.#running = true;
        setImmediate(() => this.#run());
      }
    });
  }

  #run(): void {
    const next = this.#waits.shift();
    if (next === undefined) {
      this.#running = false;
      return;
    }
    this.#now_ms = next.due_ms;
    next.end();
    setImmediate(() => this.#run());
  }
}

/** Answers each line after a delay, as its script says; no entry is silence. */
class ScriptedPeer implements MemoryPeer {
  readonly heard: string[] = [];
  readonly heardAt_ms: number[] = [];
  readonly #clock: Clock;
  readonly #answers: (readonly [string, number])[];
  #listener: (bytes: Uint8Array) => void = () => undefined;

  constructor(clock: Clock, answers: (readonly [string, number])[]) {
    this.#clock = clock;
    this.#answers = answers;
  }

  receive(bytes: Uint8Array): void {
    this.heard.push(toText(bytes).trim());
    this.heardAt_ms.push(this.#clock.now_ms());
    const [answer, delay_ms] = this.#answers.shift() ?? ["", 0];
    void this.#clock.wait(delay_ms).then(() => this.say(answer));
  }

  say(text: string): void {
    this.#listener(toBytes(text));
  }

  onTransmit(listener: (bytes: Uint8Array) => void): () => void {
    this.#listener = listener;
    return () => undefined;
  }
}

describe("questions and answers", () => {
  let clock: JumpingClock;
  beforeEach(() => {
    clock = new JumpingClock();
  });

  async function setUp(
    answers: (readonly [string, number])[],
    settings: { gap_ms?: number; probe?: boolean; isNoise?: (line: string) => boolean } = {},
  ): Promise<{ peer: ScriptedPeer; link: MemoryLink; exchange: Exchange<string>; unsolicited: string[] }> {
    const peer = new ScriptedPeer(clock, answers);
    const link = new MemoryLink("line", peer);
    await link.open();
    const unsolicited: string[] = [];
    const exchange = new Exchange({
      link,
      clock,
      framer: new LineFramer(),
      deadline_ms: 100,
      instrument: () => "Test stage",
      onUnsolicited: (line) => unsolicited.push(line),
      ...(settings.gap_ms === undefined ? {} : { gap_ms: settings.gap_ms }),
      ...(settings.isNoise === undefined ? {} : { isNoise: settings.isNoise }),
      ...(settings.probe === true ? { probes: [() => question("probe", "PROBE")] } : {}),
    });
    return { peer, link, exchange, unsolicited };
  }

  function question(text: string, prefix: string): Question<string, string> {
    return {
      what: `"${text}"`,
      bytes: toBytes(`${text}\n`),
      take: (line) => (line.startsWith(prefix) ? { answer: line } : "foreign"),
    };
  }

  test("one question is in flight at a time, in the order of asking", async () => {
    const { peer, exchange } = await setUp([
      ["A1\n", 50],
      ["B1\n", 10],
    ]);
    const answers = await Promise.all([exchange.ask(() => question("a", "A")), exchange.ask(() => question("b", "B"))]);
    expect(answers).toEqual(["A1", "B1"]);
    expect(peer.heardAt_ms).toEqual([0, 50]);
  });

  test("messages that answer nothing are handed on, not taken for the answer", async () => {
    const { exchange, unsolicited } = await setUp([["!alert\nA1\n", 5]]);
    expect(await exchange.ask(() => question("a", "A"))).toBe("A1");
    expect(unsolicited).toEqual(["!alert"]);
  });

  test("an answer in several messages is collected", async () => {
    const { exchange } = await setUp([["part one\npart two\nok\n", 5]]);
    const parts: string[] = [];
    const answer = await exchange.ask(() => ({
      what: "parts",
      bytes: toBytes("list\n"),
      take: (line: string) => {
        if (line === "ok") {
          return { answer: parts };
        }
        parts.push(line);
        return "part";
      },
    }));
    expect(answer).toEqual(["part one", "part two"]);
  });

  test("silence fails by name after the deadline, and is asked again only where that is safe", async () => {
    const once = await setUp([]);
    await expect(once.exchange.ask(() => question("move", "M"))).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining('"move" within 100 ms') as string,
    });
    expect(once.peer.heard).toEqual(["move"]);
    const twice = await setUp([
      ["", 0],
      ["A1\n", 5],
    ]);
    expect(await twice.exchange.ask(() => question("a", "A"), { attempts: 2 })).toBe("A1");
    expect(twice.peer.heard).toEqual(["a", "a"]);
  });

  test("a late reply of the same kind is thrown away: the probe's answer marks where the line is in step", async () => {
    const { peer, exchange } = await setUp(
      [
        ["A old\n", 190],
        ["PROBE\n", 40],
        ["A new\n", 10],
      ],
      { probe: true },
    );
    expect(await exchange.ask(() => question("a", "A"), { attempts: 2 })).toBe("A new");
    expect(peer.heard).toEqual(["a", "probe", "a"]);
  });

  test("a question of another kind after a time-out does not take the late reply either", async () => {
    const { exchange } = await setUp(
      [
        ["A old\n", 190],
        ["PROBE\n", 40],
        ["A of the second\n", 10],
      ],
      { probe: true },
    );
    await expect(exchange.ask(() => question("a", "A"))).rejects.toMatchObject({ code: "timed_out" });
    expect(await exchange.ask(() => question("a again", "A"))).toBe("A of the second");
  });

  test("a refusal fails at once, a bad reply is asked again", async () => {
    const { peer, exchange } = await setUp([
      ["garbage\n", 5],
      ["5\n", 5],
      ["refused\n", 5],
    ]);
    const ask = (): Promise<number> =>
      exchange.ask(
        () => ({
          what: "number",
          bytes: toBytes("n\n"),
          take: (line: string) => {
            if (line === "refused") {
              throw new InstrumentError("refused", "Test stage", "no");
            }
            if (!/^\d+$/.test(line)) {
              throw new InstrumentError("bad_reply", "Test stage", "not a number");
            }
            return { answer: Number(line) };
          },
        }),
        { attempts: 3 },
      );
    expect(await ask()).toBe(5);
    await expect(ask()).rejects.toMatchObject({ code: "refused" });
    expect(peer.heard).toHaveLength(3);
  });

  test("a stop goes out at once, past the question in flight and those that wait", async () => {
    const { peer, exchange } = await setUp([
      ["A1\n", 80],
      ["", 0],
      ["B1\n", 10],
    ]);
    const first = exchange.ask(() => question("a", "A"));
    const second = exchange.ask(() => question("b", "B"));
    await clock.wait(20);
    await exchange.interject(toBytes("stop\n"));
    expect(await first).toBe("A1");
    expect(await second).toBe("B1");
    expect(peer.heard).toEqual(["a", "stop", "b"]);
    expect(peer.heardAt_ms).toEqual([0, 20, 80]);
  });

  test("bytes that are no answer, and no message either, are a bad reply that shows them", async () => {
    const half = await setUp([["A1 without an e\u0001", 5]]);
    await expect(half.exchange.ask(() => question("a", "A"))).rejects.toMatchObject({
      code: "bad_reply",
      message: expect.stringContaining(
        '"a" within 100 ms does not follow the protocol: "A1 without an e\\x01"',
      ) as string,
    });
    const garbled = await setUp([["#!$\n", 5]], { isNoise: (line) => !/^\w/.test(line) });
    await expect(garbled.exchange.ask(() => question("a", "A"))).rejects.toMatchObject({ code: "bad_reply" });
    const foreign = await setUp([["B1\n", 5]], { isNoise: (line) => !/^\w/.test(line) });
    await expect(foreign.exchange.ask(() => question("a", "A"))).rejects.toMatchObject({ code: "timed_out" });
  });

  test("the error of a silent line names the question, not the probe that was to bring the line into step", async () => {
    const { peer, exchange } = await setUp([], { probe: true });
    await expect(exchange.ask(() => question("position?", "A"), { attempts: 3 })).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining('"position?"') as string,
    });
    expect(peer.heard).toEqual(["position?", "probe", "probe"]);
  });

  test("keeps its distance between commands where the controller needs it", async () => {
    const { peer, exchange } = await setUp([], { gap_ms: 60 });
    await exchange.tell(toBytes("one\n"));
    await exchange.tell(toBytes("two\n"));
    expect(peer.heardAt_ms).toEqual([0, 60]);
  });

  test("a lost link fails what is in flight and what is asked later, at once", async () => {
    const { link, exchange } = await setUp([]);
    const pending = exchange.ask(() => question("a", "A"), { attempts: 3 });
    await clock.wait(10);
    link.unplug();
    await expect(pending).rejects.toMatchObject({ code: "connection_lost" });
    const before_ms = clock.now_ms();
    await expect(exchange.ask(() => question("a", "A"))).rejects.toMatchObject({ code: "connection_lost" });
    await expect(exchange.interject(toBytes("stop\n"))).rejects.toMatchObject({ code: "connection_lost" });
    expect(clock.now_ms()).toBe(before_ms);
    await expect(link.open()).rejects.toMatchObject({ code: "not_connected" });
    link.plug();
    await link.open();
    await expect(link.open()).rejects.toMatchObject({ code: "busy" });
  });
});
