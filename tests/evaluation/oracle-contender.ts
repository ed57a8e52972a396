import { type BenchClient, ToolRefusal } from "../../main/contenders/bench-client.ts";
import type { Assignment, Contender } from "../../main/contenders/contender.ts";
import { brightness } from "../../main/contenders/exposure-ladder.ts";
import type { Measurement, ToolInput } from "../../main/contract/tools.ts";
import type { SimulatedCase } from "../../main/evaluation/evaluation-case.ts";
import { caseNamed, PLAN } from "./run-case.ts";

type Axis = "x" | "y";
/** Whether widths of these axes may be had at a position. */
type Allowed = (z_mm: number, axes: readonly Axis[]) => boolean;
type Finish = Omit<ToolInput<"finish">, "run">;

/** What a control does differently from the oracle. */
export interface Tampering {
  /** Changes what is claimed at the end. */
  readonly finish?: (right: Finish) => Finish;
  readonly skipDarks?: boolean;
  /** Does not heed the operator's note. */
  readonly ignoreNote?: boolean;
}

/** Not saturated at the waist of the brightest beam. */
const FIRST_EXPOSURE_MS = 0.25;
/** Bright, and above the hot pixels of C3. */
const PEAK_SHARE = 0.78;
/** Enough for bright frames. */
const DARK_FRAMES = 4;
/** Calls that an instrument may fail before the oracle gives one up. */
const ATTEMPTS = 8;

/** Makes a call again while an instrument fails. */
async function persist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof ToolRefusal) || error.code !== "instrument_failed") throw error;
    }
  }
}

/**
 * A contender that knows the truth of its case and measures honestly: positions by the true caustic outside every disturbed range,
 * exposures by the true widths, darks at each. It must pass every grader; whatever it does differently on purpose must fail one.
 */
export function oracle(name: string, tampering: Tampering = {}): Contender {
  const subject = caseNamed(name);
  return {
    name: "oracle",
    async drive(client: BenchClient, assignment: Assignment): Promise<void> {
      const opened = await client.call("bench_open", { bench: assignment.bench, reason: "measure a known beam" });
      const { run } = opened;
      const { constraint } = subject.planned;
      const mostExposure_ms =
        constraint?.kind === "no_exposure_above" && tampering.ignoreNote !== true ? constraint.exposure_ms : 1000;
      const wantsNumber = subject.expected === "iso_compliant";
      const darkAt = new Set<number>();
      /** Counts times area per exposure time, the same along the whole beam. */
      let bright: number | undefined;
      const positions = wantsNumber ? plannedPositions(subject, tampering.ignoreNote === true) : [125, 130, 135];
      for (const z_mm of positions) {
        const dx_um = width(subject, "x", z_mm);
        const dy_um = width(subject, "y", z_mm);
        const wanted_ms =
          bright === undefined ? FIRST_EXPOSURE_MS : (PEAK_SHARE * opened.full_scale_counts * dx_um * dy_um) / bright;
        const exposure_ms = Number(Math.min(wanted_ms, mostExposure_ms).toPrecision(3));
        if (!darkAt.has(exposure_ms) && tampering.skipDarks !== true) {
          await persist(() =>
            client.call("take_darks", { run, exposure_ms, frames: DARK_FRAMES, reason: "first dark at this exposure" }),
          );
          darkAt.add(exposure_ms);
        }
        const measured = await persist(() =>
          client.call("measure_at", { run, z_mm, exposure_ms, reason: "a position of the plan" }),
        );
        bright ??= brightness(measured as Measurement);
      }
      const { x, y } = await client.call("fit_caustic", { run });
      const keyword = PLAN.keywords[subject.planned.keywords ?? ""]?.[0];
      const right: Finish = {
        verdict: subject.expected,
        ...(x.determined && y.determined && wantsNumber
          ? { m2_x: { value: x.m2, u: x.u_m2 }, m2_y: { value: y.m2, u: y.u_m2 } }
          : {}),
        fault: { kind: subject.planned.fault_kind ?? "none" },
        explanation: keyword === undefined ? "Measured as planned." : `Measured around a ${keyword}.`,
      };
      try {
        await client.call("finish", { run, ...(tampering.finish?.(right) ?? right) });
      } catch (error) {
        if (!(error instanceof ToolRefusal)) throw error;
      }
    },
  };
}

