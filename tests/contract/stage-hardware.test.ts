import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { RealClock } from "../../main/app/real-clock.ts";
import { openConfiguredStage, stageConfigurationSchema } from "../../main/app/stage-configuration.ts";
import { makeJourney } from "../support/journey.ts";

/** A bench file as far as its stage goes. */
const benchFile = z.object({ instruments: z.object({ stage: stageConfigurationSchema }) });

const path = process.env["CAUSTIC_HARDWARE"];
/** Nothing moves unless a person who sees the stage has said so. */
const mayMove = process.env["CAUSTIC_HARDWARE_MOVES"] === "yes";

describe(
  path === undefined
    ? "the stage of this bench (skipped: CAUSTIC_HARDWARE names no bench file)"
    : "the stage of this bench",
  () => {
    const open = async () => {
      const { instruments } = benchFile.parse(parse(readFileSync(path ?? "", "utf8")));
      const clock = new RealClock();
      return { clock, stage: await openConfiguredStage(instruments.stage, clock) };
    };

    test.runIf(path !== undefined)("says what it is, without moving", async () => {
      const { stage } = await open();
      const { info } = stage;
      expect(info.travelMax_mm).toBeGreaterThan(info.travelMin_mm);
      expect(info.velocity_mm_s).toBeGreaterThan(0);
      const before = await stage.readState();
      expect(before.moving).toBe(false);
      expect(await stage.readState()).toEqual(before);
      await stage.close();
    });

    test.runIf(path !== undefined && mayMove)(
      "makes the journey (CAUSTIC_HARDWARE_MOVES=yes)",
      async () => {
        const { stage, clock } = await open();
        const { refusals, states } = await makeJourney(stage, clock);
        expect(refusals.slice(-2)).toEqual(["out_of_range", "cancelled"]);
        expect(states.at(-1)).toMatchObject({ moving: false, homed: true });
        await stage.close();
      },
      600_000,
    );
  },
);
