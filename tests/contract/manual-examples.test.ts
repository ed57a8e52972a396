/**
 * The byte examples that public manuals and the documentation of public drivers give for what the emulated controllers speak:
 * bytes sent, bytes received. Values that depend on a stage (positions, ids) are those of the emulated one; where an
 * example leaves them open, a pattern stands. docs/connect-instruments.md says which texts are covered.
 */
import { describe, expect, test } from "vitest";
import { GrblController } from "../../simulators/controllers/grbl/grbl-controller.ts";
import {
  NewportController,
  type NewportSettings,
} from "../../simulators/controllers/newport-conex-smc/newport-controller.ts";
import { PiGcs2Controller, type PiGcs2Settings } from "../../simulators/controllers/pi-gcs2/pi-gcs2-controller.ts";
import {
  ThorlabsAptController,
  type ThorlabsAptSettings,
} from "../../simulators/controllers/thorlabs-apt/thorlabs-apt-controller.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";
import { TestHost } from "../support/test-host.ts";

/** One line sent and what is received for it, with the text that says so. */
type Example = readonly [source: string, sent: string, received: string | RegExp];

function expectReceived(received: string, expected: string | RegExp): void {
  if (typeof expected === "string") {
    expect(received).toBe(expected);
  } else {
    expect(received).toMatch(expected);
  }
}

