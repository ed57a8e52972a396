import { type RoughCaustic, widthAt } from "./parabola.ts";

/** Positions closer together than this many Rayleigh lengths say the same thing twice. */
const SPACING_RAYLEIGH = 0.15;
/** ISO 11146-1:2021, 9 asks for one and two Rayleigh lengths; the margins keep a position on its side when the fit moves. */
const NEAR_RAYLEIGH = 0.9;
const FAR_RAYLEIGH = 2.3;
/** Farther out a position adds light on the sensor's edge rather than information. */
const USEFUL_FAR_RAYLEIGH = 12;
/** Positions that ISO 11146-1 asks for on each side. */
const NEEDED = 5;
/** One more than the standard asks, so that a single rejected frame does not cost the verdict. */
const WANTED = 6;

type Caustic = Pick<RoughCaustic, "z0_mm" | "d0_um" | "rayleigh_mm">;

/** Where the stage may stand and how wide the beam may be there. */
export interface Bounds {
  readonly min_mm: number;
  readonly max_mm: number;
  readonly keepOut: readonly { readonly from_mm: number; readonly to_mm: number }[];
  /** Half the smaller sensor side: a wider axis gives no far position. */
  readonly largestWidth_um: number;
  /** Width at which light begins to reach the edge of the sensor, along its rows and along its columns. */
  readonly edgeWidth_um: { readonly x: number; readonly y: number };
}

/** The caustics of both axes, as far as they are known. */
export interface Axes {
  readonly x: Caustic | undefined;
  readonly y: Caustic | undefined;
}

function inside(z_mm: number, bounds: Bounds): boolean {
  if (z_mm < bounds.min_mm || z_mm > bounds.max_mm) return false;
  return !bounds.keepOut.some((zone) => z_mm >= zone.from_mm && z_mm <= zone.to_mm);
}

type Zone = "near" | "far" | "between";

function zoneOf(axis: Caustic, z_mm: number): Zone {
  const distance = Math.abs(z_mm - axis.z0_mm) / axis.rayleigh_mm;
  if (distance <= NEAR_RAYLEIGH) return "near";
  if (distance >= FAR_RAYLEIGH) return "far";
  return "between";
}

function countIn(axis: Caustic, zone: Zone, positions_mm: readonly number[]): number {
  return positions_mm.filter((z) => zoneOf(axis, z) === zone).length;
}

const known = (axes: Axes): Caustic[] => [axes.x, axes.y].filter((axis) => axis !== undefined);

/** Every place on a fine grid where the beam fits the sensor and the stage may stand. */
function candidates(axes: Axes, bounds: Bounds, avoid: readonly { from_mm: number; to_mm: number }[]): number[] {
  const step_mm = Math.max(0.05, Math.min(...known(axes).map((axis) => axis.rayleigh_mm)) / 20);
  const places: number[] = [];
  for (let z = bounds.min_mm; z <= bounds.max_mm + 1e-9; z += step_mm) {
    const z_mm = Math.round(z * 1000) / 1000;
    if (!inside(z_mm, bounds)) continue;
    if (avoid.some((zone) => z_mm >= zone.from_mm && z_mm <= zone.to_mm)) continue;
    if (axes.x !== undefined && widthAt(axes.x, z_mm) > bounds.edgeWidth_um.x) continue;
    if (axes.y !== undefined && widthAt(axes.y, z_mm) > bounds.edgeWidth_um.y) continue;
    places.push(z_mm);
  }
  return places;
}

/**
 * The next positions to measure, so that every axis ends with enough near and far positions. Greedy: each pick serves as
 * many unmet needs as possible and, among equals, stands as far as possible from what is already there.
 */
