import { expect, test } from "vitest";
import { shownRegion, wholeFrame, zoomed } from "./frame-view.ts";

const sensor = { width: 2448, height: 2048 };
const screen = { width: 900, height: 400 };

test("a whole frame on the screen is no region", () => {
  expect(shownRegion(wholeFrame(sensor, screen), sensor, screen)).toBeUndefined();
});

test("what is on the screen lies in the region, with a margin, and the region on the sensor", () => {
  for (const factor of [2, 5, 30, 200])
    for (const [x, y] of [
      [0, 0],
      [450, 200],
      [899, 399],
    ] as const) {
      const view = zoomed(wholeFrame(sensor, screen), factor, x, y, sensor, screen);
      const region = shownRegion(view, sensor, screen);
      if (region === undefined) continue;
      const { left_px, top_px, width_px, height_px } = region;
      const left = -view.offsetX / view.scale;
      const right = (screen.width - view.offsetX) / view.scale;
      expect(left_px).toBeLessThanOrEqual(Math.max(0, left));
      expect(left_px + width_px).toBeGreaterThanOrEqual(Math.min(sensor.width, right));
      expect(top_px).toBeLessThanOrEqual(Math.max(0, -view.offsetY / view.scale));
      expect(top_px + height_px).toBeGreaterThanOrEqual(
        Math.min(sensor.height, (screen.height - view.offsetY) / view.scale),
      );
      for (const place of [left_px, top_px]) expect(place).toBeGreaterThanOrEqual(0);
      expect(left_px + width_px).toBeLessThanOrEqual(sensor.width);
      expect(top_px + height_px).toBeLessThanOrEqual(sensor.height);
      // No more than the screen, its margins and the steps of either side.
      expect(width_px).toBeLessThanOrEqual((1.2 * screen.width) / view.scale + 32);
    }
});

test("a small movement asks for nothing new", () => {
  const view = zoomed(wholeFrame(sensor, screen), 100, 450, 200, sensor, screen);
  const moved = { ...view, offsetX: view.offsetX + 0.25 * view.scale };
  const regions = new Set([view, moved].map((one) => JSON.stringify(shownRegion(one, sensor, screen))));
  expect(regions.size).toBe(1);
});
