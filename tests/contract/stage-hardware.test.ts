import { describe, expect, test } from "vitest";
import { connectBench } from "../../main/app/bench-file/connect-bench.ts";
import { readBenchFile } from "../../main/app/bench-file/read-bench-file.ts";
import { makeJourney } from "../support/journey.ts";

const path = process.env["CAUSTIC_HARDWARE"];
/** Nothing moves unless a person who sees the stage has said so. */
const mayMove = process.env["CAUSTIC_HARDWARE_MOVES"] === "yes";

describe(
  path === undefined
    ? "the stage of this bench (skipped: CAUSTIC_HARDWARE names no bench file)"
    : "the stage of this bench",
  () => {
    const open = () => connectBench(readBenchFile(path ?? ""));

    test.runIf(path !== undefined)("says what it is, without moving", async () => {
      const bench = await open();
      const { stage } = bench;
      const { info } = stage;
      expect(info.travelMax_mm).toBeGreaterThan(info.travelMin_mm);
      expect(info.velocity_mm_s).toBeGreaterThan(0);
      const before = await stage.readState();
      expect(before.moving).toBe(false);
      expect(await stage.readState()).toEqual(before);
      await bench.close();
    });

    test.runIf(path !== undefined && mayMove)(
      "makes the journey (CAUSTIC_HARDWARE_MOVES=yes)",
      async () => {
        const bench = await open();
        const { stage, clock } = bench;
        const { refusals, states } = await makeJourney(stage, clock);
        expect(refusals.slice(-2)).toEqual(["out_of_range", "cancelled"]);
        expect(states.at(-1)).toMatchObject({ moving: false, homed: true });
        await bench.close();
      },
      600_000,
    );
  },
);
