import { beforeEach, describe, expect, test } from "vitest";
import { parseZaberLine, zaberChecksum, zaberCommand } from "../../drivers/instruments/zaber-ascii/message.ts";
import { GrblController } from "../../simulators/controllers/grbl/grbl-controller.ts";
import { NewportController } from "../../simulators/controllers/newport-conex-smc/newport-controller.ts";
import { PiGcs2Controller } from "../../simulators/controllers/pi-gcs2/pi-gcs2-controller.ts";
import {
  ThorlabsAptController,
  type ThorlabsAptSettings,
} from "../../simulators/controllers/thorlabs-apt/thorlabs-apt-controller.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";
import { TestHost } from "../support/test-host.ts";

describe("Zaber ASCII", () => {
  // Examples of the manual and of public test suites.
  test.each([
    ["@01 0 OK IDLE -- 0", "8D"],
    ["@01 0 OK IDLE -- 7z", "0C"],
    ["@1 3 9 OK IDLE -- 0", "61"],
    ["/1 move abs 10000", "91"],
  ])("checksum of %s is %s", (line, checksum) => {
    expect(zaberChecksum(line.slice(1))).toBe(checksum);
  });

  test("a command of the driver carries number and checksum", () => {
    expect(zaberCommand(1, 1, 7, "get pos")).toBe(`/1 1 7 get pos:${zaberChecksum("1 1 7 get pos")}\n`);
  });

  test.each([
    [
      "@01 0 OK IDLE -- 200000",
      { kind: "reply", device: 1, axis: 0, accepted: true, busy: false, flag: "--", data: "200000" },
    ],
    [
      "@01 1 05 RJ BUSY WR BADDATA",
      { kind: "reply", messageId: 5, accepted: false, busy: true, flag: "WR", data: "BADDATA" },
    ],
    ["@01 0 OK IDLE -- 0:8D", { kind: "reply", data: "0" }],
    ["@01 0 OK IDLE -- 0:8E", { kind: "noise" }],
    ["!01 0 IDLE --", { kind: "alert" }],
    ["#01 0 Visit www.zaber.com", { kind: "info" }],
    ["01 0 OK IDLE -- 0", { kind: "noise" }],
    ["@01 0 OK IDEL -- 0", { kind: "noise" }],
  ])("the driver reads %s", (line, expected) => {
    expect(parseZaberLine(line)).toMatchObject(expected);
  });

  let host: TestHost<ZaberAsciiController>;
  beforeEach(() => {
    host = new TestHost((clock) => new ZaberAsciiController(clock));
  });

  async function home(): Promise<void> {
    expect(await host.say("/1 home\n")).toBe("@01 0 OK BUSY WR 0\r\n");
    await host.listen(20_000);
  }

  test.each([
    // As fixed columns that clients rely on: address, flag, status, warning, data.
    ["/\n", "@01 0 OK IDLE WR 0\r\n"],
    ["/1\r\n", "@01 0 OK IDLE WR 0\r\n"],
    ["/1 1 get limit.max\n", "@01 1 OK IDLE WR 3149606\r\n"],
    ["/1 get device.id\r", "@01 0 OK IDLE WR 50081\r\n"],
    ["/1 get deviceid\n", "@01 0 OK IDLE WR 50081\r\n"],
    ["/1 get version\n", "@01 0 OK IDLE WR 7.35\r\n"],
    ["/1 get system.axiscount\n", "@01 0 OK IDLE WR 1\r\n"],
    ["/1 get peripheralid\n", "@01 0 RJ IDLE WR BADCOMMAND\r\n"],
    ["/1 get resolution\n", "@01 0 OK IDLE WR 64\r\n"],
    ["/1 io info\n", "@01 0 OK IDLE WR 0 0 0 0\r\n"],
    ["/1 0 9 get pos\n", "@01 0 09 OK IDLE WR 0\r\n"],
    ["/1 1 100 get pos\n", "@01 1 RJ IDLE WR BADMESSAGEID\r\n"],
    ["/1 2 get pos\n", "@01 2 RJ IDLE WR BADAXIS\r\n"],
    ["/2 get pos\n", ""],
    ["/0 get pos\n", "@01 0 OK IDLE WR 0\r\n"],
    ["/1 fly\n", "@01 0 RJ IDLE WR BADCOMMAND\r\n"],
    ["/1 warnings\n", "@01 0 OK IDLE WR 01 WR\r\n"],
    ["/1 move abs 10000:91\n", "@01 0 RJ IDLE WR BADDATA\r\n"],
    ["/1 move abs 10000:92\n", ""],
    ["/1 set maxspeed fast\n", "@01 0 RJ IDLE WR BADDATA\r\n"],
    ["/1 tools echo hello there\n", "@01 0 OK IDLE WR hello there\r\n"],
    ["noise\n", ""],
  ])("fresh from power-up %j is answered %j", async (command, reply) => {
    expect(await host.say(command)).toBe(reply);
  });

  test("firmware 6 does not know device.id", async () => {
    host = new TestHost((clock) => new ZaberAsciiController(clock, { firmware: "6.28" }));
    expect(await host.say("/1 get device.id\n")).toBe("@01 0 RJ IDLE WR BADCOMMAND\r\n");
    expect(await host.say("/1 get deviceid\n")).toBe("@01 0 OK IDLE WR 50081\r\n");
  });

  test("homes, moves, stops, and notes the interruption until the next move", async () => {
    await home();
    expect(await host.say("/1 get pos\n")).toBe("@01 0 OK IDLE -- 0\r\n");
    expect(await host.say("/1 move abs 200000\n")).toBe("@01 0 OK BUSY -- 0\r\n");
    await host.listen(5000);
    expect(await host.say("/1 get pos\n")).toBe("@01 0 OK IDLE -- 200000\r\n");
    expect(host.controller.position_mm()).toBeCloseTo(200_000 * 47.625e-6, 6);
    expect(await host.say("/1 move rel 1000000\n")).toBe("@01 0 OK BUSY -- 0\r\n");
    await host.listen(300);
    expect(await host.say("/1 stop\n")).toBe("@01 0 OK BUSY NI 0\r\n");
    await host.listen(500);
    expect(await host.say("/1\n")).toBe("@01 0 OK IDLE NI 0\r\n");
    expect(await host.say("/1 warnings clear\n")).toBe("@01 0 OK IDLE -- 01 NI\r\n");
    expect(await host.say("/1 move abs 3149607\n")).toBe("@01 0 RJ IDLE -- BADDATA\r\n");
    expect(await host.say("/1 move min\n")).toBe("@01 0 OK BUSY -- 0\r\n");
  });

  test("alerts when it comes to rest, where alerts are on, and appends checksums where they are on", async () => {
    await home();
    await host.say("/1 set comm.alert 1\n");
    await host.say("/1 move abs 10000\n");
    expect(await host.listen(3000)).toBe("!01 1 IDLE --\r\n");
    await host.say("/1 set comm.checksum 1\n");
    expect(await host.say("/1\n")).toBe("@01 0 OK IDLE -- 0:8D\r\n");
  });

  test("a stall shows FS until the next move; a disabled driver refuses", async () => {
    await home();
    await host.say("/1 move abs 1000000\n");
    await host.listen(500);
    host.controller.jam();
    await host.listen(500);
    expect(await host.say("/1\n")).toBe("@01 0 OK IDLE FS 0\r\n");
    host.controller.free();
    expect(await host.say("/1 driver disable\n")).toBe("@01 0 OK IDLE FO 0\r\n");
    expect(await host.say("/1 move abs 100\n")).toBe("@01 0 RJ IDLE FO DRIVERDISABLED\r\n");
    expect(await host.say("/1 driver enable\n")).toBe("@01 0 OK IDLE FS 0\r\n");
    expect(await host.say("/1 move abs 100\n")).toBe("@01 0 OK BUSY -- 0\r\n");
  });

  test("parked it refuses; a reset loses the reference", async () => {
    await home();
    await host.say("/1 tools parking park\n");
    expect(await host.say("/1 move abs 100\n")).toBe("@01 0 RJ IDLE -- PARKED\r\n");
    expect(await host.say("/1 system reset\n")).toBe("@01 0 OK IDLE -- 0\r\n");
    expect(await host.say("/1\n")).toBe("@01 0 OK IDLE WR 0\r\n");
  });
});

