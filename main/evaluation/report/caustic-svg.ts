import type { CausticFigure, DrawnCurve } from "../run-digest.ts";
import { decimal } from "./figures-text.ts";

const WIDTH = 300;
const HEIGHT = 150;
const LEFT = 38;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const STEPS = 48;

const short = (value: number): string => Number(value.toFixed(1)).toString();

/** Widths along z of one run as an inline picture: filled marks are in the fit, hollow ones are not. */
export function causticSvg(figure: CausticFigure, label: string): string {
  const z = figure.points.map((point) => point.z_mm);
  const d = figure.points.flatMap((point) => [point.dx_um, point.dy_um].filter((value) => value !== undefined));
  if (d.length === 0) return "";
  const zMin = Math.min(...z);
  const zMax = Math.max(...z, zMin + 1);
  const dMax = 1.08 * Math.max(...d);
  const px = (z_mm: number): number => LEFT + ((z_mm - zMin) / (zMax - zMin)) * (WIDTH - LEFT - RIGHT);
  const py = (d_um: number): number => HEIGHT - BOTTOM - (d_um / dMax) * (HEIGHT - TOP - BOTTOM);
  const line = (curve: DrawnCurve | undefined, axis: "x" | "y"): string => {
    if (curve === undefined) return "";
    const points = Array.from({ length: STEPS + 1 }, (_, i) => {
      const at_mm = zMin + ((zMax - zMin) * i) / STEPS;
      const d_um = curve.d0_um * Math.hypot(1, (at_mm - curve.z0_mm) / curve.rayleigh_mm);
      return d_um <= dMax ? `${short(px(at_mm))},${short(py(d_um))}` : undefined;
    }).filter((point) => point !== undefined);
    return points.length < 2 ? "" : `<polyline class="${axis}" points="${points.join(" ")}"/>`;
  };
  const marks = figure.points
    .map(({ z_mm, dx_um, dy_um, used }) => {
      const left_out = used ? "" : " o";
      const x =
        dx_um === undefined
          ? ""
          : `<circle class="x${left_out}" cx="${short(px(z_mm))}" cy="${short(py(dx_um))}" r="2.6"/>`;
      const y =
        dy_um === undefined
          ? ""
          : `<rect class="y${left_out}" x="${short(px(z_mm) - 2.2)}" y="${short(py(dy_um) - 2.2)}" width="4.4" height="4.4"/>`;
      return x + y;
    })
    .join("");
  const base = HEIGHT - BOTTOM;
  return [
    `<svg class="caustic" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">`,
    `<path class="frame" d="M${LEFT} ${TOP}V${base}H${WIDTH - RIGHT}"/>`,
    `<text x="${LEFT - 4}" y="${TOP + 8}" text-anchor="end">${decimal(dMax, 0)}</text>`,
    `<text x="${LEFT - 4}" y="${base}" text-anchor="end">0 µm</text>`,
    `<text x="${LEFT}" y="${HEIGHT - 8}">${decimal(zMin, 0)}</text>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">z = ${decimal(zMax, 0)} mm</text>`,
    line(figure.x, "x"),
    line(figure.y, "y"),
    marks,
    "</svg>",
  ].join("");
}
