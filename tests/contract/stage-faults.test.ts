import { describe, expect, test } from "vitest";
import { openZaberAsciiStage } from "../../drivers/instruments/zaber-ascii/stage.ts";
import { ZaberAxis } from "../../drivers/instruments/zaber-ascii/zaber-axis.ts";
import { InstrumentError, type InstrumentErrorCode } from "../../drivers/protocol/instrument-error.ts";
import { toBytes, toText } from "../../drivers/transport/byte-text.ts";
import type { ControlledStage } from "../../drivers/transport/controlled-stage.ts";
import { MemoryLink } from "../../drivers/transport/memory-link.ts";
import type { StageOptions } from "../../drivers/transport/stage-options.ts";
import { FaultyLine } from "../../simulators/controllers/faulty-line.ts";
import { GrblController } from "../../simulators/controllers/grbl/grbl-controller.ts";
import { PiGcs2Controller } from "../../simulators/controllers/pi-gcs2/pi-gcs2-controller.ts";
import type { ThorlabsAptController } from "../../simulators/controllers/thorlabs-apt/thorlabs-apt-controller.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";
import type { SimulatedClock } from "../../simulators/instruments/clock.ts";
import {
  EMULATED_STAGES,
  type EmulatedStage,
  simulatedClock,
  type TestController,
} from "../support/emulated-stages.ts";

interface Bench {
  readonly clock: SimulatedClock;
  readonly controller: TestController;
  readonly line: FaultyLine;
  readonly link: MemoryLink;
  readonly stage: ControlledStage;
  /** One third and two thirds of the travel. */
  readonly near_mm: number;
  readonly far_mm: number;
}

async function homedBench(emulated: EmulatedStage, options?: StageOptions): Promise<Bench> {
  const clock = simulatedClock();
  const controller = emulated.makeController(clock);
  const line = new FaultyLine(controller, clock);
  const link = new MemoryLink(emulated.name, line);
  const stage = await emulated.open(link, clock, options);
  await stage.home();
  const { travelMin_mm, travelMax_mm } = stage.info;
  const near_mm = Math.round(travelMin_mm + (travelMax_mm - travelMin_mm) / 3);
  const far_mm = Math.round(travelMin_mm + ((travelMax_mm - travelMin_mm) * 2) / 3);
  await stage.moveTo(near_mm);
  return { clock, controller, line, link, stage, near_mm, far_mm };
}

async function failureOf(move: Promise<unknown>): Promise<InstrumentError> {
  const error = await move.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InstrumentError);
  return error as InstrumentError;
}

/** Something befalls the stage on its move from near to far, after that share of the way. */
async function inMidMove(bench: Bench, befall: () => void, share = 0.6): Promise<InstrumentError> {
  const failure = failureOf(bench.stage.moveTo(bench.far_mm));
  await bench.clock.wait((1000 * share * (bench.far_mm - bench.near_mm)) / bench.stage.info.velocity_mm_s);
  expect(bench.controller.position_mm()).toBeGreaterThan(bench.near_mm + 0.2);
  befall();
  return failure;
}

async function expectStandstill({ controller, clock }: Bench): Promise<void> {
  const before_mm = controller.position_mm();
  await clock.wait(500);
  expect(controller.position_mm()).toBe(before_mm);
}

/** The stage can be used again: homed if it has to be, it goes where it is told. */
async function expectRecovery({ stage, controller, far_mm }: Bench): Promise<void> {
  if (!(await stage.readState()).homed) {
    await stage.home();
  }
  await stage.moveTo(far_mm);
  expect(controller.position_mm()).toBeCloseTo(far_mm, 2);
}

const one = (codes: readonly InstrumentErrorCode[], error: InstrumentError): void => {
  expect(codes, error.message).toContain(error.code);
  expect(error.message.length).toBeGreaterThan(20);
};