describe("Thorlabs APT", () => {
  function lts(settings: Partial<ThorlabsAptSettings> = {}): TestHost<ThorlabsAptController> {
    return new TestHost((clock) => new ThorlabsAptController(clock, settings));
  }

  async function homed(settings: Partial<ThorlabsAptSettings> = {}): Promise<TestHost<ThorlabsAptController>> {
    const host = lts(settings);
    host.controller.receive(Uint8Array.of(0x10, 0x02, 0x01, 0x01, 0x50, 0x01));
    host.controller.receive(Uint8Array.of(0x43, 0x04, 0x01, 0x00, 0x50, 0x01));
    await host.listen(60_000);
    return host;
  }

  test("says what it is: HW_REQ_INFO", async () => {
    const reply = await lts().exchange("05 00 00 00 50 01");
    expect(reply.split(" ")).toHaveLength(90);
    expect(reply).toMatch(/^06 00 54 00 81 50 80 87 b0 02 4c 54 53 31 35 30 00 00 /);
    expect(await lts({ model: "LTS300", serialNumber: 45_123_456 }).exchange("05 00 00 00 50 01")).toMatch(
      /^06 00 54 00 81 50 80 87 b0 02 4c 54 53 33 30 30 00 00 /,
    );
  });

  test.each([
    ["identify", "23 02 00 00 50 01", ""],
    ["enable state", "11 02 01 00 50 01", "12 02 01 01 01 50"],
    ["position at power-up", "11 04 01 00 50 01", "12 04 06 00 81 50 01 00 00 00 00 00"],
    [
      "velocity 20 mm/s and 20 mm/s²",
      "14 04 01 00 50 01",
      "15 04 0e 00 81 50 01 00 00 00 00 00 0a 60 01 00 00 00 36 1a",
    ],
    [
      "jog: single steps of 1 mm",
      "17 04 01 00 50 01",
      "18 04 16 00 81 50 01 00 02 00 00 40 06 00 00 00 00 00 0a 60 01 00 00 00 36 1a 02 00",
    ],
    ["backlash", "3b 04 01 00 50 01", "3c 04 06 00 81 50 01 00 00 00 00 00"],
    ["status bits", "29 04 01 00 50 01", "2a 04 06 00 81 50 01 00 00 01 00 90"],
    ["acknowledge", "92 04 00 00 50 01", ""],
    ["for another address", "11 04 01 00 21 01", ""],
  ])("%s", async (_name, request, reply) => {
    expect(await lts().exchange(request)).toBe(reply);
  });

  test("velocity parameters are set as in the manual's layout", async () => {
    const host = lts();
    await host.exchange("13 04 0e 00 d0 01 01 00 00 00 00 00 04 b0 00 00 00 00 1b 0d");
    expect(await host.exchange("14 04 01 00 50 01")).toBe(
      "15 04 0e 00 81 50 01 00 00 00 00 00 04 b0 00 00 00 00 1b 0d",
    );
  });

  test("announces the end of homing and of a move to 10 mm byte for byte", async () => {
    const host = lts();
    host.controller.receive(Uint8Array.of(0x43, 0x04, 0x01, 0x00, 0x50, 0x01));
    const homing = await host.listen(60_000);
    expect(Array.from(homing, (character) => character.charCodeAt(0))).toEqual([0x44, 0x04, 0x01, 0x00, 0x01, 0x50]);
    expect(await host.exchange("53 04 06 00 d0 01 01 00 00 80 3e 00", 5000)).toBe(
      "64 04 0e 00 81 50 01 00 00 80 3e 00 00 80 3e 00 00 05 00 90",
    );
    expect(await host.exchange("11 04 01 00 50 01")).toBe("12 04 06 00 81 50 01 00 00 80 3e 00");
    expect(await host.exchange("80 04 01 00 50 01")).toBe(
      "81 04 0e 00 81 50 01 00 00 80 3e 00 00 80 3e 00 00 05 00 90",
    );
    expect(await host.exchange("48 04 06 00 d0 01 01 00 00 c0 f9 ff", 5000)).toMatch(
      /^64 04 0e 00 81 50 01 00 00 40 38 00 /,
    );
    expect(host.controller.position_mm()).toBeCloseTo(9, 6);
  });

  test("orders to move without data take the parameters that were set before", async () => {
    const host = await homed();
    await host.exchange("50 04 06 00 d0 01 01 00 00 80 3e 00");
    await host.exchange("53 04 01 00 50 01", 5000);
    expect(host.controller.position_mm()).toBeCloseTo(10, 6);
    await host.exchange("45 04 06 00 d0 01 01 00 00 c0 f9 ff");
    await host.exchange("48 04 01 00 50 01", 5000);
    expect(host.controller.position_mm()).toBeCloseTo(9, 6);
  });

  test("a profiled stop brakes and is announced", async () => {
    const host = await homed();
    await host.exchange("53 04 06 00 d0 01 01 00 00 00 71 02", 1500);
    const reply = await host.exchange("65 04 01 02 50 01", 2000);
    expect(reply).toMatch(/^66 04 0e 00 81 50 01 00 /);
    const place_mm = host.controller.position_mm();
    expect(place_mm).toBeGreaterThan(5);
    expect(place_mm).toBeLessThan(100);
    await host.listen(1000);
    expect(host.controller.position_mm()).toBe(place_mm);
  });

  test("a servo moves only when enabled, and answers its own status message", async () => {
    const host = lts({ model: "KDC101" });
    expect(await host.exchange("11 02 01 00 50 01")).toBe("12 02 01 02 01 50");
    await host.exchange("48 04 06 00 d0 01 01 00 00 86 00 00", 5000);
    expect(host.controller.position_mm()).toBe(5);
    await host.exchange("10 02 01 01 50 01");
    // 34 304 counts are a millimetre.
    await host.exchange("48 04 06 00 d0 01 01 00 00 86 00 00", 5000);
    expect(host.controller.position_mm()).toBeCloseTo(6, 3);
    expect(await host.exchange("90 04 01 00 50 01")).toMatch(/^91 04 0e 00 81 50 01 00 00 86 00 00 00 00 00 00 /);
  });

  test("without a reference an absolute move goes to a wrong place without a complaint", async () => {
    const host = lts();
    await host.exchange("53 04 06 00 d0 01 01 00 00 80 3e 00", 8000);
    expect(host.controller.position_mm()).toBeCloseTo(40, 6);
  });

  test("updates stop after fifty without an acknowledgement, and go on with one", async () => {
    const host = lts();
    const updates = (text: string): number => text.split("\x81\x04\x0e").length - 1;
    const first = await host.say("\x11\x00\x00\x00\x50\x01", 8000);
    expect(updates(first)).toBe(50);
    expect(updates(await host.say("\x92\x04\x00\x00\x50\x01", 1000))).toBeGreaterThan(8);
    expect(updates(await host.say("\x12\x00\x00\x00\x50\x01", 1000))).toBeLessThan(2);
  });

  test("finds the next message after lost bytes", async () => {
    const host = lts();
    expect(await host.exchange("04 01 00 50 01 ff 11 04 01 00 50 01")).toBe("12 04 06 00 81 50 01 00 00 00 00 00");
  });

  test("home velocity zero: homing never ends", async () => {
    const host = lts();
    host.controller.loseHomeVelocity();
    await host.exchange("43 04 01 00 50 01", 600_000);
    expect(await host.exchange("29 04 01 00 50 01")).toBe("2a 04 06 00 81 50 01 00 10 03 00 90");
  });
});

