import { describe, expect, test } from "vitest";
import type { BenchError } from "../../main/contract/error-codes.ts";
import type { LineFault } from "../../simulators/controllers/faulty-line.ts";
import { EMULATED_STAGES, type EmulatedStage } from "../support/emulated-stages.ts";
import { FaultyBench, refusalOf } from "../support/faulty-bench.ts";
import type { CameraTrouble } from "../support/troubled-camera.ts";

/*
 * What a person or an agent who measures gets to see when a line, a plug, the mechanics or the camera fails: the
 * measurement under way fails by name, what was measured stays, the stage stops, and the bench can be used again.
 */

interface Fault {
  readonly name: string;
  readonly befall: (bench: FaultyBench, ended: () => boolean) => void;
  readonly mend: (bench: FaultyBench) => void;
  /** Codes of the instrument; none when the driver may get over it. */
  readonly codes: readonly string[];
  /** Before the measurement, in place of in the middle of its move. */
  readonly atRest?: true;
  /** Nobody can stop the stage until the next command connects again. */
  readonly outOfReach?: true;
  /** Words that the message must have. */
  readonly named?: RegExp;
  readonly concerns?: (emulated: EmulatedStage) => boolean;
}

/** Befalls every piece until the measurement has ended. */
const again =
  (fault: LineFault): Fault["befall"] =>
  ({ line }, ended) => {
    const next = (): void => {
      if (ended()) return;
      line.inject("to-host", fault, () => {
        queueMicrotask(next);
        return true;
      });
    };
    next();
  };
const mendLine = ({ line }: FaultyBench): void => line.mend();

const ANY_OF_A_LINE = [
  "timed_out",
  "bad_reply",
  "position_error",
  "position_lost",
  "faulted",
  "refused",
  "connection_lost",
];

const FAULTS: readonly Fault[] = [
  ...(["drop", "double", "garble", "half", "late"] as const).map((kind): Fault => {
    const fault: LineFault =
      kind === "garble"
        ? { kind, at: 3, mask: 0x11 }
        : kind === "late"
          ? { kind, duration_ms: 900 }
          : kind === "half"
            ? { kind }
            : { kind, at: 3 };
    return {
      name: `one reply goes wrong (${kind})`,
      befall: ({ line }) => line.inject("to-host", fault),
      mend: mendLine,
      codes: [],
    };
  }),
  { name: "every reply loses a byte", befall: again({ kind: "drop", at: 3 }), mend: mendLine, codes: ANY_OF_A_LINE },
  { name: "every reply breaks off", befall: again({ kind: "half" }), mend: mendLine, codes: ANY_OF_A_LINE },
  {
    name: "every reply is garbled",
    befall: again({ kind: "garble", at: 2, mask: 0x55 }),
    mend: mendLine,
    codes: ANY_OF_A_LINE,
  },
  {
    name: "silence",
    befall: ({ line }) => line.inject("to-host", { kind: "silence", duration_ms: 30_000 }),
    mend: mendLine,
    codes: ["timed_out"],
  },
  {
    name: "controller reset in mid-move",
    befall: ({ controller }) => controller.powerCycle(),
    mend: () => undefined,
    codes: ["position_lost", "timed_out"],
  },
  {
    name: "controller reset at rest: the stage has lost its home",
    befall: ({ controller }) => controller.powerCycle(),
    mend: () => undefined,
    codes: ["position_lost"],
    atRest: true,
  },
  {
    name: "stall",
    befall: ({ controller }) => controller.jam(),
    mend: ({ controller }) => controller.free(),
    codes: ["position_error", "faulted"],
    // A stepper without encoder counts on while the carriage stands still, and the wire has no word for it.
    concerns: ({ noticesStall }) => noticesStall,
  },
  {
    name: "overshoot",
    befall: ({ controller }) => {
      controller.carriage.overshoot_mm = 0.4;
    },
    mend: ({ controller }) => {
      controller.carriage.overshoot_mm = 0;
    },
    codes: ["position_error"],
    atRest: true,
  },
  {
    name: "limit switch",
    befall: ({ controller }) => controller.hitLimit(),
    mend: () => undefined,
    codes: ["position_lost", "position_error"],
    named: /limit (switch|sensor)/,
  },
  {
    name: "plug pulled and put back",
    befall: ({ link }) => link.unplug(),
    mend: ({ link }) => link.plug(),
    codes: ["connection_lost"],
    outOfReach: true,
  },
];

/** Named by the instrument's own code, and told so that a person and an agent know what to do. */
function expectClear(bench: FaultyBench, refusal: BenchError | undefined, codes: readonly string[]): void {
  expect(refusal?.code).toBe("instrument_failed");
  const told = refusal?.message ?? "";
  expect(codes, told).toContain(/\((\w+)\)$/.exec(told)?.[1]);
  expect(told).toMatch(/\((stage|camera)\): .{15,}/);
  expect(refusal?.hint).toMatch(/.{10,}/);
  // The operator's window shows what the log says.
  const logged = bench.eventsOf("instrument_failed").at(-1);
  expect(logged).toMatchObject({ during: "measure_at" });
  expect(told).toContain(logged?.message);
}

