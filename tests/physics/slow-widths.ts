/**
 * Second-moment widths by the letter of ISO 11146-1, written without the product's analysis, to hold the simulator against
 * its check values.
 */
export interface SlowWidths {
  readonly x_um: number;
  readonly y_um: number;
  readonly azimuth_deg: number;
  /** Along rows and columns. */
  readonly sensorX_um: number;
  readonly sensorY_um: number;
}

interface Image {
  /** Light without background, row-major. */
  readonly light: ArrayLike<number>;
  readonly width_px: number;
  readonly height_px: number;
  readonly pixelPitch_um: number;
}

interface Area {
  readonly column: number;
  readonly row: number;
  /** Of the first side, clockwise on the screen. */
  readonly angle_rad: number;
  readonly first_px: number;
  readonly second_px: number;
}

interface Moments extends Area {
  /** Full widths along the turned axes; the first is the one closer to the rows. */
  readonly total: number;
  readonly alongRows_px: number;
  readonly alongColumns_px: number;
}

/** Box around the connected pixels above 1/e² of the brightest, three times as large. */
function areaAroundPeak({ light, width_px, height_px }: Image): Area {
  let peak = 0;
  for (let i = 1; i < width_px * height_px; i++) if ((light[i] as number) > (light[peak] as number)) peak = i;
  const level = (light[peak] as number) / Math.E ** 2;
  const seen = new Set([peak]);
  const open = [peak];
  let [left, right, top, bottom] = [width_px, 0, height_px, 0];
  for (let pixel = open.pop(); pixel !== undefined; pixel = open.pop()) {
    const column = pixel % width_px;
    const row = Math.floor(pixel / width_px);
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
    const neighbours = [
      column > 0 ? pixel - 1 : -1,
      column < width_px - 1 ? pixel + 1 : -1,
      pixel - width_px,
      pixel + width_px,
    ];
    for (const next of neighbours) {
      if (next < 0 || next >= width_px * height_px || seen.has(next) || (light[next] as number) <= level) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return {
    column: (left + right) / 2,
    row: (top + bottom) / 2,
    angle_rad: 0,
    first_px: 3 * (right - left + 1),
    second_px: 3 * (bottom - top + 1),
  };
}

function momentsIn({ light, width_px, height_px }: Image, area: Area): Moments {
  const cos = Math.cos(area.angle_rad);
  const sin = Math.sin(area.angle_rad);
  let [total, sumX, sumY, sumXX, sumXY, sumYY] = [0, 0, 0, 0, 0, 0];
  for (let row = 0; row < height_px; row++) {
    for (let column = 0; column < width_px; column++) {
      const x = column - area.column;
      const y = row - area.row;
      if (Math.abs(x * cos + y * sin) > area.first_px / 2 || Math.abs(y * cos - x * sin) > area.second_px / 2) continue;
      const value = light[row * width_px + column] as number;
      total += value;
      sumX += value * x;
      sumY += value * y;
      sumXX += value * x * x;
      sumXY += value * x * y;
      sumYY += value * y * y;
    }
  }
  const meanX = sumX / total;
  const meanY = sumY / total;
  const xx = sumXX / total - meanX * meanX;
  const xy = sumXY / total - meanX * meanY;
  const yy = sumYY / total - meanY * meanY;
  // The axis closer to the rows: half of the angle whose tangent is 2xy / (xx − yy), folded into ±45°.
  const angle_rad = xx === yy ? 0 : Math.atan((2 * xy) / (xx - yy)) / 2;
  const c = Math.cos(angle_rad);
  const s = Math.sin(angle_rad);
  return {
    total,
    column: area.column + meanX,
    row: area.row + meanY,
    angle_rad,
    first_px: 4 * Math.sqrt(xx * c * c + 2 * xy * c * s + yy * s * s),
    second_px: 4 * Math.sqrt(xx * s * s - 2 * xy * c * s + yy * c * c),
    alongRows_px: 4 * Math.sqrt(xx),
    alongColumns_px: 4 * Math.sqrt(yy),
  };
}

/** d4σ along the principal axes in an area of three times the widths, iterated to 1e-4 (at most 50 times). */
export function slowWidths(image: Image, start: "peak" | "sensor" = "peak"): SlowWidths {
  let area: Area =
    start === "peak"
      ? areaAroundPeak(image)
      : { column: 0, row: 0, angle_rad: 0, first_px: 4 * image.width_px, second_px: 4 * image.height_px };
  let found = momentsIn(image, area);
  for (let pass = 0; pass < 50; pass++) {
    area = { ...found, first_px: 3 * found.first_px, second_px: 3 * found.second_px };
    const next = momentsIn(image, area);
    const change = Math.max(
      Math.abs(next.first_px / found.first_px - 1),
      Math.abs(next.second_px / found.second_px - 1),
    );
    found = next;
    if (change < 1e-4) break;
  }
  return {
    x_um: found.first_px * image.pixelPitch_um,
    y_um: found.second_px * image.pixelPitch_um,
    azimuth_deg: (-found.angle_rad * 180) / Math.PI,
    sensorX_um: found.alongRows_px * image.pixelPitch_um,
    sensorY_um: found.alongColumns_px * image.pixelPitch_um,
  };
}
