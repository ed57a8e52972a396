import { describe, expect, test } from "vitest";
import type { Clock } from "../../drivers/protocol/clock.ts";
import { InstrumentError, type InstrumentErrorCode } from "../../drivers/protocol/instrument-error.ts";
import type { MoveProgress, Stage } from "../../drivers/protocol/stage.ts";
import { MemoryLink } from "../../drivers/transport/memory-link.ts";
import { GrblController } from "../../simulators/controllers/grbl/grbl-controller.ts";
import { SimulatedStage } from "../../simulators/instruments/stage.ts";
import { EMULATED_STAGES, simulatedClock } from "../support/emulated-stages.ts";

interface Subject {
  readonly stage: Stage;
  readonly clock: Clock;
  /** Where the carriage really is, where somebody knows. */
  readonly truth_mm?: () => number;
  readonly tidy: () => Promise<void>;
}

interface SubjectMaker {
  readonly name: string;
  readonly make: () => Promise<Subject>;
}

const makers: SubjectMaker[] = [
  {
    name: "SimulatedStage",
    make: async () => {
      const clock = simulatedClock();
      const stage = new SimulatedStage(clock);
      return { stage, clock, tidy: () => stage.close() };
    },
  },
  ...EMULATED_STAGES.map((emulated) => ({
    name: `${emulated.name} over its emulator in memory`,
    make: async () => {
      const clock = simulatedClock();
      const controller = emulated.makeController(clock);
      const stage = await emulated.open(new MemoryLink(emulated.name, controller), clock);
      return { stage, clock, truth_mm: () => controller.position_mm(), tidy: () => stage.close() };
    },
  })),
];

export async function expectCode(action: Promise<unknown>, code: InstrumentErrorCode): Promise<InstrumentError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InstrumentError);
  const instrumentError = error as InstrumentError;
  expect(`${instrumentError.code}: ${instrumentError.message}`).toMatch(new RegExp(`^${code}: `));
  return instrumentError;
}

/** A place well inside the travel, by its share of it. */
function placeIn(stage: Stage, share: number): number {
  const { travelMin_mm, travelMax_mm } = stage.info;
  return Math.round((travelMin_mm + share * (travelMax_mm - travelMin_mm)) * 100) / 100;
}

async function settle(clock: Clock, stage: Stage, distance_mm: number): Promise<void> {
  await clock.wait((1000 * distance_mm) / stage.info.velocity_mm_s);
}