describe("Newport CONEX-CC and SMC100", () => {
  let host: TestHost<NewportController>;
  beforeEach(() => {
    host = new TestHost((clock) => new NewportController(clock, { velocity_mm_s: 2, acceleration_mm_s2: 10 }));
  });

  async function home(): Promise<void> {
    await host.say("1OR\r\n", 60_000);
    expect(await host.say("1TS\r\n")).toBe("1TS000032\r\n");
  }

  test.each([
    ["1TP\r\n", "1TP0.00000\r\n"],
    ["1TP?\r\n", "1TP0.00000\r\n"],
    ["1TS\r\n", "1TS00000A\r\n"],
    ["1TE\r\n", "1TE@\r\n"],
    ["1TB H\r\n", "1TBH Command not allowed in NOT REFERENCED state.\r\n"],
    ["1ID?\r\n", "1IDTRA25CC\r\n"],
    ["1SL?\r\n", "1SL0\r\n"],
    ["1SR?\r\n", "1SR25\r\n"],
    ["1VE\r\n", "1VE CONEX-CC 2.0.0\r\n"],
    ["1VA?\r\n", "1VA2\r\n"],
    ["2TP\r\n", ""],
    ["1PA5\r\n", ""],
    ["1ST\r\n", ""],
  ])("fresh from power-up %j is answered %j", async (command, reply) => {
    expect(await host.say(command)).toBe(reply);
  });

  test.each([
    ["1PA5", "H"],
    ["1XX", "A"],
    ["1PA", "C"],
    ["1MM1", "H"],
  ])("before homing %s leaves error %s, which reading clears", async (command, letter) => {
    await host.say(`${command}\r\n`);
    expect(await host.say("1TE\r\n")).toBe(`1TE${letter}\r\n`);
    expect(await host.say("1TE\r\n")).toBe("1TE@\r\n");
  });

  test("homing 1E, ready 32, moving 28, ready 33", async () => {
    await host.say("1OR\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS00001E\r\n");
    await host.say("1OR\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEE\r\n");
    await host.listen(60_000);
    expect(await host.say("1TS\r\n")).toBe("1TS000032\r\n");
    await host.say("1PA10\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS000028\r\n");
    await host.listen(10_000);
    expect(await host.say("1TS\r\n")).toBe("1TS000033\r\n");
    expect(await host.say("1TP\r\n")).toBe("1TP10.00000\r\n");
    await host.say("1OR\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEK\r\n");
    await host.say("1PR0\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS000033\r\n");
    await host.say("1PA26\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEG\r\n");
  });

  test("a stall ends in 3D and stays there until 1MM1", async () => {
    await home();
    await host.say("1PA10\r\n", 1000);
    host.controller.jam();
    await host.listen(1000);
    expect(await host.say("1TS\r\n")).toBe("1TS00203D\r\n");
    await host.say("1PA1\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEJ\r\n");
    host.controller.free();
    await host.say("1MM1\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS000034\r\n");
  });

  test("a reference that is not found in time leaves 0B with its error bit", async () => {
    host = new TestHost((clock) => new NewportController(clock, { homingTimeout_s: 30 }));
    host.controller.jam();
    await host.say("1OR\r\n", 40_000);
    expect(await host.say("1TS\r\n")).toBe("1TS00400B\r\n");
  });

  test("1RS makes it deaf for three seconds and unreferenced", async () => {
    await home();
    await host.say("1RS\r\n");
    expect(await host.say("1TS\r\n")).toBe("");
    await host.listen(3000);
    expect(await host.say("1TS\r\n")).toBe("1TS00000A\r\n");
  });

  test("configuration: 14, then deaf, then 0C", async () => {
    await host.say("1PW1\r\n");
    expect(await host.say("1TS\r\n")).toBe("1TS000014\r\n");
    await host.say("1PW0\r\n", 5000);
    expect(await host.say("1TS\r\n")).toBe("1TS00000C\r\n");
  });

  test("parameters are asked for anywhere and set in configuration, the address from its end on", async () => {
    for (const name of ["BA", "BH", "FD", "FE", "HT", "JR", "KD", "KI", "KP", "KV", "LF", "OH", "OT", "QIL", "SC"]) {
      expect(await host.say(`1${name}?\r\n`)).toMatch(new RegExp(`^1${name}[\\d.]+\r\n$`));
    }
    await host.say("1KP2\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEH\r\n");
    await host.say("1PW1\r\n");
    await host.say("1KP2\r\n1SA5\r\n");
    expect(await host.say("1KP?\r\n")).toBe("1KP2\r\n");
    await host.say("1KPhigh\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEC\r\n");
    await host.say("1PW0\r\n", 5000);
    expect(await host.say("1TS\r\n")).toBe("");
    expect(await host.say("5KP?\r\n")).toBe("5KP2\r\n");
  });

  test("no velocity above the configured one: error C", async () => {
    await host.say("1VA10000\r\n");
    expect(await host.say("1TE\r\n")).toBe("1TEC\r\n");
    expect(await host.say("1VA?\r\n")).toBe("1VA2\r\n");
    await host.say("1VA0.3\r\n");
    expect(await host.say("1VA?\r\n")).toBe("1VA0.3\r\n");
    await host.say("1PW1\r\n");
    await host.say("1VA4\r\n");
    await host.say("1PW0\r\n", 5000);
    await host.say("1VA3.5\r\n");
    expect(await host.say("1VA?\r\n")).toBe("1VA3.5\r\n");
  });
});