describe.each(EMULATED_STAGES)("$name", (emulated) => {
  test("silence in mid-move: the move times out, and the stage stops when the line is back", async () => {
    const bench = await homedBench(emulated);
    const error = await inMidMove(
      bench,
      () => {
        bench.line.inject("to-host", { kind: "silence", duration_ms: 4000 });
      },
      0.25,
    );
    one(["timed_out"], error);
    await expectStandstill(bench);
    // What was sent in silence did arrive: the stage was stopped on its way.
    expect(bench.controller.position_mm()).toBeLessThan(bench.far_mm - 0.05);
    await expectRecovery(bench);
  });

  test.each(["drop", "double", "garble", "half", "late"] as const)(
    "one reply of a move goes wrong (%s): it is asked again, and the move arrives",
    async (kind) => {
      const bench = await homedBench(emulated);
      for (const at of [0, 3, 7]) {
        const target_mm = bench.near_mm + 3 + at / 10;
        const move = bench.stage.moveTo(target_mm);
        await bench.clock.wait(120);
        bench.line.inject(
          "to-host",
          kind === "garble"
            ? { kind, at, mask: 0x11 }
            : kind === "late"
              ? { kind, duration_ms: 700 }
              : kind === "half"
                ? { kind }
                : { kind, at },
        );
        const state = await move;
        expect(bench.controller.position_mm()).toBeCloseTo(target_mm, 2);
        expect(state.position_mm).toBeCloseTo(target_mm, 2);
      }
      await bench.stage.close();
    },
  );

  test.each([0x01, 0x04, 0x10])(
    "the order to move is garbled at any byte (mask %i): it arrives where it was sent, or fails by name and stops",
    async (mask) => {
      const bench = await homedBench(emulated);
      const { controller, line, stage, near_mm } = bench;
      const isOrder = (bytes: Uint8Array): boolean => /move abs|PA\d|MOV|\$J=|^S\x04/.test(toText(bytes));
      let outcomes = 0;
      for (let at = 0; at < 24; at += 1) {
        line.mend();
        await stage.moveTo(near_mm);
        const target_mm = near_mm + 2;
        line.inject("to-controller", { kind: "garble", at, mask }, isOrder);
        const error: unknown = await stage.moveTo(target_mm).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined) {
          expect(controller.position_mm()).toBeCloseTo(target_mm, 2);
        } else {
          outcomes += 1;
          expect(error).toBeInstanceOf(InstrumentError);
          await expectStandstill(bench);
        }
        const { velocity_mm_s, acceleration_mm_s2 } = stage.info;
        const margin_mm = 0.5 + 0.3 * velocity_mm_s + velocity_mm_s ** 2 / (2 * acceleration_mm_s2);
        expect(Math.abs(controller.position_mm() - target_mm)).toBeLessThan(2 + margin_mm);
        if (!(await stage.readState()).homed) {
          await stage.home();
        }
      }
      // The fault did befall the order.
      expect(outcomes).toBeGreaterThan(3);
      line.mend();
      await expectRecovery(bench);
    },
  );

  test("a late reply is not taken for the answer to a later question", async () => {
    const bench = await homedBench(emulated);
    const before = await bench.stage.readState();
    bench.line.inject("to-host", { kind: "late", duration_ms: 450 });
    // Times out on the first question, whose answer then comes in the middle of those behind it.
    expect((await bench.stage.readState()).position_mm).toBe(before.position_mm);
    await bench.stage.moveTo(bench.far_mm);
    expect((await bench.stage.readState()).position_mm).toBeCloseTo(bench.far_mm, 2);
  });

  test("reset in mid-move: the position is lost by name, and no move is accepted until it is homed", async () => {
    const bench = await homedBench(emulated);
    const error = await inMidMove(bench, () => bench.controller.powerCycle());
    one(["position_lost", "timed_out"], error);
    await expectStandstill(bench);
    await bench.clock.wait(4000);
    const state = await bench.stage.readState();
    expect(state).toMatchObject({ homed: false, moving: false });
    expect(state.position_mm).toBeUndefined();
    one(["position_lost"], await failureOf(bench.stage.moveTo(bench.far_mm)));
    await expectRecovery(bench);
  });

  test("reset at rest: the next move is refused by name", async () => {
    const bench = await homedBench(emulated);
    bench.controller.powerCycle();
    await bench.clock.wait(5000);
    one(["position_lost"], await failureOf(bench.stage.moveTo(bench.far_mm)));
    await expectRecovery(bench);
  });

  const stall = emulated.noticesStall
    ? "stall in mid-move"
    : "stall in mid-move (no encoder: the controller cannot tell)";
  test.runIf(emulated.noticesStall)(stall, async () => {
    const bench = await homedBench(emulated);
    const error = await inMidMove(bench, () => bench.controller.jam());
    one(["position_error"], error);
    await expectStandstill(bench);
    bench.controller.free();
    await expectRecovery(bench);
  });

  test("limit switch in mid-move: the move fails by the name of the switch, and the stage can be used again", async () => {
    const bench = await homedBench(emulated);
    const error = await inMidMove(bench, () => bench.controller.hitLimit());
    one(["position_error", "position_lost"], error);
    expect(error.message).toMatch(/limit (switch|sensor)/);
    await expectStandstill(bench);
    expect(bench.controller.position_mm()).toBeLessThan(bench.far_mm - 0.05);
    // A controller that does not trust its reference any more takes no order to move.
    if (!(await bench.stage.readState()).homed) {
      one(["position_lost"], await failureOf(bench.stage.moveTo(bench.near_mm)));
    }
    await expectRecovery(bench);
  });

  test("overshoot: a stage that stops past its target has not arrived", async () => {
    const bench = await homedBench(emulated);
    bench.controller.carriage.overshoot_mm = 0.05;
    one(["position_error"], await failureOf(bench.stage.moveTo(bench.far_mm)));
    bench.controller.carriage.overshoot_mm = 0;
    await expectRecovery(bench);
  });

  test("overshoot: a stage that runs on is stopped", async () => {
    const bench = await homedBench(emulated);
    bench.controller.carriage.overshoot_mm = 10;
    const target_mm = bench.near_mm + 2;
    one(["position_error"], await failureOf(bench.stage.moveTo(target_mm)));
    await expectStandstill(bench);
    const { velocity_mm_s, acceleration_mm_s2 } = bench.stage.info;
    const braking_mm = velocity_mm_s ** 2 / (2 * acceleration_mm_s2);
    expect(bench.controller.position_mm()).toBeLessThan(
      target_mm + Math.min(10.01, 0.5 + 0.3 * velocity_mm_s + braking_mm),
    );
    bench.controller.carriage.overshoot_mm = 0;
    await expectRecovery(bench);
  });

  test("plug pulled in mid-move and put back: the move fails by name, and the same session goes on", async () => {
    const bench = await homedBench(emulated);
    const error = await inMidMove(bench, () => bench.link.unplug());
    one(["connection_lost"], error);
    one(["not_connected"], await failureOf(bench.stage.readState()));
    one(["not_connected"], await failureOf(bench.stage.moveTo(bench.near_mm)));
    bench.link.plug();
    await bench.stage.reconnect();
    await expectStandstill(bench);
    await expectRecovery(bench);
  });

  test("a stop is heeded while the line is disturbed", async () => {
    const bench = await homedBench(emulated);
    const move = failureOf(bench.stage.moveTo(bench.far_mm));
    await bench.clock.wait(300);
    bench.line.inject("to-host", { kind: "garble", at: 2, mask: 0x20 });
    const state = await bench.stage.stop();
    expect(state.moving).toBe(false);
    one(["cancelled"], await move);
    await expectStandstill(bench);
    expect(bench.controller.position_mm()).toBeLessThan(bench.far_mm - 0.05);
  });

  test("keep-out zones and soft limits hold", async () => {
    const bench = await homedBench(emulated);
    await bench.stage.close();
    const clock = simulatedClock();
    const controller = emulated.makeController(clock);
    const { near_mm, far_mm } = bench;
    const zone = { from_mm: near_mm + 2, to_mm: near_mm + 4, reason: "lens mount" };
    const stage = await emulated.open(new MemoryLink(emulated.name, controller), clock, {
      softMin_mm: near_mm - 3,
      softMax_mm: far_mm,
      keepOut: [zone],
    });
    await stage.home();
    expect(stage.info).toMatchObject({ travelMin_mm: near_mm - 3, travelMax_mm: far_mm });
    // Home may lie on either side of the zone.
    const homeIsBelow = ((await stage.readState()).position_mm ?? 0) < zone.from_mm;
    const [free_mm, barred_mm] = homeIsBelow ? [near_mm, near_mm + 5] : [near_mm + 5, near_mm];
    await stage.moveTo(free_mm);
    for (const target_mm of [barred_mm, near_mm + 3, near_mm - 4, far_mm + 1]) {
      one(["out_of_range"], await failureOf(stage.moveTo(target_mm)));
    }
    expect((await failureOf(stage.moveTo(near_mm + 3))).message).toContain("lens mount");
    expect(controller.position_mm()).toBeCloseTo(free_mm, 2);
  });

  test("the calibration turns and shifts the bench's coordinates", async () => {
    const bench = await homedBench(emulated);
    await bench.stage.close();
    const clock = simulatedClock();
    const controller = emulated.makeController(clock);
    // GRBL's machine coordinates have their zero at the other end.
    const offset_mm = controller instanceof GrblController ? controller.settings.travel_mm : 0;
    const stage = await emulated.open(new MemoryLink(emulated.name, controller), clock, {
      calibration: { scale: 1.001, direction: -1, zero_mm: 500 },
    });
    await stage.home();
    const target_mm = stage.info.travelMax_mm - 5;
    await stage.moveTo(target_mm);
    expect(500 - 1.001 * (controller.position_mm() - offset_mm)).toBeCloseTo(target_mm, 2);
    expect(stage.info.travelMax_mm).toBeCloseTo(offset_mm === 0 ? 500 : 500 + 1.001 * offset_mm, 6);
  });
});