describe.each(makers)("$name", ({ make }) => {
  async function homed(): Promise<Subject> {
    const subject = await make();
    if (!(await subject.stage.readState()).homed) {
      await subject.stage.home();
    }
    return subject;
  }

  const tolerance_mm = (stage: Stage): number => Math.max(0.005, 2 * stage.info.resolution_mm);

  test("says what it is and what it can do", async () => {
    const { stage, tidy } = await make();
    const { info } = stage;
    expect(info.model).not.toBe("");
    expect(info.serialNumber).not.toBe("");
    expect(info.travelMax_mm - info.travelMin_mm).toBeGreaterThan(10);
    expect(info.velocity_mm_s).toBeGreaterThan(0);
    expect(info.acceleration_mm_s2).toBeGreaterThan(0);
    expect(info.resolution_mm).toBeGreaterThan(0);
    expect(info.resolution_mm).toBeLessThanOrEqual(0.01);
    await tidy();
  });

  test("refuses an absolute move until it has a reference, and says where it is only then", async () => {
    const { stage, tidy } = await make();
    const before = await stage.readState();
    if (!before.homed) {
      expect(before.position_mm).toBeUndefined();
      await expectCode(stage.moveTo(placeIn(stage, 0.5)), "not_homed");
      expect((await stage.readState()).moving).toBe(false);
    }
    const after = await stage.home();
    expect(after).toMatchObject({ homed: true, moving: false });
    expect(after.position_mm).toBeGreaterThanOrEqual(stage.info.travelMin_mm - 0.01);
    expect(after.position_mm).toBeLessThanOrEqual(stage.info.travelMax_mm + 0.01);
    await tidy();
  });

  test("moves to its target, and reports setpoint and readback apart", async () => {
    const { stage, truth_mm, tidy } = await homed();
    for (const share of [0.3, 0.6, 0.58, 0.1]) {
      const target_mm = placeIn(stage, share);
      const state = await stage.moveTo(target_mm);
      expect(state).toMatchObject({ setpoint_mm: target_mm, moving: false, homed: true });
      expect(Math.abs((state.position_mm ?? Number.NaN) - target_mm)).toBeLessThanOrEqual(tolerance_mm(stage));
      if (truth_mm !== undefined) {
        expect(Math.abs(truth_mm() - target_mm)).toBeLessThanOrEqual(tolerance_mm(stage));
      }
      expect(await stage.readState()).toEqual(state);
    }
    await tidy();
  });

  test("a move to where it stands ends at once", async () => {
    const { stage, tidy } = await homed();
    const target_mm = placeIn(stage, 0.4);
    await stage.moveTo(target_mm);
    const state = await stage.moveTo(target_mm);
    expect(state.moving).toBe(false);
    expect(Math.abs((state.position_mm ?? Number.NaN) - target_mm)).toBeLessThanOrEqual(tolerance_mm(stage));
    await tidy();
  });

  test("reports progress from where it was to where it goes", async () => {
    const { stage, tidy } = await homed();
    const initial_mm = placeIn(stage, 0.2);
    const target_mm = placeIn(stage, 0.7);
    await stage.moveTo(initial_mm);
    const seen: MoveProgress[] = [];
    await stage.moveTo(target_mm, { onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(3);
    for (const [index, progress] of seen.entries()) {
      expect(progress.target_mm).toBe(target_mm);
      expect(progress.initial_mm).toBeCloseTo(initial_mm, 2);
      expect(progress.current_mm).toBeGreaterThanOrEqual((seen[index - 1]?.current_mm ?? initial_mm) - 0.01);
      expect(progress.elapsed_ms).toBeGreaterThanOrEqual(seen[index - 1]?.elapsed_ms ?? 0);
    }
    expect(seen.some(({ current_mm }) => current_mm > initial_mm + 1 && current_mm < target_mm - 1)).toBe(true);
    await tidy();
  });

  test.each([-1, 1])("refuses a target outside its travel (%i) by name, and does not move", async (side) => {
    const { stage, tidy } = await homed();
    await stage.moveTo(placeIn(stage, 0.5));
    const before = await stage.readState();
    const target_mm = side < 0 ? stage.info.travelMin_mm - 1 : stage.info.travelMax_mm + 1;
    const error = await expectCode(stage.moveTo(target_mm), "out_of_range");
    expect(error.message).toContain(String(target_mm));
    await expectCode(stage.moveTo(Number.NaN), "out_of_range");
    expect((await stage.readState()).position_mm).toBe(before.position_mm);
    await tidy();
  });

  test("carries out one move at a time", async () => {
    const { stage, clock, tidy } = await homed();
    const target_mm = placeIn(stage, 0.6);
    const first = stage.moveTo(target_mm);
    await settle(clock, stage, 1);
    await expectCode(stage.moveTo(placeIn(stage, 0.1)), "busy");
    await expectCode(stage.home(), "busy");
    expect((await stage.readState()).moving).toBe(true);
    expect(Math.abs(((await first).position_mm ?? Number.NaN) - target_mm)).toBeLessThanOrEqual(tolerance_mm(stage));
    await tidy();
  });

  test("a cancelled move fails by name when the stage stands still, on the way", async () => {
    const { stage, clock, tidy } = await homed();
    const initial_mm = placeIn(stage, 0.1);
    const target_mm = placeIn(stage, 0.9);
    await stage.moveTo(initial_mm);
    const cancel = new AbortController();
    const move = expectCode(stage.moveTo(target_mm, { cancellation: cancel.signal }), "cancelled");
    await settle(clock, stage, 4);
    cancel.abort();
    await move;
    const state = await stage.readState();
    expect(state.moving).toBe(false);
    expect(state.position_mm).toBeGreaterThan(initial_mm);
    expect(state.position_mm).toBeLessThan(target_mm - 1);
    const again = new AbortController();
    again.abort();
    await expectCode(stage.moveTo(target_mm, { cancellation: again.signal }), "cancelled");
    expect((await stage.readState()).position_mm).toBe(state.position_mm);
    // A stage that was stopped can go on.
    expect((await stage.moveTo(target_mm)).moving).toBe(false);
    await tidy();
  });

  test("stops at any moment, and the move that was under way fails by name", async () => {
    const { stage, clock, tidy } = await homed();
    await stage.moveTo(placeIn(stage, 0.1));
    const target_mm = placeIn(stage, 0.9);
    const move = expectCode(stage.moveTo(target_mm), "cancelled");
    await settle(clock, stage, 3);
    const state = await stage.stop();
    expect(state.moving).toBe(false);
    await move;
    expect((await stage.readState()).position_mm).toBeLessThan(target_mm - 1);
    expect(await stage.stop()).toMatchObject({ moving: false, homed: true });
    await tidy();
  });

  test("is silent after it was closed", async () => {
    const { stage, tidy } = await homed();
    await stage.close();
    await expectCode(stage.moveTo(placeIn(stage, 0.5)), "not_connected");
    await expectCode(stage.readState(), "not_connected");
    await tidy();
  });
});

describe("figures of the emulated mechanics, through the units of their makers", () => {
  test.each(EMULATED_STAGES)("$name", async (emulated) => {
    const clock = simulatedClock();
    const controller = emulated.makeController(clock);
    const stage = await emulated.open(new MemoryLink(emulated.name, controller), clock);
    const [travel_mm, velocity_mm_s, acceleration_mm_s2] = emulated.figures;
    const { info } = stage;
    expect((info.travelMax_mm - info.travelMin_mm) / travel_mm).toBeCloseTo(1, 4);
    expect(info.velocity_mm_s / velocity_mm_s).toBeCloseTo(1, 3);
    expect(info.acceleration_mm_s2 / acceleration_mm_s2).toBeCloseTo(1, 2);
    await stage.close();
  });
});

describe("connecting keeps what the controller knows", () => {
  test.each(EMULATED_STAGES)("$name", async (emulated) => {
    const clock = simulatedClock();
    const controller = emulated.makeController(clock);
    const first = await emulated.open(new MemoryLink(emulated.name, controller), clock);
    await first.home();
    const { position_mm } = await first.moveTo(placeIn(first, 0.5));
    await first.close();
    const before_mm = controller.position_mm();
    const second = await emulated.open(new MemoryLink(emulated.name, controller), clock);
    const state = await second.readState();
    expect(controller.position_mm()).toBe(before_mm);
    if (controller instanceof GrblController) {
      // The board starts anew when its port is opened, and says that it has to be homed.
      expect(state).toMatchObject({ homed: false, warnings: [expect.stringContaining("locked")] });
      await expectCode(second.moveTo(placeIn(second, 0.4)), "not_homed");
    } else {
      expect(state).toMatchObject({ homed: true, moving: false, position_mm });
      expect(state.setpoint_mm).toBeUndefined();
    }
    await second.close();
  });
});