describe("PI GCS 2", () => {
  let host: TestHost<PiGcs2Controller>;
  beforeEach(() => {
    host = new TestHost((clock) => new PiGcs2Controller(clock));
  });

  async function home(): Promise<void> {
    await host.say("SVO 1 1\nFRF 1\n", 60_000);
    expect(await host.say("FRF? 1\n")).toBe("1=1\n");
  }

  test.each([
    ["*IDN?\n", "(c)2019 Physik Instrumente (PI) GmbH & Co. KG, C-863.12, 0115500620, 1.2.1.0\n"],
    ["SAI?\n", "1\n"],
    ["ERR?\n", "0\n"],
    ["FRF? 1\n", "1=0\n"],
    ["SVO? 1\n", "1=0\n"],
    ["TMN? 1\n", "1=0.0000000\n"],
    ["TMX? 1\n", "1=300.0000000\n"],
    ["tmx?\n", "1=300.0000000\n"],
    ["CST? 1\n", "1=M-521.DD\n"],
    ["RON? 1\n", "1=1\n"],
    ["SPA? 1 14\n", "1 14=10000\n"],
    ["SPA? 1 15\n", "1 15=1\n"],
    ["\x05", "0\n"],
    ["\x07", "\xb1\n"],
    ["\x08", "0\n"],
    ["MOV 1 12.5\n", ""],
    // Target and sender stand in the answer where the target stands in the question.
    ["1 POS? 1\n", "0 1 1=0.0000\n"],
    ["1 0 SAI?\n", "0 1 1\n"],
    ["2 POS? 1\n", ""],
    ["VER?\n", "FW_ARM: 1.2.1.0\n"],
  ])("fresh from power-up %j is answered %j", async (command, reply) => {
    expect(await host.say(command)).toBe(reply);
  });

  test.each([
    ["MOV 1 12.5", 5],
    ["FLY 1", 2],
    ["MOV 2 1", 23],
    ["VEL 1 1000", 8],
    ["MOV 1 far", 1],
  ])("%s leaves error %i, which reading clears", async (command, error) => {
    await host.say(`${command}\n`);
    expect(await host.say("ERR?\n")).toBe(`${error}\n`);
    expect(await host.say("ERR?\n")).toBe("0\n");
  });

  test("references, moves, says when it is on target", async () => {
    await home();
    await host.say("MOV 1 12.5\n");
    expect(await host.say("\x05")).toBe("1\n");
    expect(await host.say("ONT? 1\n")).toBe("1=0\n");
    await host.listen(5000);
    expect(await host.say("\x05")).toBe("0\n");
    expect(await host.say("POS? 1\n")).toBe("1=12.5000\n");
    expect(await host.say("ONT? 1\n")).toBe("1=1\n");
    expect(await host.say("\x04")).toBe("0x9002\n");
    await host.say("MOV 1 301\n");
    expect(await host.say("ERR?\n")).toBe("7\n");
  });

  test("goes home on GOH, and comes out of a reboot without a reference", async () => {
    await home();
    await host.say("MOV 1 12.5\n", 5000);
    await host.say("GOH 1\n", 5000);
    expect(await host.say("POS? 1\n")).toBe("1=0.0000\n");
    await host.say("RBT\n", 1000);
    expect(await host.say("FRF? 1\n")).toBe("1=0\n");
  });

  test("is busy with a reference move: 0xB0", async () => {
    await host.say("SVO 1 1\nFRF 1\n", 500);
    expect(await host.say("\x07")).toBe("\xb0\n");
  });

  test.each(["\x18", "STP\n", "HLT 1\n"])("%j stops the stage and leaves error 10", async (command) => {
    await home();
    await host.say("MOV 1 250\n", 1000);
    await host.say(command, 1000);
    expect(await host.say("\x05")).toBe("0\n");
    expect(await host.say("ERR?\n")).toBe("10\n");
    expect(host.controller.position_mm()).toBeLessThan(100);
  });

  test("all lines of an answer but the last end with a space", async () => {
    const lines = (await host.say("HLP?\n")).split("\n");
    expect(lines.at(-1)).toBe("");
    expect(lines.at(-2)).toBe("end of help");
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines.slice(0, -2)) {
      expect(line.endsWith(" ")).toBe(true);
    }
  });

  test("a motion error switches the servo off: 1024", async () => {
    await home();
    await host.say("MOV 1 100\n", 500);
    host.controller.jam();
    await host.listen(500);
    expect(await host.say("SVO? 1\n")).toBe("1=0\n");
    expect(await host.say("ERR?\n")).toBe("1024\n");
    expect(await host.say("FRF? 1\n")).toBe("1=1\n");
  });
});

