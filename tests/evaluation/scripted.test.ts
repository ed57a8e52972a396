import { expect, test } from "vitest";
import { SCRIPTS } from "../../main/contenders/index.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import { driveBench } from "../../main/evaluation/drive.ts";
import { createSimulatedRun, stillClock } from "../../main/evaluation/simulated-run.ts";
import type { InstrumentFault } from "../../simulators/faults/instrument-fault.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { caseNamed, failed, gradeCase, runCase } from "./run-case.ts";

const { scripted } = SCRIPTS;
if (scripted === undefined) throw new Error("there is no scripted operator");

for (const name of ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A11"]) {
  test(`${name}: the scripted operator's verdict is the oracle's, and its M² is right`, async () => {
    const row = gradeCase(name, await runCase(name, scripted));
    expect(row.verdict).toBe(caseNamed(name).expected);
    expect(failed(row)).toEqual([]);
  });
}

async function finishedUnder(instrumentFaults: readonly InstrumentFault[]): Promise<BenchEvent[]> {
  const events: BenchEvent[] = [];
  const run = createSimulatedRun({
    scenario: SCENARIOS.clean,
    seed: 12,
    instrumentFaults,
    hostClock: stillClock,
    journal: { append: (event) => void events.push(event) },
  });
  await driveBench({ offer: run.offer, contender: scripted as NonNullable<typeof scripted> });
  await run.close();
  return events;
}

test("a stage that stalls twice and a camera that loses frames cost repetitions, not the run", async () => {
  const events = await finishedUnder([
    { kind: "stage_stall", on: { calls: [2, 9] }, fraction: 0.4, noticed_after_ms: 1000 },
    { kind: "camera_drop", on: { probability: 0.02 } },
  ]);
  expect(events.find((event) => event.type === "finished")).toMatchObject({ verdict: "iso_compliant" });
  const again = events.filter((event) => event.type === "tool_called" && /^again, it failed/.test(event.reason ?? ""));
  expect(again.length).toBeGreaterThanOrEqual(2);
});

test("a camera that loses every frame ends in an honest failure that names it", async () => {
  const events = await finishedUnder([{ kind: "camera_drop", on: { probability: 1 } }]);
  const finished = events.find((event) => event.type === "finished");
  expect(finished).toMatchObject({ verdict: "measurement_failed" });
  expect(JSON.stringify(finished)).toMatch(/failed 4 times in a row.*did not arrive whole/);
});
