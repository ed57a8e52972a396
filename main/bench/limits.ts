import type { BeamCameraInfo } from "../../drivers/protocol/beam-camera.ts";
import type { StageInfo } from "../../drivers/protocol/stage.ts";
import type { KeepOutZone } from "../contract/tools.ts";
import type { SoftLimits } from "./bench-session.ts";

/** Why a command is not carried out. It becomes both a `limit_refused` event and the caller's error. */
export interface Refusal {
  readonly code: "out_of_limits" | "keep_out_zone" | "budget_exhausted";
  /** The argument that was refused, its value and unit. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly message: string;
  readonly hint: string;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Bounds on position and exposure. The one place that decides; it holds for operator, script and agent alike. */
export interface Limits {
  /** Where the stage may stand: its own travel, cut by the soft limits. */
  readonly position_mm: Range;
  readonly exposure_ms: Range;
  readonly zones: readonly KeepOutZone[];
  /**
   * Why the stage may not go from one place to another; undefined when it may. `from_mm` is undefined while the stage
   * does not know where it stands. A stage that already stands in a zone or outside a limit may leave it.
   */
  moveRefusal(to_mm: number, from_mm: number | undefined): Refusal | undefined;
  exposureRefusal(exposure_ms: number): Refusal | undefined;
  limitState(z_mm: number): "inside" | "at_lower_limit" | "at_upper_limit";
}

const format = (value: number): string => String(Number(value.toPrecision(6)));

function narrowed(name: string, own: Range, soft: { min?: number | undefined; max?: number | undefined }): Range {
  const range = { min: Math.max(own.min, soft.min ?? own.min), max: Math.min(own.max, soft.max ?? own.max) };
  if (!(range.min <= range.max)) {
    throw new RangeError(`${name}: the soft limits leave nothing of ${own.min}…${own.max}`);
  }
  return range;
}

function zoneText(zone: KeepOutZone): string {
  const why = zone.why === undefined ? "" : ` (${zone.why})`;
  return `the keep-out zone ${format(zone.from_mm)}…${format(zone.to_mm)} mm${why}`;
}

/** Throws RangeError where the configuration contradicts itself. */
export function createLimits(
  stage: Pick<StageInfo, "travelMin_mm" | "travelMax_mm" | "resolution_mm">,
  camera: Pick<BeamCameraInfo, "exposureMin_ms" | "exposureMax_ms">,
  soft: SoftLimits = {},
  zones: readonly KeepOutZone[] = [],
): Limits {
  const position_mm = narrowed(
    "position in mm",
    { min: stage.travelMin_mm, max: stage.travelMax_mm },
    { min: soft.z_min_mm, max: soft.z_max_mm },
  );
  const exposure_ms = narrowed(
    "exposure in ms",
    { min: camera.exposureMin_ms, max: camera.exposureMax_ms },
    { min: soft.exposure_min_ms, max: soft.exposure_max_ms },
  );
  for (const zone of zones) {
    if (!(zone.from_mm <= zone.to_mm)) {
      throw new RangeError(`keep-out zone ${zone.from_mm}…${zone.to_mm} mm: from_mm must not exceed to_mm`);
    }
  }
  const lies = (z_mm: number, zone: KeepOutZone): boolean => z_mm >= zone.from_mm && z_mm <= zone.to_mm;

  return {
    position_mm,
    exposure_ms,
    zones,
    moveRefusal(to_mm, from_mm) {
      const refused = (code: Refusal["code"], message: string, hint: string): Refusal => ({
        code,
        name: "z_mm",
        value: to_mm,
        unit: "mm",
        message,
        hint,
      });
      if (!(to_mm >= position_mm.min && to_mm <= position_mm.max)) {
        return refused(
          "out_of_limits",
          `z_mm = ${format(to_mm)} mm lies outside ${format(position_mm.min)}…${format(position_mm.max)} mm`,
          `Choose z_mm from ${format(position_mm.min)} to ${format(position_mm.max)}.`,
        );
      }
      for (const zone of zones) {
        if (lies(to_mm, zone)) {
          return refused(
            "keep_out_zone",
            `z_mm = ${format(to_mm)} mm lies in ${zoneText(zone)}`,
            "Choose a position outside the zone.",
          );
        }
        if (zone.passing === "allowed") continue;
        if (from_mm === undefined) {
          return refused(
            "keep_out_zone",
            `The stage does not know where it stands, so a move to ${format(to_mm)} mm may pass ${zoneText(zone)}`,
            "Ask the operator to home the stage.",
          );
        }
        const passes = Math.min(from_mm, to_mm) < zone.from_mm && Math.max(from_mm, to_mm) > zone.to_mm;
        if (passes) {
          return refused(
            "keep_out_zone",
            `The way from ${format(from_mm)} to ${format(to_mm)} mm passes through ${zoneText(zone)}`,
            `Stay on this side: ${from_mm < zone.from_mm ? "below" : "above"} ${format(from_mm < zone.from_mm ? zone.from_mm : zone.to_mm)} mm.`,
          );
        }
      }
      return undefined;
    },
    exposureRefusal(value) {
      if (value >= exposure_ms.min && value <= exposure_ms.max) return undefined;
      return {
        code: "out_of_limits",
        name: "exposure_ms",
        value,
        unit: "ms",
        message: `exposure_ms = ${format(value)} ms lies outside ${format(exposure_ms.min)}…${format(exposure_ms.max)} ms`,
        hint: `Choose exposure_ms from ${format(exposure_ms.min)} to ${format(exposure_ms.max)}.`,
      };
    },
    limitState(z_mm) {
      if (z_mm <= position_mm.min + stage.resolution_mm) return "at_lower_limit";
      if (z_mm >= position_mm.max - stage.resolution_mm) return "at_upper_limit";
      return "inside";
    },
  };
}
