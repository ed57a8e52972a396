import { beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../protocol/clock.ts";
import { InstrumentError } from "../protocol/instrument-error.ts";
import type { Axis, AxisIdentity, AxisStatus } from "./axis.ts";
import { ControlledStage } from "./controlled-stage.ts";

/** Every wait ends at once and moves the time. */
class InstantClock implements Clock {
  #now_ms = 0;

  now_ms(): number {
    return this.#now_ms;
  }

  async wait(duration_ms: number): Promise<void> {
    this.#now_ms += duration_ms;
    await Promise.resolve();
  }
}

const IDENTITY: AxisIdentity = {
  model: "Scripted axis",
  serialNumber: "1",
  travelMin_mm: 0,
  travelMax_mm: 100,
  velocity_mm_s: 10,
  acceleration_mm_s2: 50,
  resolution_mm: 0.001,
  homing_ms: 60_000,
};

const at = (position_mm: number, more: Partial<AxisStatus> = {}): AxisStatus => ({
  position_mm,
  moving: false,
  homed: true,
  warnings: [],
  ...more,
});

/** Says what its script says, one entry per look, the last one for ever. */
class ScriptedAxis implements Axis {
  readonly fallbackName = "axis at nowhere";
  linkIsOpen = false;
  readonly orders: string[] = [];
  script: (AxisStatus | InstrumentError)[] = [at(10)];
  identity = IDENTITY;

  async connect(stopFirst: boolean): Promise<AxisIdentity> {
    this.linkIsOpen = true;
    this.orders.push(stopFirst ? "connect again" : "connect");
    return this.identity;
  }

  async readStatus(): Promise<AxisStatus> {
    const status = this.script.length > 1 ? this.script.shift() : this.script[0];
    if (status === undefined || status instanceof InstrumentError) {
      throw status ?? new Error("no script");
    }
    return status;
  }

  async startHome(): Promise<void> {
    this.orders.push("home");
  }

  async startMove(target_mm: number): Promise<void> {
    this.orders.push(`move ${target_mm}`);
  }

  async stop(): Promise<void> {
    this.orders.push("stop");
  }

  async disconnect(): Promise<void> {
    this.linkIsOpen = false;
  }
}

describe("a stage over an axis", () => {
  let axis: ScriptedAxis;
  let stage: ControlledStage;
  beforeEach(async () => {
    axis = new ScriptedAxis();
    stage = await ControlledStage.connect(axis, new InstantClock(), {
      softMax_mm: 90,
      calibration: { direction: -1, zero_mm: 100 },
    });
    axis.orders.length = 0;
  });

  const moving = (position_mm: number): AxisStatus => at(position_mm, { moving: true });

  test("sends the controller's own coordinates and reports the bench's", async () => {
    axis.script = [at(50), at(50), moving(45), at(40)];
    expect(await stage.moveTo(60)).toMatchObject({ setpoint_mm: 60, position_mm: 60 });
    expect(axis.orders).toEqual(["move 40"]);
    expect(stage.info).toMatchObject({ travelMin_mm: 0, travelMax_mm: 90 });
  });

  test("one look that says it has arrived is not believed when the next ones say otherwise", async () => {
    axis.script = [at(50), at(50), at(40), at(44)];
    await expect(stage.moveTo(60)).rejects.toMatchObject({ code: "position_error" });
    expect(axis.orders).toEqual(["move 40", "stop"]);
  });

  test("one wrong number in mid-move is not believed, two are", async () => {
    axis.script = [at(50), at(50), moving(45), moving(99), moving(43), at(40)];
    expect(await stage.moveTo(60)).toMatchObject({ position_mm: 60 });
    axis.script = [at(50), at(50), moving(51), moving(52), at(52)];
    await expect(stage.moveTo(60)).rejects.toMatchObject({ code: "position_error" });
    expect(axis.orders.slice(-2)).toEqual(["move 40", "stop"]);
  });

  test("one look without the reference is not believed, two lose the position until it is homed", async () => {
    axis.script = [at(50), at(50), moving(45), at(0, { homed: false }), moving(42), at(40)];
    expect(await stage.moveTo(60)).toMatchObject({ homed: true });
    axis.script = [at(50), at(50), moving(45), at(0, { homed: false, lost: "power cut" })];
    await expect(stage.moveTo(60)).rejects.toMatchObject({ code: "position_lost" });
    expect(await stage.readState()).toEqual({ moving: false, homed: false, warnings: ["power cut"] });
    await expect(stage.moveTo(60)).rejects.toMatchObject({ code: "position_lost" });
    axis.script = [at(0, { homed: false }), moving(3), at(0)];
    expect(await stage.home()).toMatchObject({ homed: true, position_mm: 100, warnings: [] });
  });

  test("a stage that says that it moves and does not is stopped as stalled", async () => {
    axis.script = [at(50), at(50), moving(45)];
    const move = expect(stage.moveTo(60)).rejects.toMatchObject({ code: "position_error" });
    await move;
    expect(axis.orders.slice(0, 2)).toEqual(["move 40", "stop"]);
  });

  test("a stage that stands still away from its target has not arrived", async () => {
    axis.script = [at(50), at(50), moving(45), at(41)];
    const error: unknown = await stage.moveTo(60).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "position_error", detail: { value: 59, unit: "mm" } });
    expect((error as InstrumentError).message).toContain("59.0000 mm, away from its target of 60 mm");
  });

  test("homing that does not move is given up, and so is one that ends without a reference", async () => {
    axis.script = [at(5, { homed: false }), at(5, { homed: false, moving: true })];
    await expect(stage.home()).rejects.toMatchObject({
      code: "position_error",
      hint: expect.stringContaining("home velocity") as string,
    });
    axis.script = [at(5, { homed: false }), at(3, { homed: false, moving: true }), at(0, { homed: false })];
    await expect(stage.home()).rejects.toMatchObject({ code: "position_error" });
    expect(axis.orders.filter((order) => order === "stop").length).toBeGreaterThanOrEqual(2);
  });

  test("a fault of the controller passes on its words and what it said", async () => {
    const fault = { code: "faulted", message: "the motor is too hot", reply: "FM" } as const;
    axis.script = [at(50), at(50), moving(45), at(44, { fault })];
    await expect(stage.moveTo(60)).rejects.toMatchObject({
      code: "faulted",
      message: "Scripted axis (stage): the motor is too hot",
      detail: { reply: "FM" },
    });
    expect((await stage.readState()).warnings).toEqual(["the motor is too hot"]);
  });

  test("an error of the line ends the move by its code, after a stop, under the stage's own name", async () => {
    const silence = new InstrumentError(
      "timed_out",
      "axis",
      "no answer",
      { value: 300, unit: "ms" },
      "check the cable",
    );
    axis.script = [at(50), at(50), moving(45), silence, at(44)];
    await expect(stage.moveTo(60)).rejects.toMatchObject({
      code: "timed_out",
      instrument: "Scripted axis (stage)",
      message: "Scripted axis (stage): no answer",
      detail: { value: 300 },
      hint: "check the cable",
    });
    expect(axis.orders).toEqual(["move 40", "stop"]);
  });

  test("silence in mid-move is told within seconds, by the question that was not answered and that the stop was not confirmed", async () => {
    const silence = new InstrumentError("timed_out", "axis", 'no answer to "#5" within 400 ms', {}, "check the cable");
    axis.script = [at(50), at(50), moving(45), silence, silence];
    const error: unknown = await stage.moveTo(60).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "timed_out",
      message:
        'Scripted axis (stage): no answer to "#5" within 400 ms; the stage may still be moving: the stop was not confirmed',
      hint: "look at the stage and cut its power if it moves; check the cable",
    });
    await expect(stage.stop()).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("the stop was not confirmed") as string,
    });
  });

  test("an error in the caller's own progress report stops the stage and comes back to the caller", async () => {
    axis.script = [at(50), at(50), moving(45), at(44)];
    const bug = new TypeError("bug in the window");
    await expect(
      stage.moveTo(60, {
        onProgress: () => {
          throw bug;
        },
      }),
    ).rejects.toBe(bug);
    expect(axis.orders).toEqual(["move 40", "stop"]);
  });

  test("a lost link is opened again by the next verb, and whatever moves is stopped first", async () => {
    axis.linkIsOpen = false;
    axis.script = [at(50)];
    expect(await stage.readState()).toMatchObject({ position_mm: 50 });
    expect(axis.orders).toEqual(["connect again"]);
    axis.linkIsOpen = false;
    axis.identity = { ...IDENTITY, serialNumber: "2" };
    await expect(stage.moveTo(60)).rejects.toMatchObject({ code: "not_connected" });
    expect(axis.linkIsOpen).toBe(false);
  });

  test("the heartbeat reports the first trouble, and ends when it is told to", async () => {
    const beat = new AbortController();
    axis.script = [at(50), at(50), new InstrumentError("timed_out", "axis", "no answer")];
    expect(await stage.heartbeat(1000, beat.signal)).toMatchObject({ code: "timed_out" });
    axis.script = [at(50), at(50, { homed: false })];
    expect(await stage.heartbeat(1000, beat.signal)).toMatchObject({ code: "position_lost" });
    beat.abort();
    expect(await stage.heartbeat(1000, beat.signal)).toBeUndefined();
  });

  test("soft limits that leave nothing are refused at connection", async () => {
    await expect(
      ControlledStage.connect(new ScriptedAxis(), new InstantClock(), { softMin_mm: 120 }),
    ).rejects.toMatchObject({ code: "out_of_range" });
  });
});
