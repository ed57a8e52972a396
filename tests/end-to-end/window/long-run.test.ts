import { describe, expect, test } from "vitest";
import type { BenchEvent, BenchEventOf } from "../../../main/contract/events.ts";
import { createRunFolder } from "../../../main/store/run-folder.ts";
import { RunStates } from "../../../renderer/store/run-state.ts";
import { noBrowser, openPage, pageHost, showView, startBrowser } from "./page-fixture.ts";

const CALLER = { number: 1, kind: "agent", name: "tireless" } as const;
const EVENTS = 10_000;

/** A run of so many events: an agent that moves to and fro and looks. */
function longRun(): BenchEvent[] {
  const opened: BenchEventOf<"run_opened"> = {
    seq: 0,
    t_ms: 0,
    type: "run_opened",
    format: 1,
    simulated: true,
    description: {
      bench: "bench-1",
      wavelength_nm: 1064,
      sensor_width_px: 640,
      sensor_height_px: 480,
      pixel_pitch_um: 5.5,
      bit_depth: 12,
      full_scale_counts: 4095,
      stage_travel_mm: { min: 0, max: 250 },
      stage_velocity_mm_s: 20,
      exposure_range_ms: { min: 0.02, max: 1000 },
      limits_mm: { min: 0, max: 250 },
      keep_out_zones: [],
      default_frames: 5,
      rules: [],
    },
    budgets: {},
    tools: ["move_to"],
    findings: "standard",
    z_actual_mm: 0,
    exposure_ms: 1,
  };
  const events: BenchEvent[] = [opened];
  for (let move = 0; events.length < EVENTS - 3; move++) {
    const z_mm = 10 + (move % 200);
    const seq = events.length;
    const t_ms = seq * 100;
    events.push(
      { seq, t_ms, type: "tool_called", tool: "move_to", caller: CALLER, input: { z_mm }, reason: `move ${move}` },
      { seq: seq + 1, t_ms, type: "move_started", call: seq, z_requested_mm: z_mm },
      {
        seq: seq + 2,
        t_ms,
        type: "move_ended",
        call: seq,
        outcome: "arrived",
        z_requested_mm: z_mm,
        z_actual_mm: z_mm,
        travel_mm: 1,
        duration_s: 0.1,
        limit_state: "inside",
      },
      {
        seq: seq + 3,
        t_ms,
        type: "tool_returned",
        call: seq,
        tool: "move_to",
        caller: CALLER,
        output: { z_actual_mm: z_mm },
      },
    );
  }
  while (events.length < EVENTS - 1) {
    events.push({
      seq: events.length,
      t_ms: 1e6,
      type: "operator_acted",
      caller: CALLER,
      action: "note",
      text: "nearly",
    });
  }
  events.push({ seq: EVENTS - 1, t_ms: 1e6, type: "run_closed", why: "abandoned" });
  return events;
}

test("the state at any event of a long run is the one that all events before it give", () => {
  const events = longRun();
  const states = new RunStates(events);
  // Backwards, so that no state is what the walk before it left behind.
  for (const seq of [9999, 5000, 4999, 256, 255, 3, 1, 0]) {
    const state = states.at(seq);
    expect(state.seq).toBe(seq);
    expect(state.calls).toBe(events.slice(0, seq + 1).filter((event) => event.type === "tool_called").length);
    const moved = events.slice(0, seq + 1).findLast((event) => event.type === "move_ended");
    expect(state.zActual_mm).toBe(moved === undefined ? 0 : moved.z_actual_mm);
  }
  expect(states.at(-1).seq).toBe(-1);
});

const title = noBrowser === undefined ? "in Chromium" : `in Chromium (skipped: ${noBrowser})`;
describe.skipIf(noBrowser !== undefined)(title, () => {
  test("a run of 10 000 events is opened and walked through", async () => {
    const browser = await startBrowser();
    const host = await pageHost();
    try {
      const folder = createRunFolder(host.runsFolder, {
        id: "long-run",
        bench: "bench-1",
        simulated: true,
        by: "tireless",
        versions: { caustic: "test" },
      });
      for (const event of longRun()) folder.journal.append(event);
      folder.close();
      const { page, complaints } = await openPage(browser, host);
      await showView(page, "Runs");
      await page.locator(".record-main").first().click();
      await page.getByText(`event ${EVENTS - 1} of ${EVENTS - 1}`).waitFor();
      // The newest entry is in sight, and what is built stays small however long the run is.
      const entries = page.locator(".replay .entry");
      await entries.getByText("Run closed").waitFor();
      expect(await entries.getByText("Run closed").isVisible()).toBe(true);
      expect(await entries.count()).toBeLessThanOrEqual(60);
      // The bar runs over the whole log: at its top stands the first entry, at its end the last again.
      const timeline = page.getByRole("list", { name: "Timeline" });
      await timeline.focus();
      await page.keyboard.press("Home");
      await entries.getByText("Run opened").waitFor();
      expect(await entries.count()).toBeLessThanOrEqual(60);
      await page.keyboard.press("End");
      await entries.getByText("Run closed").waitFor();
      for (const seq of [5000, 17, 9000]) {
        await page.getByRole("slider", { name: "Event" }).fill(String(seq));
        await page.getByText(`event ${seq} of ${EVENTS - 1}`).waitFor();
        await page.locator(".replay .entry-current").waitFor();
      }
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await host.close();
    }
  });
});