test("a Zaber device is made to send checksums, and a reply without one is asked for again", async () => {
  const clock = simulatedClock();
  const controller = new ZaberAsciiController(clock);
  let forge = false;
  const link = new MemoryLink("line", {
    receive: (bytes) => controller.receive(bytes),
    onTransmit: (listener) =>
      controller.onTransmit((bytes) => {
        const text = toText(bytes);
        const forged = forge ? text.replace(/ 0:[0-9A-F]{2}\r\n$/, " 99999\r\n") : text;
        if (forged !== text) forge = false;
        listener(toBytes(forged));
      }),
  });
  const settings = { device: 1, axis: 1, microstepSize_mm: 47.625e-6, velocity_mm_s: undefined };
  const axis = new ZaberAxis(link, clock, { ...settings, acceleration_mm_s2: undefined });
  await axis.connect(false);
  forge = true;
  expect((await axis.readStatus()).position_mm).toBe(0);
  expect(forge).toBe(false);
});

test("another instrument on the same plug is not taken for the first", async () => {
  const clock = simulatedClock();
  const first = new ZaberAsciiController(clock);
  const second = new ZaberAsciiController(clock, { serialNumber: 777 });
  let plugged = first;
  const link = new MemoryLink("plug", {
    receive: (bytes) => plugged.receive(bytes),
    onTransmit: (listener) => {
      first.onTransmit((bytes) => (plugged === first ? listener(bytes) : undefined));
      second.onTransmit((bytes) => (plugged === second ? listener(bytes) : undefined));
      return () => undefined;
    },
  });
  const stage = await openZaberAsciiStage(link, clock, { microstepSize_um: 0.047625 });
  await stage.home();
  link.unplug();
  plugged = second;
  link.plug();
  const error = await failureOf(stage.moveTo(10));
  one(["not_connected"], error);
  expect(error.message).toContain("777");
  link.unplug();
  plugged = first;
  link.plug();
  await stage.moveTo(10);
  expect(first.position_mm()).toBeCloseTo(10, 2);
});

