import { describe, expect, test } from "vitest";
import { AptPacketFramer, aptHeader, aptMessage } from "./apt-packet-framer.ts";
import { fromHex, toBytes, toHex } from "./byte-text.ts";
import type { Framer } from "./framer.ts";
import { ContinuedLineFramer, LineFramer } from "./line-framer.ts";

/** The same stream in one piece, byte by byte, and in threes. */
function inPieces<Message>(make: () => Framer<Message>, bytes: Uint8Array): Message[][] {
  return [bytes.length, 1, 3].map((size) => {
    const framer = make();
    const messages: Message[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      messages.push(...framer.push(bytes.slice(start, start + size)));
    }
    return messages;
  });
}

describe("lines", () => {
  test("end with CR, LF or both, wherever the pieces are cut", () => {
    const stream = toBytes("one\r\ntwo\nthree\r\r\n\nfour\x85\r\nhalf");
    for (const lines of inPieces(() => new LineFramer(), stream)) {
      expect(lines).toEqual(["one", "two", "three", "four\x85"]);
    }
  });

  test("a stream without ends does not fill the memory, and a reset forgets the half line", () => {
    const framer = new LineFramer();
    framer.push(new Uint8Array(100_000).fill(0x41));
    expect(framer.push(toBytes("\n"))[0]?.length).toBeLessThanOrEqual(4096);
    framer.push(toBytes("half"));
    framer.reset();
    expect(framer.push(toBytes("whole\n"))).toEqual(["whole"]);
  });

  test("a line feed behind a space goes on, any other ends the answer", () => {
    const stream = toBytes("1=12.5000\nfirst \nsecond \nlast\n\xb1\nhalf \n");
    for (const answers of inPieces(() => new ContinuedLineFramer(), stream)) {
      expect(answers).toEqual([["1=12.5000"], ["first", "second", "last"], ["\xb1"]]);
    }
  });
});

describe("APT packets", () => {
  const make = (): AptPacketFramer => new AptPacketFramer((id) => id === 0x0412 || id === 0x0444);
  const position = "12 04 06 00 81 50 01 00 00 80 3e 00";
  const homed = "44 04 01 00 01 50";

  test("with and without data, wherever the pieces are cut", () => {
    for (const packets of inPieces(make, fromHex(`${homed} ${position} ${homed}`))) {
      expect(packets.map(({ id }) => id)).toEqual([0x0444, 0x0412, 0x0444]);
      expect(toHex(packets[1]?.data ?? new Uint8Array())).toBe("01 00 00 80 3e 00");
      expect(packets[0]).toMatchObject({ destination: 1, source: 0x50, parameter1: 1, parameter2: 0 });
    }
  });

  test.each([
    ["noise before", `ff 00 81 ${position} ${homed}`],
    ["a packet that lost its first byte", `04 06 00 81 50 01 00 00 80 3e 00 ${position} ${homed}`],
    ["an unknown message", `99 04 01 00 01 50 ${position} ${homed}`],
    ["a length that cannot be", `12 04 00 20 81 50 ${position} ${homed}`],
    ["another destination", `44 04 01 00 22 50 ${position} ${homed}`],
  ])("finds the next packet after %s", (_name, stream) => {
    for (const packets of inPieces(make, fromHex(stream))) {
      expect(packets.map(({ id }) => id)).toEqual([0x0412, 0x0444]);
    }
  });

  test("messages to the controller are those of the manual", () => {
    expect(toHex(aptHeader(0x0465, 1, 2, 0x50))).toBe("65 04 01 02 50 01");
    expect(toHex(aptMessage(0x0453, 0x50, fromHex("01 00 00 80 3e 00")))).toBe("53 04 06 00 d0 01 01 00 00 80 3e 00");
  });
});

test("bytes as text refuse what is not a byte", () => {
  expect(toHex(fromHex("00 0a FF"))).toBe("00 0a ff");
  expect(() => fromHex("0a 1g")).toThrow(/"1g" is not a byte/);
});