export function planPositions(
  bothAxes: Axes,
  measured_mm: readonly number[],
  bounds: Bounds,
  avoid: readonly { from_mm: number; to_mm: number }[] = [],
): number[] {
  const planned: number[] = [];
  const axes = known(bothAxes);
  if (axes.length === 0) return planned;
  const places = candidates(bothAxes, bounds, avoid);
  const spacing_mm = Math.min(...axes.map((axis) => axis.rayleigh_mm)) * SPACING_RAYLEIGH;
  for (;;) {
    const present = [...measured_mm, ...planned];
    const unmet = axes.flatMap((axis) =>
      (["near", "far"] as const)
        .filter((zone) => countIn(axis, zone, present) < WANTED)
        .map((zone) => ({ axis, zone })),
    );
    if (unmet.length === 0 || planned.length >= 30) return planned;
    let best: { z_mm: number; score: number } | undefined;
    for (const z_mm of places) {
      const nearest_mm = Math.min(Number.POSITIVE_INFINITY, ...present.map((other) => Math.abs(other - z_mm)));
      if (nearest_mm < spacing_mm) continue;
      const served = unmet.filter(
        ({ axis, zone }) => zoneOf(axis, z_mm) === zone && widthAt(axis, z_mm) <= bounds.largestWidth_um,
      );
      if (served.length === 0) continue;
      const reach = Math.max(...axes.map((axis) => Math.abs(z_mm - axis.z0_mm) / axis.rayleigh_mm));
      const tooFar = Math.max(0, reach - USEFUL_FAR_RAYLEIGH) / 10;
      const spread = Math.min(1, nearest_mm / (5 * spacing_mm));
      const score = served.length + 0.8 * spread - tooFar;
      if (best === undefined || score > best.score) best = { z_mm, score };
    }
    if (best === undefined) return planned;
    planned.push(best.z_mm);
  }
}

function lengthWithin(from_mm: number, to_mm: number, bounds: Bounds): number[] {
  let pieces = [{ from: Math.max(from_mm, bounds.min_mm), to: Math.min(to_mm, bounds.max_mm) }];
  for (const zone of bounds.keepOut) {
    pieces = pieces.flatMap((piece) => [
      { from: piece.from, to: Math.min(piece.to, zone.from_mm) },
      { from: Math.max(piece.from, zone.to_mm), to: piece.to },
    ]);
  }
  return pieces.filter((piece) => piece.to >= piece.from).map((piece) => piece.to - piece.from);
}

/** Whether the rail has room for enough well-spaced near and far positions of this axis. */
export function hasRoom(axis: Caustic, bounds: Bounds): boolean {
  const places = (lengths_mm: number[]) =>
    lengths_mm.reduce((sum, length) => sum + Math.floor(length / (SPACING_RAYLEIGH * axis.rayleigh_mm)) + 1, 0);
  const near = lengthWithin(
    axis.z0_mm - NEAR_RAYLEIGH * axis.rayleigh_mm,
    axis.z0_mm + NEAR_RAYLEIGH * axis.rayleigh_mm,
    bounds,
  );
  const ratio = bounds.largestWidth_um / axis.d0_um;
  if (!(ratio > 1)) return false;
  const reach_mm = axis.rayleigh_mm * Math.sqrt(ratio * ratio - 1);
  const far_mm = FAR_RAYLEIGH * axis.rayleigh_mm;
  if (reach_mm < far_mm) return false;
  const far = [
    ...lengthWithin(axis.z0_mm - reach_mm, axis.z0_mm - far_mm, bounds),
    ...lengthWithin(axis.z0_mm + far_mm, axis.z0_mm + reach_mm, bounds),
  ];
  return places(near) >= NEEDED && places(far) >= NEEDED;
}

/** Positions from one end of the rail to the other that meet no keep-out zone. */
export function evenPositions(count: number, bounds: Bounds, margin = 0.05): number[] {
  const span_mm = bounds.max_mm - bounds.min_mm;
  return Array.from({ length: count }, (_, i) => {
    const share = margin + ((1 - 2 * margin) * i) / Math.max(1, count - 1);
    return Math.round((bounds.min_mm + share * span_mm) * 1000) / 1000;
  }).filter((z_mm) => inside(z_mm, bounds));
}