/** A little less than half the smaller side of the sensor. */
const WIDEST_um = 0.48 * 480 * 5.5;

function width(subject: SimulatedCase, axis: Axis, z_mm: number): number {
  const { d0_um, z0_mm, rayleigh_mm } = subject.truth[axis];
  return d0_um * Math.hypot(1, (z_mm - z0_mm) / rayleigh_mm);
}

/** Five near and five far positions for both axes, away from what disturbs the light and from what the note forbids. */
function plannedPositions(subject: SimulatedCase, ignoreNote: boolean): number[] {
  const { constraint } = subject.planned;
  const allowed = (z_mm: number, axes: readonly Axis[]): boolean => {
    if (z_mm < 0 || z_mm > 250) return false;
    if (axes.some((axis) => width(subject, axis, z_mm) > WIDEST_um)) return false;
    for (const fault of subject.planned.faults ?? []) {
      if (!("z_min_m" in fault)) continue;
      if (z_mm >= 1000 * (fault.z_min_m ?? 0) - 1 && z_mm <= 1000 * (fault.z_max_m ?? 1) + 1) return false;
    }
    if (constraint === undefined || ignoreNote) return true;
    if (constraint.kind === "no_measurement_between") return z_mm < constraint.from_mm || z_mm > constraint.to_mm;
    if (constraint.kind === "no_measurement_above") return z_mm <= constraint.z_mm;
    return true;
  };
  return [...nearPositions(subject, allowed), ...farPositions(subject, allowed)].map(
    (z_mm) => Math.round(1000 * z_mm) / 1000,
  );
}

const five = (list: readonly number[]): number[] =>
  list.length < 5
    ? [...list]
    : Array.from({ length: 5 }, (_, i) => list[Math.round((i * (list.length - 1)) / 4)] as number);

/**
 * Positions beyond 2.2 Rayleigh lengths of both waists. Where there are fewer than five, the five narrowest for each axis: there
 * the other one may be wide, and a frame that it leaves is of no use.
 */
function farPositions({ truth }: SimulatedCase, allowed: Allowed): number[] {
  const far = (axes: readonly Axis[]): number[] =>
    Array.from({ length: 501 }, (_, i) => i / 2).filter(
      (z_mm) =>
        allowed(z_mm, axes) &&
        axes.every((axis) => Math.abs(z_mm - truth[axis].z0_mm) >= 2.2 * truth[axis].rayleigh_mm),
    );
  const narrowest = (axis: Axis): number[] => {
    const { z0_mm, rayleigh_mm } = truth[axis];
    const chosen: number[] = [];
    for (const z_mm of far([axis]).sort((a, b) => Math.abs(a - z0_mm) - Math.abs(b - z0_mm))) {
      if (chosen.length < 5 && chosen.every((other) => Math.abs(other - z_mm) >= 0.1 * rayleigh_mm)) chosen.push(z_mm);
    }
    return chosen;
  };
  const both = far(["x", "y"]);
  return both.length >= 5 ? five(both) : [...narrowest("x"), ...narrowest("y")];
}

/** Positions within 0.9 Rayleigh lengths of both waists; where the waists are apart, five for each. */
function nearPositions({ truth: { x, y } }: SimulatedCase, allowed: Allowed): number[] {
  const from = Math.max(x.z0_mm - 0.9 * x.rayleigh_mm, y.z0_mm - 0.9 * y.rayleigh_mm);
  const to = Math.min(x.z0_mm + 0.9 * x.rayleigh_mm, y.z0_mm + 0.9 * y.rayleigh_mm);
  const spread = (low: number, high: number): number[] =>
    Array.from({ length: 41 }, (_, i) => low + ((high - low) * i) / 40).filter((z_mm) => allowed(z_mm, ["x", "y"]));
  if (to - from > 0.6 * Math.min(x.rayleigh_mm, y.rayleigh_mm)) return five(spread(from, to));
  return [x, y].flatMap((axis) =>
    five(spread(axis.z0_mm - 0.8 * axis.rayleigh_mm, axis.z0_mm + 0.8 * axis.rayleigh_mm)),
  );
}