describe("GRBL 1.1h", () => {
  let host: TestHost<GrblController>;
  beforeEach(() => {
    host = new TestHost((clock) => new GrblController(clock, { homing: false, softLimits: false }));
  });

  test("says hello after the port was opened, and is locked where homing is on", async () => {
    host = new TestHost((clock) => new GrblController(clock));
    host.controller.opened();
    expect(await host.listen(1000)).toBe("");
    expect(await host.listen(1000)).toBe("\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n");
    expect(await host.say("?")).toMatch(/^<Alarm\|/);
    expect(await host.say("G0 X1\n")).toBe("error:9\r\n");
    expect(await host.say("$J=G91 X1 F100\n")).toBe("error:8\r\n");
    expect(await host.say("$X\n")).toBe("[MSG:Caution: Unlocked]\r\nok\r\n");
  });

  // Recorded from the firmware itself.
  test("reports as the firmware does, fields coming and going", async () => {
    expect(await host.say("?")).toBe("<Idle|MPos:0.000,0.000,0.000|FS:0,0|WCO:0.000,0.000,0.000>\r\n");
    expect(await host.say("?")).toBe("<Idle|MPos:0.000,0.000,0.000|FS:0,0|Ov:100,100,100>\r\n");
    expect(await host.say("?")).toBe("<Idle|MPos:0.000,0.000,0.000|FS:0,0>\r\n");
    expect(await host.say("$J=G91 G21 X2 F600\n", 100)).toBe("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Jog\|MPos:0\.\d+,0\.000,0\.000\|FS:\d+,0>\r\n$/);
    await host.listen(1000);
    expect(await host.say("?")).toBe("<Idle|MPos:2.000,0.000,0.000|FS:0,0>\r\n");
  });

  test.each([
    ["G0 X", "error:2"],
    ["G1 X1", "error:22"],
    ["$H", "error:5"],
    ["$J=X1", "error:22"],
    ["$Q", "error:2"],
    ["$HX", "error:3"],
    ["$J=G1 X1 F10", "error:16"],
    ["G38 X1", "error:20"],
    ["$110=-1", "error:4"],
    [`G1 X1 F100 (${"x".repeat(90)})`, "ok"],
    [`G1 X1. F100 ${"N1".repeat(40)}`, "error:11"],
    ["", "ok"],
    ["$110=1200", "ok"],
  ])("%j is answered %s", async (line, reply) => {
    expect(await host.say(`${line}\n`)).toBe(`${reply}\r\n`);
  });

  test("build information and settings", async () => {
    expect(await host.say("$I\n")).toBe("[VER:1.1h.20190830:]\r\n[OPT:V,15,128]\r\nok\r\n");
    const settings = await host.say("$$\n");
    expect(settings).toContain("$13=0\r\n");
    expect(settings).toContain("$100=250.000\r\n");
    expect(settings).toContain("$130=200.000\r\n");
    const numbers = [...settings.matchAll(/^\$(\d{3})=/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([100, 101, 102, 110, 111, 112, 120, 121, 122, 130, 131, 132]);
    const parameters = await host.say("$#\n");
    expect(parameters).toMatch(
      /^\[G54:0\.000,0\.000,0\.000\]\r\n(\[G.*\]\r\n){8}\[TLO:0\.000\]\r\n\[PRB:0\.000,0\.000,0\.000:0\]\r\nok\r\n$/,
    );
    expect(await host.say("$N\n")).toBe("$N0=\r\n$N1=\r\nok\r\n");
    expect(settings.endsWith("ok\r\n")).toBe(true);
  });

  test("homing is silent until it ends; machine coordinates are negative then", async () => {
    host = new TestHost((clock) => new GrblController(clock));
    expect(await host.say("$H\n", 1000)).toBe("");
    expect(await host.say("?", 1000)).toBe("");
    expect(await host.listen(30_000)).toBe("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:-1\.000,/);
    expect(host.controller.position_mm()).toBeCloseTo(199, 6);
    expect(await host.say("$J=G90 X1 F100\n")).toBe("error:15\r\n");
    expect(await host.say("$J=G90 X-201 F100\n")).toBe("error:15\r\n");
  });

  test("a jog that is cancelled keeps its position; a reset in motion loses it", async () => {
    await host.say("$J=G91 X-50 F1200\n", 1000);
    expect(await host.say("\x85", 1000)).toBe("");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:-(1[5-9]|20)\./);
    await host.say("$J=G91 X-20 F1200\n", 500);
    expect(await host.say("\x18")).toBe("ALARM:3\r\n\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n");
    expect(await host.say("?")).toMatch(/^<Alarm\|/);
  });

  test("a held program goes through Hold:1 to Hold:0 and is resumed", async () => {
    await host.say("G1 X-20 F600\n", 500);
    await host.say("!", 1);
    expect(await host.say("?", 5)).toMatch(/^<Hold:1\|/);
    await host.listen(1000);
    expect(await host.say("?")).toMatch(/^<Hold:0\|/);
    await host.say("~", 5000);
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:-20\.000,/);
  });

  test("a switch in mid-move is ALARM:1; a target beyond the soft limits ALARM:2", async () => {
    await host.say("G1 X-20 F600\n", 500);
    host.controller.hitLimit();
    expect(await host.listen(10)).toBe("ALARM:1\r\n[MSG:Reset to continue]\r\n");
    host = new TestHost((clock) => new GrblController(clock, { homing: false, softLimits: true }));
    expect(await host.say("G1 X5 F600\n")).toBe("ALARM:2\r\n[MSG:Reset to continue]\r\n");
  });

  test("after a limit nothing gets through but a reset, which first answers the line that ran into it", async () => {
    host = new TestHost((clock) => new GrblController(clock, { homing: false }));
    await host.say("G1 X5 F600\n");
    expect(await host.say("?", 1000)).toBe("");
    expect(await host.say("$X\n", 1000)).toBe("");
    expect(await host.say("\x18")).toBe("ok\r\n\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n");
    // What had been sent before the reset is gone.
    expect(await host.say("?")).toMatch(/^<Alarm\|/);
    expect(await host.say("$X\n")).toBe("[MSG:Caution: Unlocked]\r\nok\r\n");
  });

  test("a line that comes while it homes waits until it is home", async () => {
    host = new TestHost((clock) => new GrblController(clock));
    await host.say("$H\n", 2000);
    expect(await host.say("G53 G0 X-50\n", 1000)).toBe("");
    expect(await host.listen(40_000)).toBe("ok\r\nok\r\n");
    expect(await host.say("?")).toMatch(/^<Idle\|MPos:-50\.000,/);
    await host.say("$H\n", 500);
    await host.say("G53 G0 X-50\n", 100);
    expect(await host.say("\x18")).toBe(
      "ALARM:6\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n",
    );
    expect(await host.listen(40_000)).toBe("");
  });

  test("a dwell begins when the motion has ended, and what comes behind it waits", async () => {
    await host.say("G1 X1 F600\n", 5);
    expect(await host.say("G4 P2\n", 1000)).toBe("");
    expect(await host.say("G0 X2\n?", 500)).toMatch(/^<Idle\|MPos:1\.000,.*>\r\n$/);
    expect(await host.listen(1000)).toBe("ok\r\nok\r\n");
    expect(await host.say("G4\n")).toBe("error:28\r\n");
  });

  test("check mode moves nothing and ends in a reset; asleep it hears nothing but a reset", async () => {
    expect(await host.say("$C\n")).toBe("[MSG:Enabled]\r\nok\r\n");
    expect(await host.say("G1 X5 F600\n", 1000)).toBe("ok\r\n");
    expect(await host.say("?")).toMatch(/^<Check\|MPos:0\.000,/);
    expect(await host.say("$C\n")).toBe("[MSG:Disabled]\r\nok\r\n\r\nGrbl 1.1h ['$' for help]\r\n");
    expect(await host.say("$SLP\n")).toBe("ok\r\n[MSG:Sleeping]\r\n");
    expect(await host.say("$X\n?")).toMatch(/^<Sleep\|/);
    expect(await host.say("\x18")).toBe("\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n");
  });
});