describe("faults of one maker", () => {
  const [zaber, lts, kdc, , , pi] = EMULATED_STAGES;

  test("Zaber: a supply fault stops the move with its words and flag", async () => {
    const bench = await homedBench(zaber as EmulatedStage);
    const error = await inMidMove(bench, () => (bench.controller as unknown as ZaberAsciiController).raiseFault("FV"));
    one(["faulted"], error);
    expect(error.message).toContain("supply voltage");
    expect(error.detail.reply).toContain("FV");
  });

  test("Zaber: a disabled driver refuses in words", async () => {
    const bench = await homedBench(zaber as EmulatedStage);
    (bench.controller as unknown as ZaberAsciiController).raiseFault("FO");
    const error = await failureOf(bench.stage.moveTo(bench.far_mm));
    one(["refused"], error);
    expect(error.message).toContain("DRIVERDISABLED");
  });

  test("LTS: home velocity zero is refused before anything moves", async () => {
    const bench = await homedBench(lts as EmulatedStage);
    (bench.controller as unknown as ThorlabsAptController).loseHomeVelocity();
    const before_mm = bench.controller.position_mm();
    const error = await failureOf(bench.stage.home());
    one(["refused"], error);
    expect(error.message).toContain("home velocity");
    expect(bench.controller.position_mm()).toBe(before_mm);
  });

  test("PI: a limit switch is named on a stage whose signals are inverted too", async () => {
    const bench = await homedBench({
      ...(pi as EmulatedStage),
      makeController: (clock) => new PiGcs2Controller(clock, { limitsActiveLow: true, velocityMax_mm_s: 200 }),
    });
    expect((await inMidMove(bench, () => bench.controller.hitLimit())).message).toContain("positive limit switch");
    await expectRecovery(bench);
    // Without a switch a motion error names none.
    bench.controller.free();
    await bench.stage.moveTo(bench.near_mm);
    const error = await inMidMove(bench, () => bench.controller.jam());
    expect(error.message).not.toContain("limit");
  });

  test("KDC101: a motion error of the servo ends the move by name", async () => {
    const bench = await homedBench(kdc as EmulatedStage);
    const error = await inMidMove(bench, () =>
      (bench.controller as unknown as ThorlabsAptController).raiseMotionError(),
    );
    one(["position_error"], error);
    await expectRecovery(bench);
  });
});
