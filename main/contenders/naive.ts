import type { BenchClient } from "./bench-client.ts";
import { ToolRefusal } from "./bench-client.ts";
import type { Assignment, Contender } from "./contender.ts";

const POSITIONS = 10;
const EXPOSURE_MS = 1;

/** The reference that any thought must beat: ten evenly spaced positions at 1 ms, and whatever the fit says. */
export const naive: Contender = {
  name: "naive",
  async drive(client: BenchClient, assignment: Assignment): Promise<void> {
    const opened = await client.call("bench_open", { bench: assignment.bench, reason: "ten even positions at 1 ms" });
    const { run } = opened;
    const { min, max } = opened.stage_travel_mm;
    await client.call("take_darks", { run, exposure_ms: EXPOSURE_MS, reason: "one dark for the whole run" });
    for (let i = 0; i < POSITIONS; i++) {
      const z_mm = Math.round((min + ((max - min) * i) / (POSITIONS - 1)) * 1000) / 1000;
      try {
        await client.call("measure_at", {
          run,
          z_mm,
          exposure_ms: EXPOSURE_MS,
          reason: `position ${i + 1} of ${POSITIONS}`,
        });
      } catch (error) {
        if (!(error instanceof ToolRefusal)) throw error;
      }
    }
    const { x, y } = await client.call("fit_caustic", { run });
    if (!x.determined || !y.determined) {
      await client.call("finish", {
        run,
        verdict: "measurement_failed",
        explanation: "M² is not determined on both axes.",
      });
      return;
    }
    const compliant = x.iso_coverage && y.iso_coverage;
    await client.call("finish", {
      run,
      verdict: compliant ? "iso_compliant" : "estimate_not_compliant",
      m2_x: { value: x.m2, u: x.u_m2 },
      m2_y: { value: y.m2, u: y.u_m2 },
      explanation: compliant
        ? "The fit has the positions that the standard asks for."
        : "Too few near or far positions.",
    });
  },
};
