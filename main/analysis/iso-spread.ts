import type { BlockMap } from "./block-map.ts";
import { percent } from "./frame-flags.ts";
import type { BackgroundChoice, IsoBackground } from "./iso-background.ts";
import type { KernelFrame, MomentKernel } from "./kernel.ts";
import type { BackgroundShape } from "./robust-background.ts";
import { AREA_FACTOR, type BackgroundEstimate, type Pass, settleArea } from "./settle-area.ts";
import { thresholdWidths } from "./threshold-widths.ts";

/** What the choice of background and area does to the widths of a frame without a dark. */
export interface IsoSpread {
  /** Standard uncertainties in pixels. */
  readonly x_px: number;
  readonly y_px: number;
  /** Present when a reasonable choice gives no width, or quite another one. */
  readonly unstable?: string;
}

/** A change of a width beyond this share makes the result a matter of choice. */
const QUITE_ANOTHER = 0.3;
/** An alternative that swings by less than this share still says where it would be; half of the swing is added to its deviation. */
const TOLERATED_SWING = 0.05;
/** The largest deviation among the alternatives is about 1.4 standard uncertainties. */
const DEVIATION_SHARE = 0.7;
/** Thresholding errs to one side; half of the difference keeps its result within two standard uncertainties. */
const THRESHOLD_SHARE = 0.5;

interface Alternative {
  readonly name: string;
  readonly choice: BackgroundChoice;
  readonly factor: number;
}

/**
 * Settles the area again with other reasonable choices (area 2.5 and 3.5 widths instead of 3; background from a ring around the area; plane
 * instead of level or the other way round), and compares with thresholding. The spread is the uncertainty that a frame without
 * a dark has on top of its noise.
 */
export function isoSpread(
  frames: readonly KernelFrame[],
  kernel: MomentKernel,
  pass: Pass,
  iso: IsoBackground,
  shapes: readonly BackgroundShape[],
  flat: BackgroundEstimate,
  map: BlockMap,
): IsoSpread {
  const [shape = "level", other] = shapes;
  const alternatives: Alternative[] = [
    { name: "an area of 2.5 widths", choice: { shape, from: "everywhere" }, factor: 2.5 },
    { name: "an area of 3.5 widths", choice: { shape, from: "everywhere" }, factor: 3.5 },
    { name: "the background of a ring around the area", choice: { shape, from: "ring" }, factor: AREA_FACTOR },
  ];
  if (other !== undefined) {
    const name = other === "level" ? "a level background" : "a tilted background";
    alternatives.push({ name, choice: { shape: other, from: "everywhere" }, factor: AREA_FACTOR });
  }
  let deviationX = 0;
  let deviationY = 0;
  let unstable: string | undefined;
  for (const { name, choice, factor } of alternatives) {
    const settling = settleArea(frames, kernel, pass.rectangle, iso.estimate(choice, flat), factor);
    const usable = settling.converged || (settling.swing ?? 1) < TOLERATED_SWING;
    if (settling.pass === undefined || !usable) {
      unstable ??= `with ${name} the widths do not settle`;
      continue;
    }
    const along = variancesAlong(settling.pass.moments, pass.widths.angle_rad);
    const byX = Math.abs(along.x_px - pass.widths.x_px);
    const byY = Math.abs(along.y_px - pass.widths.y_px);
    const worst = Math.max(byX / pass.widths.x_px, byY / pass.widths.y_px);
    if (worst > QUITE_ANOTHER) unstable ??= `with ${name} a width changes by ${percent(worst)}`;
    const half = (settling.swing ?? 0) / 2;
    deviationX = Math.max(deviationX, byX + half * pass.widths.x_px);
    deviationY = Math.max(deviationY, byY + half * pass.widths.y_px);
  }
  const cut = thresholdedWidths(frames, kernel, map, pass);
  const thresholdX = cut === undefined ? 0 : Math.abs(cut.x_px - pass.widths.x_px);
  const thresholdY = cut === undefined ? 0 : Math.abs(cut.y_px - pass.widths.y_px);
  return {
    x_px: Math.max(DEVIATION_SHARE * deviationX, THRESHOLD_SHARE * thresholdX),
    y_px: Math.max(DEVIATION_SHARE * deviationY, THRESHOLD_SHARE * thresholdY),
    ...(unstable === undefined ? {} : { unstable }),
  };
}

/** Widths along given axes. */
function variancesAlong(moments: { xx: number; xy: number; yy: number }, angle_rad: number) {
  const cosine = Math.cos(angle_rad);
  const sine = Math.sin(angle_rad);
  const cross = 2 * cosine * sine * moments.xy;
  const x = cosine * cosine * moments.xx + cross + sine * sine * moments.yy;
  const y = sine * sine * moments.xx - cross + cosine * cosine * moments.yy;
  return { x_px: 4 * Math.sqrt(Math.max(x, 0)), y_px: 4 * Math.sqrt(Math.max(y, 0)) };
}

function thresholdedWidths(frames: readonly KernelFrame[], kernel: MomentKernel, map: BlockMap, pass: Pass) {
  const { samples } = frames[0] as KernelFrame;
  const cut = thresholdWidths(samples, map.width_px, map.height_px, kernel.counting);
  if (cut === undefined) return undefined;
  const { widths } = cut;
  const cosine = Math.cos(widths.angle_rad);
  const sine = Math.sin(widths.angle_rad);
  const x = (widths.x_px / 4) ** 2;
  const y = (widths.y_px / 4) ** 2;
  return variancesAlong(
    {
      xx: cosine * cosine * x + sine * sine * y,
      xy: cosine * sine * (x - y),
      yy: sine * sine * x + cosine * cosine * y,
    },
    pass.widths.angle_rad,
  );
}