async function expectStandstill({ controller, clock }: FaultyBench): Promise<void> {
  const before_mm = controller.position_mm();
  await clock.wait(1000);
  expect(controller.position_mm()).toBe(before_mm);
}

async function benchAtRest(emulated: (typeof EMULATED_STAGES)[number]) {
  const bench = await FaultyBench.open(emulated);
  await bench.home();
  const { travelMin_mm, travelMax_mm, velocity_mm_s } = bench.stage.info;
  const near_mm = Math.round(travelMin_mm + (travelMax_mm - travelMin_mm) * 0.3);
  const far_mm = Math.round(travelMin_mm + (travelMax_mm - travelMin_mm) * 0.5);
  const first = await bench.measure(near_mm);
  return { bench, near_mm, far_mm, first, moving_ms: (1000 * (far_mm - near_mm)) / velocity_mm_s };
}

describe.each(EMULATED_STAGES)("a measurement over $name", (emulated) => {
  const concerned = (fault: Fault): boolean => fault.concerns?.(emulated) !== false;

  test.skip.each(FAULTS.filter((fault) => !concerned(fault)))("$name: this controller cannot tell", () =>
    expect.unreachable(),
  );

  test.each(FAULTS.filter(concerned))("$name", async ({ befall, mend, codes, atRest, outOfReach, named }) => {
    const { bench, far_mm, first, moving_ms } = await benchAtRest(emulated);
    let ended = false;
    if (atRest === true) {
      befall(bench, () => ended);
      await bench.clock.wait(5000);
    }
    const measuring = refusalOf(bench.measure(far_mm)).finally(() => {
      ended = true;
    });
    if (atRest !== true) {
      await bench.clock.wait(0.5 * moving_ms);
      befall(bench, () => ended);
    }
    const refusal = await measuring;
    if (codes.length > 0) expectClear(bench, refusal, codes);
    else if (refusal !== undefined) expectClear(bench, refusal, ANY_OF_A_LINE);
    if (named !== undefined) expect(refusal?.message).toMatch(named);

    // What was measured before is there; nothing was added that did not take place.
    const kept = await bench.measurements();
    expect(first).toMatchObject(kept[0] ?? {});
    expect(kept).toHaveLength(refusal === undefined ? 2 : 1);
    mend(bench);
    await bench.clock.wait(5000);
    if (outOfReach !== true) await expectStandstill(bench);

    // The bench goes on: homed by the operator where the stage does not know where it is any more.
    const attempt = await refusalOf(bench.measure(far_mm));
    if (attempt !== undefined) {
      expect(attempt.message).toMatch(/not_homed|position_lost|connection_lost|not_connected|refused|faulted/);
      await bench.home();
      await bench.measure(far_mm);
    }
    const last = (await bench.measurements()).at(-1);
    expect(last?.z_actual_mm).toBeCloseTo(far_mm, 2);
    expect(bench.controller.position_mm()).toBeCloseTo(far_mm, 2);
    expect(last?.d4sigma_x_um).toBeGreaterThan(0);
  });
});

describe("a measurement whose camera fails, through the driver of real ones", () => {
  const [zaber] = EMULATED_STAGES;
  const TROUBLES: readonly (readonly [CameraTrouble, string])[] = [
    ["stream stalls", "timed_out"],
    ["wrong pixel format", "wrong_format"],
    ["frame from before the move", "frame_lost"],
    ["incomplete frame", "frame_lost"],
  ];

  test.each(TROUBLES)("%s: it fails by name, and the next one works", async (trouble, code) => {
    if (zaber === undefined) throw new TypeError("no stage");
    const { bench, far_mm, first } = await benchAtRest(zaber);
    bench.camera.trouble = trouble;
    expectClear(bench, await refusalOf(bench.measure(far_mm)), [code]);
    await expectStandstill(bench);
    expect((await bench.measurements()).map(({ measurement }) => measurement)).toEqual([first.measurement]);
    expect(bench.eventsOf("frames_exposed").at(-1)).toMatchObject({ frames: 0, frames_asked: 1 });
    bench.camera.trouble = undefined;
    expect(await bench.measure(far_mm)).toMatchObject({ measurement: "m002" });
    expect((await bench.measurements()).map(({ measurement }) => measurement)).toEqual([first.measurement, "m002"]);
  });

  test("a camera that is pulled out while frames come loses the measurement under way by name, and the stage stands", async () => {
    if (zaber === undefined) throw new TypeError("no stage");
    const { bench, far_mm, first } = await benchAtRest(zaber);
    const measuring = refusalOf(bench.measure(far_mm));
    // The first frame is asked for when the stage has arrived.
    const { native } = bench.camera;
    const trigger = native.onTrigger;
    native.onTrigger = () => {
      trigger();
      bench.camera.trouble = "unplugged";
    };
    expectClear(bench, await measuring, ["connection_lost"]);
    await expectStandstill(bench);
    native.onTrigger = trigger;
    bench.camera.trouble = undefined;
    expect(await bench.measure(far_mm)).toMatchObject({ measurement: "m002" });
    // It was found again, and configured anew.
    expect(native.opened).toBe(2);
    expect((await bench.measurements())[0]).toMatchObject({ measurement: first.measurement });
  });
});
