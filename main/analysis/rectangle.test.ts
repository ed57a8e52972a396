import { expect, test } from "vitest";
import { seededNormal } from "./frame-fixtures.ts";
import { columnsInside } from "./rectangle.ts";

test("the columns of a row inside a turned rectangle are those whose centres are, whatever the angle", () => {
  const width_px = 64;
  const normal = seededNormal(11);
  const uniform = (): number => Math.abs(normal()) % 1;
  const wrong: string[] = [];
  for (let turn = 0; turn < 400; turn++) {
    const area = {
      centreX_px: 64 * uniform() * 2 - 32,
      centreY_px: Math.round(40 * uniform()),
      halfLength_px: turn % 3 === 0 ? Math.round(30 * uniform()) : 50 * uniform(),
      halfBreadth_px: turn % 5 === 0 ? 0.5 : 30 * uniform(),
      angle_rad: turn % 4 === 0 ? (turn % 16) * (Math.PI / 8) : 2 * Math.PI * uniform(),
    };
    const cosine = Math.cos(area.angle_rad);
    const sine = Math.sin(area.angle_rad);
    const inside = columnsInside(area, width_px);
    for (let row = 0; row < 48; row++) {
      const { first, last } = inside(row);
      for (let column = 0; column < width_px; column++) {
        const dx = column - area.centreX_px;
        const dy = row - area.centreY_px;
        const expected =
          Math.abs(dx * cosine + dy * sine) <= area.halfLength_px &&
          Math.abs(dy * cosine - dx * sine) <= area.halfBreadth_px;
        if (expected !== (column >= first && column <= last)) wrong.push(`turn ${turn}: ${column}, ${row}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