describe("Zaber ASCII", () => {
  // Firmware 6 manual, https://www.zaber.com/wiki/Manuals/ASCII_Protocol_Manual, as quoted by github.com/lokraszewski/zaber.
  const FIRMWARE_6 = "firmware 6 manual";
  // https://www.zaber.com/articles/ascii-protocol
  const ARTICLE = "maker's article on the protocol";
  // Tests of the maker's Python library zaber.serial (AsciiDevice, AsciiAxis).
  const PYTHON = "zaber.serial";
  // Tests of the maker's MATLAB toolbox (Zaber.AsciiDevice).
  const MATLAB = "maker's MATLAB toolbox";
  // https://docs.rs/crate/zproto/latest/source/src/ascii/packet/packet.rs
  const ZPROTO = "zproto";

  type State = "powered up" | "homed" | "moving";

  async function zaber(state: State): Promise<TestHost<ZaberAsciiController>> {
    const host = new TestHost((clock) => new ZaberAsciiController(clock));
    if (state !== "powered up") {
      await host.say("/1 home\n", 20_000);
      await host.say("/1 move abs 20000\n", 5000);
    }
    if (state === "moving") {
      await host.say("/1 move max\n", 300);
    }
    return host;
  }

  const EXAMPLES: Readonly<Record<State, readonly Example[]>> = {
    "powered up": [
      [FIRMWARE_6, "/home\n", "@01 0 OK BUSY WR 0\r\n"],
      [PYTHON, "/1 0 home\r\n", "@01 0 OK BUSY WR 0\r\n"],
      [PYTHON, "/1 1 home\r\n", "@01 1 OK BUSY WR 0\r\n"],
    ],
    homed: [
      [
        FIRMWARE_6,
        "/1 help\n",
        "@01 0 OK IDLE -- 0\r\n#01 0 Visit www.zaber.com for complete instruction manuals.\r\n",
      ],
      [FIRMWARE_6, "/1 move abs 10000\n", "@01 0 OK BUSY -- 0\r\n"],
      // The manual prints "BUSY-- 0"; fields are parted by blanks everywhere else.
      [FIRMWARE_6, "/1 1 estop\n", "@01 1 OK BUSY -- 0\r\n"],
      [ARTICLE, "/1 system reset\n", "@01 0 OK IDLE -- 0\r\n"],
      [PYTHON, "/1 0 home\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 0 move vel 1000\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 1 move rel -1000\r\n", "@01 1 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 0 tools setcomm 9600 1\r\n", "@01 0 OK IDLE NU 0\r\n"],
      [PYTHON, "/1 0 move abs 1000\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 0 move rel 1322\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 0 move vel 3243\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 1 move abs 10234\r\n", "@01 1 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 1 move rel 12312\r\n", "@01 1 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 1 move vel 1005\r\n", "@01 1 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 1\r\n", "@01 1 OK IDLE -- 0\r\n"],
      [MATLAB, "/1 0\r\n", "@01 0 OK IDLE -- 0\r\n"],
      [MATLAB, "/1 0 get limit.min\r\n", "@01 0 OK IDLE -- 0\r\n"],
      [MATLAB, "/1 0 get limit.max\r\n", /^@01 0 OK IDLE -- \d+\r\n$/],
      [MATLAB, "/1 0 get limit.cycle.dist\r\n", "@01 0 RJ IDLE -- BADCOMMAND\r\n"],
      [MATLAB, "/1 0 get motion.index.dist\r\n", /^@01 0 OK IDLE -- \d+\r\n$/],
      [MATLAB, "/1 0 get pos\r\n", /^@01 0 OK IDLE -- \d+\r\n$/],
      [MATLAB, "/1 0 home\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [MATLAB, "/1 0 move abs 10000\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [MATLAB, "/1 0 move rel 10000\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [MATLAB, "/1 0 move vel 10000\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [MATLAB, "/1 1 move abs 10000\r\n", "@01 1 OK BUSY -- 0\r\n"],
      [MATLAB, "/1 0 move index 5\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [MATLAB, "/1 0 stop\r\n", "@01 0 OK IDLE -- 0\r\n"],
      // A continuation with nothing before it; which reason rejects it is not known from a public text.
      [ZPROTO, "/cont 3 last part\n", "@01 0 RJ IDLE -- BADCOMMAND\r\n"],
    ],
    moving: [
      // The library's test of an axis polls "--" after a stop, its test of a device "NI"; the flag stays until it is cleared.
      [PYTHON, "/1 0 stop\r\n", "@01 0 OK BUSY NI 0\r\n"],
      [PYTHON, "/1 1 stop\r\n", "@01 1 OK BUSY NI 0\r\n"],
      [PYTHON, "/1 0\r\n", "@01 0 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 1\r\n", "@01 1 OK BUSY -- 0\r\n"],
      [PYTHON, "/1 0 get pos\r\n", /^@01 0 OK BUSY -- \d{5,}\r\n$/],
      [PYTHON, "/1 1 get pos\r\n", /^@01 1 OK BUSY -- \d{5,}\r\n$/],
    ],
  };

  for (const state of ["powered up", "homed", "moving"] as const) {
    test.each(EXAMPLES[state])(`${state} (%s): %j is answered %s`, async (_source, sent, received) => {
      const host = await zaber(state);
      expectReceived(await host.say(sent), received);
    });
  }

  test("a message id comes back in the reply; with -- there is none", async () => {
    const host = await zaber("homed");
    expect(await host.say("/1 0 05 get pos\n")).toBe("@01 0 05 OK IDLE -- 20000\r\n");
    expect(await host.say("/1 1 7 get pos\n")).toBe("@01 1 07 OK IDLE -- 20000\r\n");
    expect(await host.say("/1 1 -- move abs 10000\n", 5000)).toBe("");
    expect(await host.say("/1 0 99 get pos\n")).toBe("@01 0 99 OK IDLE -- 10000\r\n");
  });

  test("renumber gives a new address, from which it answers and which it keeps without power", async () => {
    const host = await zaber("homed");
    expect(await host.say("/1 renumber 5\n")).toBe("@05 0 OK IDLE -- 0\r\n");
    expect(await host.say("/1\n")).toBe("");
    expect(await host.say("/5 1 renumber 6\n")).toBe("@05 1 RJ IDLE -- DEVICEONLY\r\n");
    expect(await host.say("/5 renumber 100\n")).toBe("@05 0 RJ IDLE -- BADDATA\r\n");
    host.controller.powerCycle();
    expect(await host.say("/\n")).toBe("@05 0 OK IDLE WR 0\r\n");
    expect(await host.say("/renumber\n")).toBe("@01 0 OK IDLE WR 0\r\n");
    expect(await host.say("/1 set comm.address 3\n")).toBe("@03 0 OK IDLE WR 0\r\n");
  });

  test("move sin swings by twice the amplitude and ends with the cycle under way", async () => {
    const host = await zaber("homed");
    const start_mm = host.controller.position_mm();
    expect(await host.say("/1 move sin 1000 400\n", 200)).toBe("@01 0 OK BUSY -- 0\r\n");
    // Half a period later it is as far away as it gets.
    expect(host.controller.position_mm() - start_mm).toBeCloseTo(2000 * 47.625e-6, 6);
    expect(await host.say("/1 get pos\n", 250)).toBe("@01 0 OK BUSY -- 22000\r\n");
    expect(await host.say("/1 move sin stop\n")).toBe("@01 0 OK BUSY -- 0\r\n");
    await host.listen(1000);
    expect(await host.say("/1 get pos\n")).toBe("@01 0 OK IDLE -- 20000\r\n");
    expect(await host.say("/1 move sin -1000 200.5 2\n", 390)).toBe("@01 0 OK BUSY -- 0\r\n");
    expect(await host.say("/1\n", 20)).toBe("@01 0 OK BUSY -- 0\r\n");
    expect(await host.say("/1\n")).toBe("@01 0 OK IDLE -- 0\r\n");
    expect(host.controller.position_mm()).toBeCloseTo(start_mm, 9);
    // As cut short by another command.
    await host.say("/1 move sin 1000 400\n", 100);
    expect(await host.say("/1 stop\n")).toBe("@01 0 OK BUSY NI 0\r\n");
  });

  test.each(["", "1000", "1000 0.1", "1000 429496729.6", "1000 100.25", "1000 100 0", "-10001 100", "x 100"])(
    "move sin %s is rejected",
    async (parameters) => {
      const host = await zaber("homed");
      expect(await host.say(`/1 move sin ${parameters}\n`)).toBe("@01 0 RJ IDLE -- BADDATA\r\n");
    },
  );

  test("a command of several packets is obeyed with the last; a long reply comes in several", async () => {
    const host = await zaber("homed");
    expect(await host.say("/1 1 9 move \\\n")).toBe("");
    expect(await host.say("/1 1 9 cont 1 abs\\\n")).toBe("");
    expect(await host.say("/1 1 9 cont 2 10000\n")).toBe("@01 1 09 OK BUSY -- 0\r\n");
    await host.listen(5000);
    expect(await host.say("/1 move \\\n/1 cont 2 abs 5\n")).toBe("@01 0 RJ IDLE -- BADCOMMAND\r\n");
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ");
    const reply = (await host.say(`/1 tools echo ${words}\n`)).split("\r\n").slice(0, -1);
    expect(reply.length).toBeGreaterThan(2);
    expect(reply[0]).toMatch(/^@01 0 OK IDLE -- word0 .*\\$/);
    expect(reply[1]).toMatch(/^#01 0 cont word\d+ .*\\$/);
    expect(reply.at(-1)).toMatch(/^#01 0 cont .*word29$/);
    for (const packet of reply) {
      expect(packet.length).toBeLessThanOrEqual(78);
    }
    const data = reply.map((packet) => packet.replace(/^(?:@01 0 OK IDLE --|#01 0 cont) /, "").replace(/\\$/, ""));
    expect(data.join(" ")).toBe(words);
  });

  test("firmware 6 knows no packets: a backslash is part of its word", async () => {
    const host = new TestHost((clock) => new ZaberAsciiController(clock, { firmware: "6.28" }));
    expect(await host.say("/1 move \\\n")).toBe("@01 0 RJ IDLE WR BADCOMMAND\r\n");
    expect(await host.say("/1 cont 1 abs\n")).toBe("@01 0 RJ IDLE WR BADCOMMAND\r\n");
  });

  test("turned by the knob it shows NC until it stands; streams and triggers are unknown", async () => {
    const host = await zaber("homed");
    host.controller.turnKnob(1);
    expect(await host.say("/1\n")).toBe("@01 0 OK BUSY NC 0\r\n");
    expect(await host.say("/1 warnings\n")).toBe("@01 0 OK BUSY NC 01 NC\r\n");
    await host.listen(2000);
    expect(await host.say("/1\n")).toBe("@01 0 OK IDLE -- 0\r\n");
    for (const command of ["trigger 1 enable", "stream 1 setup live 1", "lockstep 1 home", "move stored 1"]) {
      expect(await host.say(`/1 ${command}\n`)).toBe("@01 0 RJ IDLE -- BADCOMMAND\r\n");
    }
  });
});

describe("Thorlabs APT", () => {
  // Issue 25 of the maker's "APT Communications Protocol" gives the layouts; the bytes are from drivers that follow it.
  // https://github.com/yaq-project/thorlabs-apt-protocol, README
  const YAQ = "thorlabs-apt-protocol";
  // https://github.com/Farron-SCP/Thorlabs-KST201-Serial-Command, thorlabs_ver2.py
  const KST201 = "Thorlabs-KST201-Serial-Command";
  // https://github.com/iancynk/pyKDC101, list of commands
  const PYKDC101 = "pyKDC101";

  async function homed(settings: Partial<ThorlabsAptSettings> = {}): Promise<TestHost<ThorlabsAptController>> {
    const host = new TestHost((clock) => new ThorlabsAptController(clock, settings));
    await host.exchange("10 02 01 01 50 01");
    await host.exchange("43 04 01 00 50 01", 60_000);
    return host;
  }

  test("homing (thorlabs-apt-protocol, pyKDC101): answered when it is home", async () => {
    const host = new TestHost((clock) => new ThorlabsAptController(clock, { model: "KDC101" }));
    await host.exchange("10 02 01 01 50 01");
    expect(await host.exchange("43 04 01 00 50 01", 60_000)).toBe("44 04 01 00 01 50");
  });

  const POSITION_2048 = "00 08 00 00";
  const NOTHING = "00 00 00 00";

  test.each<Example>([
    // Absolute to 2048 counts: the README's b'S\x04\x06\x00\xd0\x01\x01\x00\x00\x08\x00\x00'.
    [YAQ, `53 04 06 00 d0 01 01 00 ${POSITION_2048}`, /^64 04 0e 00 81 50 01 00 00 08 00 00 /],
    // The comment calls 0x86fb counts a millimetre, which they are on another controller.
    [KST201, "53 04 06 00 d0 01 01 00 fb 86 00 00", /^64 04 0e 00 81 50 01 00 fb 86 00 00 /],
    [KST201, "11 04 01 00 50 01", `12 04 06 00 81 50 01 00 ${NOTHING}`],
    [KST201, "17 04 01 00 50 01", /^18 04 16 00 81 50 01 00 02 00 /],
    // pyKDC101 calls direction 2 forward, KST201 direction 1; the protocol's own names are those of KST201.
    [KST201, "6a 04 01 01 50 01", /^64 04 0e 00 81 50 01 00 00 86 00 00 /],
    [PYKDC101, "23 02 00 00 50 01", ""],
    [PYKDC101, "05 00 00 00 50 01", /^06 00 54 00 81 50 .{5} 9d 01 4b 44 43 31 30 31 00 00 /],
    [PYKDC101, "11 04 01 00 50 01", `12 04 06 00 81 50 01 00 ${NOTHING}`],
    [PYKDC101, "0a 04 01 00 50 01", `0b 04 06 00 81 50 01 00 ${NOTHING}`],
    [PYKDC101, "14 04 01 00 50 01", /^15 04 0e 00 81 50 01 00 00 00 00 00 /],
    [PYKDC101, "3b 04 01 00 50 01", `3c 04 06 00 81 50 01 00 ${NOTHING}`],
    [PYKDC101, "41 04 01 00 50 01", /^42 04 0e 00 81 50 01 00 02 00 01 00 /],
    [PYKDC101, "46 04 01 00 50 01", `47 04 06 00 81 50 01 00 ${NOTHING}`],
    [PYKDC101, "51 04 01 00 50 01", `52 04 06 00 81 50 01 00 ${NOTHING}`],
    [PYKDC101, "17 04 01 00 50 01", /^18 04 16 00 81 50 01 00 /],
    [PYKDC101, "45 04 06 00 d0 01 01 00 00 70 00 00", ""],
    [PYKDC101, "50 04 06 00 d0 01 01 00 00 70 00 00", ""],
    [PYKDC101, "48 04 06 00 d0 01 01 00 00 70 00 00", /^64 04 0e 00 81 50 01 00 00 70 00 00 /],
    [PYKDC101, "53 04 06 00 d0 01 01 00 00 a0 00 00", /^64 04 0e 00 81 50 01 00 00 a0 00 00 /],
    [PYKDC101, "53 04 01 00 50 01", `64 04 0e 00 81 50 01 00 ${NOTHING} 00 00 00 00 00 05 00 90`],
  ])("a homed KDC101 (%s): %s is answered %s", async (_source, sent, received) => {
    const host = await homed({ model: "KDC101" });
    expectReceived(await host.exchange(sent, 10_000), received);
  });

  test("pyKDC101: a move at constant velocity goes on until it is stopped", async () => {
    const host = await homed({ model: "KDC101" });
    expect(await host.exchange("57 04 01 01 50 01", 2000)).toBe("");
    expect(await host.exchange("65 04 01 00 50 01", 3000)).toMatch(/^66 04 0e 00 81 50 01 00 /);
    expect(host.controller.position_mm()).toBeGreaterThan(2);
    expect(await host.exchange("57 04 01 02 50 01", 20_000)).toMatch(/^64 04 0e 00 81 50 01 00 .* 02 05 00 90$/);
  });

  test("a jog takes the length and the ramp of its own parameters, in both directions", async () => {
    const host = await homed();
    // Single steps of 2 mm at 5 mm/s and 10 mm/s², profiled stop.
    await host.exchange("16 04 16 00 d0 01 01 00 02 00 00 80 0c 00 00 00 00 00 04 b0 00 00 80 82 8d 06 02 00");
    expect(await host.exchange("17 04 01 00 50 01")).toBe(
      "18 04 16 00 81 50 01 00 02 00 00 80 0c 00 00 00 00 00 04 b0 00 00 80 82 8d 06 02 00",
    );
    expect(await host.exchange("6a 04 01 01 50 01", 500)).toBe("");
    expect(await host.exchange("29 04 01 00 50 01")).toMatch(/^2a 04 06 00 81 50 01 00 40 05 00 90$/);
    expect(await host.listen(500)).toContain("\x64\x04\x0e\x00");
    expect(host.controller.position_mm()).toBeCloseTo(2, 6);
    await host.exchange("6a 04 01 02 50 01", 100);
    expect(await host.exchange("29 04 01 00 50 01")).toMatch(/^2a 04 06 00 81 50 01 00 80 05 00 90$/);
    await host.listen(2000);
    expect(host.controller.position_mm()).toBeCloseTo(0, 6);
  });

  test("a continuous jog goes on to the switch", async () => {
    const host = await homed();
    await host.exchange("16 04 16 00 d0 01 01 00 01 00 00 80 0c 00 00 00 00 00 04 b0 00 00 00 00 1b 0d 02 00");
    expect(await host.exchange("6a 04 01 01 50 01", 5000)).toBe("");
    expect(host.controller.position_mm()).toBeGreaterThan(40);
    expect(await host.exchange("92 04 00 00 50 01", 60_000)).toMatch(/^64 04 0e 00 81 50 .* 01 05 00 90$/);
  });

  test.each([
    [
      "position counter",
      "10 04 06 00 d0 01 01 00 d2 04 00 00",
      "11 04 01 00 50 01",
      "12 04 06 00 81 50 01 00 d2 04 00 00",
    ],
    [
      "encoder counter",
      "09 04 06 00 d0 01 01 00 d2 04 00 00",
      "0a 04 01 00 50 01",
      "0b 04 06 00 81 50 01 00 d2 04 00 00",
    ],
    ["power", "26 04 06 00 d0 01 01 00 0a 00 50 00", "27 04 01 00 50 01", "28 04 06 00 81 50 01 00 0a 00 50 00"],
    ["lamp modes", "b3 04 04 00 d0 01 01 00 08 00", "b4 04 01 00 50 01", "b5 04 04 00 81 50 01 00 08 00"],
    ["digital outputs", "13 02 05 00 50 01", "14 02 00 00 50 01", "15 02 05 00 01 50"],
    ["panel lock", "50 02 00 01 50 01", "51 02 00 00 50 01", "52 02 00 01 01 50"],
    // Servo gains belong to a controller of DC motors.
    ["servo gains of a stepper", "a0 04 14 00 d0 01 01 00", "a1 04 01 00 50 01", ""],
  ])("%s are set, kept and asked for", async (_name, set, request, answer) => {
    const host = await homed();
    expect(await host.exchange(set)).toBe("");
    expect(await host.exchange(request)).toBe(answer);
  });

  test("restoring the factory settings brings back the first jog", async () => {
    const host = await homed();
    const before = await host.exchange("17 04 01 00 50 01");
    await host.exchange("16 04 16 00 d0 01 01 00 01 00 00 80 0c 00 00 00 00 00 04 b0 00 00 00 00 1b 0d 02 00");
    expect(await host.exchange("17 04 01 00 50 01")).not.toBe(before);
    await host.exchange("86 06 01 00 50 01");
    expect(await host.exchange("17 04 01 00 50 01")).toBe(before);
  });
});
describe("Newport CONEX-CC and SMC100", () => {
  // SMC100CC/PP manual, page 26, https://www.manualslib.com/manual/1238858/Newport-Smc100cc.html?page=26
  const PAGE_26 = "SMC100 manual, page 26";
  // Class SMC100CC that quotes the manual's section 6.2; https://github.com/freespace/pySMC100; motorNewport
  const MANUAL_6 = "SMC100 manual, section 6";
  const PYSMC100 = "pySMC100";
  const EPICS = "motorNewport";
  // NPC1USB manual, page 39, same family: which error an address leaves.
  const NPC = "NPC1USB manual, page 39";

  function newport(settings: Partial<NewportSettings> = {}): TestHost<NewportController> {
    return new TestHost(
      (clock) => new NewportController(clock, { velocity_mm_s: 20, acceleration_mm_s2: 80, ...settings }),
    );
  }

  async function homed(settings: Partial<NewportSettings> = {}): Promise<TestHost<NewportController>> {
    const host = newport(settings);
    await host.say("1OR\r\n", 30_000);
    return host;
  }

  test.each<Example>([
    [MANUAL_6, "1VA10\r\n1VA?\r\n", "1VA10\r\n"],
    [PAGE_26, "1P A1.43 6\r\n1PA?\r\n", "1PA1.43600\r\n"],
    [PAGE_26, "1PA1.436\r\n1PA?\r\n", "1PA1.43600\r\n"],
    [PAGE_26, "1pa1.436\r\n1Pa?\r\n", "1PA1.43600\r\n"],
    // What follows a command on its line is ignored; commands cannot be put together.
    [PAGE_26, "1PA1;1PA2\r\n1PA?\r\n", "1PA1.00000\r\n"],
    [NPC, "TS\r\n1TE\r\n", "1TEB\r\n"],
    [NPC, "32TS\r\n1TE\r\n", "1TEB\r\n"],
    [NPC, "1.5TS\r\n1TE\r\n", "1TEA\r\n"],
    [NPC, "1TS\r\n", /^1TS[0-9A-F]{6}\r\n$/],
    [PYSMC100, "1TS?\r\n", "1TS000032\r\n"],
    [PYSMC100, "1TP?\r\n", "1TP0.00000\r\n"],
    [PYSMC100, "1ID?\r\n", "1IDTRA25CC\r\n"],
    [PYSMC100, "1OR\r\n1TE\r\n", "1TEK\r\n"],
    [EPICS, "1TB H\r\n", "1TBH Command not allowed in NOT REFERENCED state.\r\n"],
  ])("a homed controller (%s): %j is answered %s", async (_source, sent, received) => {
    const host = await homed();
    expectReceived(await host.say(sent), received);
  });

  test("pySMC100 configures a stage in its own order", async () => {
    const host = newport({ controller: "SMC100" });
    await host.say("1RS\r\n1RS\r\n", 3100);
    expect(await host.say("1TS?\r\n")).toBe("1TS00000A\r\n");
    await host.say("1PW1\r\n");
    expect(await host.say("1TS?\r\n")).toBe("1TS000014\r\n");
    await host.say("1ZX1\r\n1ZX2\r\n1PW0\r\n", 10_000);
    expect(await host.say("1TS?\r\n")).toBe("1TS00000C\r\n");
    expect(await host.say("1ZX?\r\n")).toBe("1ZX2\r\n");
  });

  test("only what was configured survives a reset", async () => {
    const host = newport();
    await host.say("1PW1\r\n1VA10\r\n1KP3\r\n1SR12\r\n1PW0\r\n", 5000);
    await host.say("1VA4\r\n1SL-2\r\n");
    expect(await host.say("1VA?\r\n1SL?\r\n1SR?\r\n")).toBe("1VA4\r\n1SL-2\r\n1SR12\r\n");
    await host.say("1RS\r\n", 3100);
    expect(await host.say("1VA?\r\n1SL?\r\n1SR?\r\n1KP?\r\n")).toBe("1VA10\r\n1SL0\r\n1SR12\r\n1KP3\r\n");
    // A configuration that ends in a reset was never written.
    await host.say("1PW1\r\n1KP9\r\n1RS\r\n", 3100);
    expect(await host.say("1KP?\r\n")).toBe("1KP3\r\n");
  });

  test("ZT tells every parameter between PW1 and PW0", async () => {
    const lines = (await newport().say("1ZT\r\n")).split("\r\n");
    expect(lines[0]).toBe("1PW1");
    expect(lines.at(-2)).toBe("1PW0");
    expect(lines).toContain("1SR25");
    expect(lines).toContain("1IDTRA25CC");
    expect(lines).toContain("1VA20");
  });

  test("SE keeps a target until all controllers of the line start together", async () => {
    const host = await homed();
    await host.say("1SE5\r\n", 2000);
    expect(await host.say("1SE?\r\n")).toBe("1SE5.00000\r\n");
    expect(host.controller.position_mm()).toBeCloseTo(0, 6);
    await host.say("1SE26\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEG\r\n");
    await host.say("SE\r\n", 2000);
    expect(await host.say("1TP\r\n")).toBe("1TP5.00000\r\n");
    await host.say("1PA20\r\n", 200);
    await host.say("ST\r\n", 1000);
    expect(await host.say("1TS\r\n")).toBe("1TS000033\r\n");
    expect(host.controller.position_mm()).toBeLessThan(15);
  });

  test("PT says how long a relative move takes, and it takes that long", async () => {
    const host = await homed();
    // 10 mm at 20 mm/s with 80 mm/s²: 10/20 + 20/80 s; 1 mm never reaches 20 mm/s: 2·√(1/80) s.
    expect(await host.say("1PT10\r\n")).toBe("1PT0.75000\r\n");
    expect(await host.say("1PT-1\r\n")).toBe("1PT0.22361\r\n");
    await host.say("1PR10\r\n", 740);
    expect(await host.say("1TS\r\n", 5)).toBe("1TS000028\r\n");
    await host.listen(10);
    expect(await host.say("1TS\r\n")).toBe("1TS000033\r\n");
  });

  test("a CONEX-CC tracks: 36, 46, 37, 47; disabled 3F, then 38", async () => {
    const host = await homed();
    await host.say("1TK1\r\n");
    expect(await host.say("1TS\r\n1TK?\r\n")).toBe("1TS000036\r\n1TK1\r\n");
    await host.say("1PA5\r\n", 100);
    expect(await host.say("1TS\r\n")).toBe("1TS000046\r\n");
    await host.say("1PA6\r\n", 10);
    expect(await host.say("1TS\r\n", 2000)).toBe("1TS000047\r\n");
    expect(await host.say("1TS\r\n1TP\r\n")).toBe("1TS000037\r\n1TP6.00000\r\n");
    await host.say("1PR1\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEP\r\n");
    await host.say("1MM0\r\n");
    expect(await host.say("1TS\r\n1MM?\r\n")).toBe("1TS00003F\r\n1MM0\r\n");
    await host.say("1MM1\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS000038\r\n");
    await host.say("1TK0\r\n1PR1\r\n", 2000);
    expect(await host.say("1TS\r\n1TP\r\n")).toBe("1TS000033\r\n1TP7.00000\r\n");
  });

  test("inputs, outputs and keypad are those of an SMC100, tracking is that of a CONEX-CC", async () => {
    const smc = await homed({ controller: "SMC100" });
    expect(await smc.say("1RA\r\n1RB\r\n1SB?\r\n1JM?\r\n")).toBe("1RA0\r\n1RB0\r\n1SB0\r\n1JM1\r\n");
    await smc.say("1SB5\r\n1JM0\r\n");
    expect(await smc.say("1SB?\r\n1JM?\r\n")).toBe("1SB5\r\n1JM0\r\n");
    await smc.say("1JD\r\n");
    expect(await smc.say("1TE\r\n")).toBe("1TEK\r\n");
    await smc.say("1TK1\r\n");
    expect(await smc.say("1TE\r\n")).toBe("1TEA\r\n");
    const conex = await homed();
    expect(await conex.say("1SB?\r\n1TE\r\n")).toBe("1TEA\r\n");
    // Base velocity and stepper configuration belong to steppers.
    expect(await conex.say("1VB?\r\n1TE\r\n")).toBe("1TEX\r\n");
  });

  test.each(["1QIL4", "1HT5", "1OT0", "1JR0", "1SC2", "1SA1", "1SL1"])("%s is out of range", async (command) => {
    const host = newport();
    await host.say(`1PW1\r\n${command}\r\n`);
    expect(await host.say("1TE\r\n")).toBe("1TEC\r\n");
  });

  test("RS## brings back address 1", async () => {
    const host = newport({ address: 7 });
    expect(await host.say("7TS\r\n")).toBe("7TS00000A\r\n");
    await host.say("RS##\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS00000A\r\n");
  });
});
describe("PI GCS 2", () => {
  // C-863.12 manual MS249E 1.2.1; the page is that of the manual,
  // https://manualshive.com/en/manual/pi/ms249e/1554329?page= shows it under a number that is 6 higher.
  const PAGE = (page: number): string => `C-863.12 manual, page ${page}`;

  async function pi(settings: Partial<PiGcs2Settings> = {}): Promise<TestHost<PiGcs2Controller>> {
    const host = new TestHost((clock) => new PiGcs2Controller(clock, { travel_mm: 50, ...settings }));
    await host.say("SVO 1 1\nFRF 1\n", 60_000);
    return host;
  }

  test.each<Example>([
    [PAGE(116), "MOV 1 10.0\nERR?\n", "0\n"],
    [PAGE(116), "RPA\nERR?\n", "0\n"],
    [PAGE(116), "POS?\n", "1=0.0000\n"],
    // The response to a single character ends with a line feed, though the character itself does not.
    [PAGE(126), "\x05", "0\n"],
    [PAGE(127), "\x07", "\xb1\n"],
    [PAGE(117), "SEP 100 1 0x32 0\nSEP? 1 0x32\n", "1 0x32=0\n"],
    // Two parameters in one line are not possible, and nothing of such a line is executed.
    [PAGE(117), "SEP 100 1 0x32 0 1 0x14 1\nERR?\n", /^[1-9]\d*\n$/],
    [PAGE(117), "SEP?\n", /^1 0xA=50 \n1 0xB=100 \n(?:1 0x[0-9A-F]+=\S+ \n)+1 0x[0-9A-F]+=\S+\n$/],
    [PAGE(133), "CCL 1 advanced\nCCL?\n", "1\n"],
    [PAGE(136), "CSV?\n", "2.0\n"],
    [PAGE(186), "SAI?\n", "1\n"],
    [PAGE(186), "SAI 1 AXIS_A\nSAI?\n", "AXIS_A\n"],
    // Parameter ids in hexadecimal and in decimal digits.
    [PAGE(191), "SPA 1 0x411 100\nSPA? 1 0x411\n", "1 0x411=100\n"],
    [PAGE(191), "SPA 1 1041 150\nSPA? 1 1041\n", "1 1041=150\n"],
    [PAGE(191), "SPA 1 0x411 150\nWPA 100\nSEP? 1 0x411\n", "1 0x411=150\n"],
    [PAGE(198), "TIO?\n", "I=4 \nO=4\n"],
    [PAGE(204), "VEL?\n", "1=20.000000\n"],
    [PAGE(204), "VER?\n", /^FW_ARM: /],
  ])("a referenced C-863 (%s): %j is answered %j", async (_source, sent, received) => {
    const host = await pi();
    expectReceived(await host.say(sent), received);
  });

  test("the status register as on page 194: on target, servo on, positive side of the reference switch", async () => {
    const host = await pi();
    await host.say("MOV 1 1\n", 2000);
    expect(await host.say("SRG? 1 1\n")).toBe("1 1=0x9002\n");
    expect(await host.say("\x04")).toBe("0x9002\n");
  });

  test("the status register as on page 126, where the switches' signals are inverted", async () => {
    const host = await pi({ limitsActiveLow: true });
    await host.say("MOV 1 1\n", 2000);
    expect(await host.say("\x04")).toBe("0x9005\n");
  });

  test("the error flag of the status register stands until the error is read", async () => {
    const host = await pi();
    await host.say("MOV 1 51\n");
    expect(await host.say("\x04")).toBe("0x9100\n");
    expect(await host.say("ERR?\n")).toBe("7\n");
    expect(await host.say("\x04")).toBe("0x9000\n");
  });

  test("SPA is gone after a reboot, SEP holds from the next one on, RPA takes it over without one", async () => {
    const host = await pi();
    await host.say("SPA 1 0x411 7\nSEP 100 1 0x412 9\n");
    expect(await host.say("SPA? 1 0x411\nSPA? 1 0x412\n")).toBe("1 0x411=7\n1 0x412=0\n");
    await host.say("RPA 1 0x412\n");
    expect(await host.say("SPA? 1 0x411\nSPA? 1 0x412\n")).toBe("1 0x411=7\n1 0x412=9\n");
    await host.say("RBT\n");
    expect(await host.say("SPA? 1 0x411\nSPA? 1 0x412\n")).toBe("1 0x411=100\n1 0x412=9\n");
  });

  test("VEL and ACC change parameters 0x49 and 0xB; WPA makes them the values after a reboot", async () => {
    const host = await pi();
    await host.say("VEL 1 5\nACC 1 40\nWPA 100 1 0x49\nRBT\n");
    expect(await host.say("VEL? 1\nACC? 1\n")).toBe("1=5.000000\n1=100.000000\n");
    await host.say("SPA 1 0x49 6\n");
    expect(await host.say("VEL? 1\n")).toBe("1=6.000000\n");
  });

  test.each([
    ["SPA 2 0x411 1", 23],
    ["SPA 1 0x999 1", 54],
    ["SPA 1 velocity 1", 1],
    ["SPA 1 0x411", 1],
    ["SPA 1 0x49 0", 17],
    ["SEP 101 1 0x411 1", 56],
    ["WPA 1", 56],
    ["CCL 1 guess", 56],
    ["SPA 1 0xE 5000", 60],
    ["POS 1 5", 88],
    ["ACC 1 10000", 17],
    ["DFH 2", 23],
  ])("%s leaves error %i", async (command, error) => {
    const host = await pi();
    await host.say(`${command}\n`);
    expect(await host.say("ERR?\n")).toBe(`${error}\n`);
  });

  test("with command level 1 a protected parameter may be written; level 0 closes it again", async () => {
    const host = await pi();
    await host.say("CCL 1 advanced\nSPA 1 0xE 5000\nCCL 0\nSPA 1 0xE 6000\n");
    expect(await host.say("SPA? 1 14\nERR?\n")).toBe("1 14=5000\n60\n");
  });

  test("DFH puts the zero where the stage stands; GOH goes there; the limits move with it", async () => {
    const host = await pi();
    await host.say("MOV 1 20\n", 5000);
    await host.say("DFH 1\n");
    expect(await host.say("POS? 1\nTMN? 1\nTMX? 1\nDFH? 1\n")).toBe(
      "1=0.0000\n1=-20.0000000\n1=30.0000000\n1=20.0000000\n",
    );
    await host.say("MOV 1 -5\n", 3000);
    expect(host.controller.position_mm()).toBeCloseTo(15, 6);
    await host.say("GOH 1\n", 3000);
    expect(host.controller.position_mm()).toBeCloseTo(20, 6);
  });

  test("FNL and FPL take an end of the travel as the reference", async () => {
    const host = await pi();
    await host.say("FPL 1\n", 60_000);
    expect(await host.say("POS? 1\nFRF? 1\n")).toBe("1=50.0000\n1=1\n");
    await host.say("FNL 1\n", 60_000);
    expect(await host.say("POS? 1\n")).toBe("1=0.0000\n");
  });

  test("a soft limit of the parameters holds for moves", async () => {
    const host = await pi();
    await host.say("SPA 1 0x15 30\nMOV 1 31\n");
    expect(await host.say("ERR?\nTMX? 1\n")).toBe("7\n1=30.0000000\n");
  });

  test("HPA? lists every parameter that SPA? knows, in lines that end as those of HLP?", async () => {
    const host = await pi();
    const lines = (await host.say("HPA?\n")).split("\n");
    expect(lines.at(-2)).toBe("end of help");
    expect(lines).toContain("0x49=0\t1\tFLOAT\tmotion parameters\tClosed-Loop Velocity (Phys. Unit/s) ");
    const ids = lines.flatMap((line) => /^(0x[0-9A-F]+)=/.exec(line)?.[1] ?? []);
    expect(ids.length).toBeGreaterThan(15);
    for (const id of ids) {
      expect(await host.say(`SPA? 1 ${id}\n`)).toMatch(new RegExp(`^1 ${id}=\\S+\n$`));
    }
  });

  test("every command that HLP? lists is known", async () => {
    const host = await pi();
    const commands = (await host.say("HLP?\n"))
      .split("\n")
      .flatMap((line) => /^(\*?[A-Z]{3}\??) /.exec(line)?.[1] ?? []);
    expect(commands.length).toBeGreaterThan(40);
    for (const command of commands.filter((name) => name !== "RBT" && name !== "HLP?")) {
      await host.say(`${command}\nERR?\n`);
      await host.say(`${command}\n`);
      expect(await host.say("ERR?\n"), command).not.toMatch(/(?:^|\n)2\n$/);
    }
  });
});
describe("GRBL 1.1h", () => {
  // https://github.com/gnea/grbl, doc/markdown
  const INTERFACE = "interface.md";
  const COMMANDS = "commands.md";
  const JOGGING = "jogging.md";

  function grbl(): TestHost<GrblController> {
    return new TestHost((clock) => new GrblController(clock, { homing: false, softLimits: false, hardLimits: false }));
  }

  const HELP = "[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]\r\nok\r\n";
  const ZEROS = ["G54", "G55", "G56", "G57", "G58", "G59", "G28", "G30", "G92"].map(
    (name) => `[${name}:0.000,0.000,0.000]\r\n`,
  );

  test.each<Example>([
    [INTERFACE, "\n", "ok\r\n"],
    // The help message of interface.md lacks $SLP in one of its two places; commands.md has it.
    [COMMANDS, "$\n", HELP],
    // Both texts print a program mode M0 and one decimal more, as older revisions did: "F0. S0.", "S0.0 F500.0".
    [INTERFACE, "$G\n", "[GC:G0 G54 G17 G21 G90 G94 M5 M9 T0 F0 S0]\r\nok\r\n"],
    [INTERFACE, "$#\n", `${ZEROS.join("")}[TLO:0.000]\r\n[PRB:0.000,0.000,0.000:0]\r\nok\r\n`],
    // "[VER:v1.1d.20161014:Some string]", "[OPT:VL]" there: version and options are those of the build.
    [INTERFACE, "$I=Some string\n$I\n", "ok\r\n[VER:1.1h.20190830:SOMESTRING]\r\n[OPT:V,15,128]\r\nok\r\n"],
    // Out of the box the two lines are empty; interface.md shows them after "$N0=G54".
    [COMMANDS, "$N\n", "$N0=\r\n$N1=\r\nok\r\n"],
    [INTERFACE, "$N0=G54\n$N\n", "ok\r\n$N0=G54\r\n$N1=\r\nok\r\n"],
    [COMMANDS, "$N0=G20 G54 G17\n$N\n", "ok\r\n$N0=G20G54G17\r\n$N1=\r\nok\r\n"],
    [COMMANDS, "$N0=G20 G54 G17\n\x18", "ok\r\n\r\nGrbl 1.1h ['$' for help]\r\n>G20G54G17:ok\r\n"],
    [INTERFACE, "$N0=G54 G20\n\x18", "ok\r\n\r\nGrbl 1.1h ['$' for help]\r\n>G54G20:ok\r\n"],
    [COMMANDS, "$N0=G20\n$N0=\n$N\n", "ok\r\nok\r\n$N0=\r\n$N1=\r\nok\r\n"],
    [COMMANDS, "$C\n", "[MSG:Enabled]\r\nok\r\n"],
    [COMMANDS, "$C\n$C\n", "[MSG:Enabled]\r\nok\r\n[MSG:Disabled]\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n"],
    [COMMANDS, "$RST=$\n", "[MSG:Restoring defaults]\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n"],
    [COMMANDS, "$RST=#\n", "[MSG:Restoring defaults]\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n"],
    [COMMANDS, "$RST=*\n", "[MSG:Restoring defaults]\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n"],
    [COMMANDS, "$SLP\n", "ok\r\n[MSG:Sleeping]\r\n"],
    [INTERFACE, "M2\n", "[MSG:Pgm End]\r\nok\r\n"],
    [INTERFACE, "M30\n", "[MSG:Pgm End]\r\nok\r\n"],
    [INTERFACE, "?", "<Idle|MPos:0.000,0.000,0.000|FS:0,0|WCO:0.000,0.000,0.000>\r\n"],
    [INTERFACE, "??", /Ov:100,100,100>\r\n$/],
    [INTERFACE, "$10=0\nG92 X2.5 Y0 Z-11\n?", /<Idle\|WPos:2\.500,0\.000,-11\.000\|/],
    [INTERFACE, "$10=3\n?", /\|Bf:15,128\|FS:0,0/],
    [INTERFACE, "$10=2\n\x84?", /^ok\r\n\[MSG:Check Door\]\r\n<Door:0\|WPos:/],
    [
      COMMANDS,
      "G10 L2 P1 X4\nG10 L2 P2 X4 Y6 Z7\n$#\n",
      /\[G54:4\.000,0\.000,0\.000\]\r\n\[G55:4\.000,6\.000,7\.000\]/,
    ],
  ])("%s: %j is answered %j", async (_source, sent, received) => {
    const host = grbl();
    let answers = "";
    // Real-time bytes overtake lines that are still waiting, so one piece is sent after the other.
    for (const piece of sent.match(/[^\n?\x18\x84]*\n|[?\x18\x84]/g) ?? []) {
      answers += await host.say(piece);
    }
    expectReceived(answers, received);
  });

  test("settings as in interface.md, where they are those of the emulated machine", async () => {
    const settings = (await grbl().say("$$\n")).split("\r\n");
    for (const line of "$0=10 $1=25 $2=0 $3=0 $4=0 $5=0 $6=0 $11=0.010 $12=0.002 $13=0 $24=25.000 $26=250 $30=1000".split(
      " ",
    )) {
      expect(settings).toContain(line);
    }
    expect(settings).toContain("$100=250.000");
    expect(settings.slice(-2)).toEqual(["ok", ""]);
  });

  test(`jogs as in ${JOGGING} and ${COMMANDS}, one after the other`, async () => {
    const host = grbl();
    expect(await host.say("$J=X10.0 Y-1.5 F1200\n", 5000)).toBe("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:10\.000,/);
    // G91 and G20 hold for this line only.
    expect(await host.say("$J=G91 G20 X0.5 F100\n", 5000)).toBe("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:22\.700,/);
    expect(await host.say("$G\n")).toContain("G21 G90");
    expect(await host.say("$J=G53 Y5.0 F100\n")).toBe("ok\r\n");
  });

  // Texts of doc/csv/error_codes_en_US.csv, each brought about by one line.
  test.each([
    [1, "100"],
    [2, "G1X"],
    [3, "$GX"],
    [4, "$110=-1"],
    [5, "$H"],
    [6, "$0=2"],
    [8, "$X\nG1X9F60\n$#"],
    [10, "$20=1"],
    [11, "N1".repeat(40)],
    [16, "$J=G54 X1 F10"],
    [16, "$JX1"],
    [20, "G5"],
    [20, "M6"],
    [20, "G2 X1 I1 F100"],
    [20, "G38.2 X1 F100"],
    [21, "G17 G18"],
    [21, "M3 M5"],
    [22, "G1 X1"],
    [22, "$J=X1"],
    [23, "G54.1"],
    [24, "G0 G10 L2 P1 X1"],
    [25, "X1 X2"],
    [26, "G92"],
    [26, "G2 F100"],
    [26, "$J=F100"],
    [27, "N10000001"],
    [28, "G4"],
    [28, "G10 X1"],
    [29, "G10 L2 P7 X1"],
    [30, "G2 G53 X1"],
    [31, "G80 X1"],
    [32, "G2 Z1 F100"],
    [35, "G2 X1 F100"],
    [36, "G0 X1 P1"],
    [37, "G43.1 X1"],
    [38, "T256"],
  ])("error %i: %j", async (error, lines) => {
    const answers = (await grbl().say(`${lines}\n`)).split("\r\n");
    expect(answers.at(-2)).toBe(`error:${error}`);
  });

  test.each([
    ["\x91", "110,100,100"],
    ["\x92", "90,100,100"],
    ["\x93", "101,100,100"],
    ["\x94", "99,100,100"],
    ["\x91\x91\x90", "100,100,100"],
    ["\x91".repeat(12), "200,100,100"],
    ["\x92".repeat(12), "10,100,100"],
    ["\x96", "100,50,100"],
    ["\x97", "100,25,100"],
    ["\x97\x95", "100,100,100"],
    ["\x9a\x9c", "100,100,111"],
    ["\x9b\x9d", "100,100,89"],
    ["\x9a\x99", "100,100,100"],
  ])("commands.md: override %j makes %s", async (bytes, values) => {
    const host = grbl();
    await host.say("???");
    await host.say(bytes);
    const reports = await host.say("?".repeat(12));
    expect(reports).toContain(`|Ov:${values}>`);
  });

  test("a changed override is told in the next report and changes the motion under way, a jog excepted", async () => {
    const host = grbl();
    await host.say("??");
    await host.say("G1 X-100 F600\n", 1500);
    expect(await host.say("?", 5)).toMatch(/\|FS:600,0>/);
    await host.say("\x91\x91", 1000);
    expect(await host.say("?", 5)).toMatch(/\|FS:720,0\|Ov:120,100,100>/);
    expect(await host.say("?", 5)).toMatch(/\|FS:720,0>/);
    await host.say("\x18$X\n", 100);
    await host.say("\x91$J=G91 X50 F600\n", 1500);
    expect(await host.say("?", 5)).toMatch(/^<Jog\|.*\|FS:600,0/);
    await host.say("\x85\x97", 2000);
    await host.say("G0 X0\n", 2000);
    // A quarter of 1200 mm/min.
    expect(await host.say("?", 5)).toMatch(/^<Run\|.*\|FS:300,0/);
  });

  test("lines of a program are driven one after the other; the sixteenth waits for a place", async () => {
    const host = grbl();
    const program = Array.from({ length: 18 }, (_, index) => `G1 X${index % 2 === 0 ? -2 : 0} F1200\n`);
    const first = await host.say(program.join("").slice(0, 120));
    expect(first).toBe("ok\r\n".repeat(9));
    await host.say(program.slice(9, 16).join(""));
    expect(await host.say(program.slice(16).join(""), 30)).toBe("");
    expect(await host.listen(30_000)).toContain("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:0\.000,/);
  });

  test("work offsets: G10, G92 and G54 to G59 shift WPos and targets, and WCO tells so at once", async () => {
    const host = grbl();
    await host.say("???");
    await host.say("G0 X10\n", 2000);
    expect(await host.say("G10 L20 P1 X0\n")).toBe("ok\r\n");
    expect(await host.say("?")).toBe("<Idle|MPos:10.000,0.000,0.000|FS:0,0|WCO:10.000,0.000,0.000>\r\n");
    await host.say("G0 X1\n", 2000);
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:11\.000,/);
    await host.say("G92 X5\n");
    expect(await host.say("?")).toMatch(/\|WCO:6\.000,0\.000,0\.000>/);
    await host.say("G53 G0 X20\n", 2000);
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:20\.000,/);
    await host.say("G92.1\nG55\n");
    expect(await host.say("?")).toMatch(/\|WCO:0\.000,0\.000,0\.000>/);
    await host.say("G28.1\nG0 X1\nG28\n", 5000);
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:20\.000,/);
    // A reset forgets G92 and returns to G54, whose offset is kept.
    await host.say("G92 X0\n\x18", 100);
    expect(await host.say("$#\n")).toMatch(/\[G54:10\.000,.*\[G92:0\.000,/s);
    expect(await host.say("?")).toMatch(/\|WCO:10\.000,0\.000,0\.000>/);
    await host.say("$RST=#\n", 100);
    expect(await host.say("$#\n")).toContain("[G54:0.000,0.000,0.000]");
  });

  test("$RST=$ brings back the settings", async () => {
    const host = grbl();
    await host.say("$110=600\n");
    expect(await host.say("$$\n")).toContain("$110=600.000\r\n");
    await host.say("$RST=$\n", 100);
    expect(await host.say("$$\n")).toContain("$110=1200.000\r\n");
  });

  test("the safety door: 2 while it brakes, 0 when it stands, 3 while the spindle comes up, then on with the motion", async () => {
    const host = grbl();
    await host.say("M3 S500\n");
    await host.say("G1 X-20 F600\n", 500);
    expect(await host.say("\x84", 3)).toBe("[MSG:Check Door]\r\n");
    expect(await host.say("?", 5)).toMatch(/^<Door:2\|/);
    await host.listen(1000);
    expect(await host.say("?")).toMatch(/^<Door:0\|/);
    // Lines wait meanwhile.
    expect(await host.say("G0 X0\n", 100)).toBe("");
    await host.say("~", 100);
    expect(await host.say("?", 100)).toMatch(/^<Door:3\|/);
    expect(await host.listen(4000)).toBe("ok\r\n");
    await host.listen(5000);
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:0\.000,.*\|FS:0,500/);
  });

  test("the door in other states: idle, jogging, homing, alarm", async () => {
    const host = grbl();
    expect(await host.say("\x84")).toBe("[MSG:Check Door]\r\n");
    expect(await host.say("~", 100)).toBe("");
    expect(await host.say("?")).toMatch(/^<Idle\|/);
    await host.say("$J=G91 X-20 F600\n", 500);
    await host.say("\x84", 1000);
    expect(await host.say("?")).toMatch(/^<Door:0\|/);
    await host.say("~", 100);
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:-[4-6]\./);
    const homing = new TestHost((clock) => new GrblController(clock));
    expect(await homing.say("\x84")).toBe("");
    await homing.say("$H\n", 1000);
    expect(await homing.say("\x84")).toBe(
      "ALARM:7\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n",
    );
  });

  test("held it reads no line until it is resumed; a program pause is answered then", async () => {
    const host = grbl();
    await host.say("G1 X-5 F600\n", 100);
    await host.say("!", 500);
    expect(await host.say("G1 X-6\n", 1000)).toBe("");
    expect(await host.say("~", 2000)).toBe("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:-6\.000,/);
    expect(await host.say("M0\n", 500)).toBe("");
    expect(await host.say("?")).toMatch(/^<Hold:0\|/);
    expect(await host.say("~", 50)).toBe("ok\r\n");
  });

  test("spindle and coolant stand in the report with the overrides", async () => {
    const host = grbl();
    await host.say("??");
    await host.say("M3 S1000\nM8\n");
    expect(await host.say("?")).toMatch(/\|FS:0,1000\|Ov:100,100,100\|A:SF>/);
    await host.say("M4\n\xa0");
    expect(await host.say("?")).toMatch(/\|A:C>/);
    await host.say("M5\n");
    expect(await host.say("?")).toMatch(/\|FS:0,0\|Ov:100,100,100>/);
  });

  test("offsets every tenth report at rest and every thirtieth in motion", async () => {
    const host = grbl();
    const idle = (await host.say("?".repeat(21))).split("\r\n");
    expect(idle.flatMap((line, index) => (line.includes("WCO") ? [index] : []))).toEqual([0, 10, 20]);
    expect(idle.flatMap((line, index) => (line.includes("Ov") ? [index] : []))).toEqual([1, 11]);
    await host.say("G1 X-200 F600\n", 500);
    await host.say("\x91");
    await host.say("?".repeat(30));
    const busy = (await host.say("?".repeat(60))).split("\r\n");
    const offsets = busy.flatMap((line, index) => (line.includes("WCO") ? [index] : []));
    expect((offsets[1] ?? 0) - (offsets[0] ?? 0)).toBe(30);
  });
});
