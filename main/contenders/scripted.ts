import type { DeterminedAxis } from "../contract/axis-result.ts";
import type { Measurement, ToolInput, ToolOutput } from "../contract/tools.ts";
import { type BenchClient, ToolRefusal } from "./bench-client.ts";
import type { Assignment, Contender } from "./contender.ts";
import { brightness, correctedExposure, exposureFor, ladderStep } from "./exposure-ladder.ts";
import { disturbedRange, driftPerMeasurement } from "./judgement.ts";
import { type RoughCaustic, type WidthPoint, fitParabola, widthAt } from "./parabola.ts";
import { type Bounds, evenPositions, hasRoom, planPositions } from "./scan-plan.ts";

/** Positions of the first look along the rail. */
const COARSE_POSITIONS = 6;
/** Frames of a first look; the plan's measurements use the bench's own number. */
const COARSE_FRAMES = 2;
const DARK_FRAMES = 10;
/** Attempts at one position before it is given up. */
const ATTEMPTS = 5;
/** Calls of the same action while an instrument fails at it, before it is given up. */
const CALLS_DESPITE_FAILURE = 4;
/** Rounds of "fit, see what is missing, measure it". */
const ROUNDS = 6;
/** First exposure, before anything is known about the light. */
const FIRST_EXPOSURE_MS = 1;
/** Share of a sensor side at which a Gaussian's edge reaches 0.4 % of its peak: d4σ = 0.6 of the side. */
const EDGE_SHARE = 0.6;
/** Positions, retakes included, after which a person would go home. */
const MOST_MEASUREMENTS = 90;

type Fit = ToolOutput<"fit_caustic">;
type Finish = Omit<ToolInput<"finish">, "run">;
type Axis = "x" | "y";
const AXES: readonly Axis[] = ["x", "y"];

/** Flags that make a width useless for a fit. */
const SPOILED = ["saturated", "low_signal", "too_few_pixels", "not_converged", "clipped", "background_stale"];

const spoiledBy = (measurement: Measurement): string[] =>
  measurement.flags.map((flag) => flag.code).filter((code) => SPOILED.includes(code));

/**
 * A good-faith rule-based operator. Looks along the rail for the waist, keeps exposures right, retakes stale darks,
 * plans near and far positions from the running fit, rejects what is flagged, and says honestly what came out. It
 * knows nothing of the bench but what the tools say, and cannot read notes.
 */
class ScriptedRun {
  private readonly client: BenchClient;
  private readonly run: string;
  private readonly bounds: Bounds;
  private readonly exposures: { min: number; max: number };
  private readonly fullScale_counts: number;
  private readonly taken: Measurement[] = [];
  private readonly rejected = new Set<string>();
  private readonly darkFor = new Set<number>();
  private exposure_ms: number;

  constructor(client: BenchClient, opened: ToolOutput<"bench_open">) {
    this.client = client;
    this.run = opened.run;
    this.bounds = {
      min_mm: Math.max(opened.limits_mm.min, opened.stage_travel_mm.min),
      max_mm: Math.min(opened.limits_mm.max, opened.stage_travel_mm.max),
      keepOut: opened.keep_out_zones,
      largestWidth_um: 0.98 * 0.5 * Math.min(opened.sensor_width_px, opened.sensor_height_px) * opened.pixel_pitch_um,
      edgeWidth_um: {
        x: EDGE_SHARE * opened.sensor_width_px * opened.pixel_pitch_um,
        y: EDGE_SHARE * opened.sensor_height_px * opened.pixel_pitch_um,
      },
    };
    this.exposures = opened.exposure_range_ms;
    this.fullScale_counts = opened.full_scale_counts;
    this.exposure_ms = ladderStep(FIRST_EXPOSURE_MS, opened.exposure_range_ms);
  }

  async drive(): Promise<Finish> {
    for (const z_mm of evenPositions(COARSE_POSITIONS, this.bounds)) {
      await this.measure(z_mm, "first look along the rail for the waist", COARSE_FRAMES);
    }
    await this.closeIn();
    const disturbed = await this.completeCoverage();
    return this.conclude(disturbed);
  }

  /** Widths of everything measured, flagged or not: good enough to find the way. */
  private points(axis: Axis, onlySound: boolean): (WidthPoint & { id: string })[] {
    return this.taken.flatMap((measurement) => {
      const sound = !this.rejected.has(measurement.measurement);
      const d_um = axis === "x" ? measurement.d4sigma_x_um : measurement.d4sigma_y_um;
      const u_um = axis === "x" ? measurement.u_x_um : measurement.u_y_um;
      if (d_um === undefined || (onlySound && !sound)) return [];
      if (!sound && spoiledBy(measurement).some((code) => code !== "clipped")) return [];
      // A flagged width points the way with a tenth of its size as uncertainty.
      const u = sound && u_um !== undefined ? u_um : 0.1 * d_um;
      return [{ id: measurement.measurement, z_mm: measurement.z_actual_mm, d_um, u_um: u }];
    });
  }

  /** The best caustic known so far, from sound widths where they suffice and from all of them otherwise. */
  private rough(axis: Axis): RoughCaustic | undefined {
    const sound = this.points(axis, true);
    const fitted = sound.length >= 4 ? fitParabola(sound) : undefined;
    // Unequal scatter far from the waist misleads a fit with honest weights as long as there are few points.
    return fitted ?? fitParabola(this.points(axis, false).map((point) => ({ ...point, u_um: 0.05 * point.d_um })));
  }

  private predictedExposure(z_mm: number): number {
    const x = this.rough("x");
    const y = this.rough("y");
    const seen = this.taken.map(brightness).filter((value) => value !== undefined);
    const latest = seen.at(-1);
    if (x === undefined || y === undefined || latest === undefined) return this.exposure_ms;
    return exposureFor(latest, widthAt(x, z_mm), widthAt(y, z_mm), this.fullScale_counts, this.exposures);
  }

  /** Calls again where a stage or a camera failed: a lost frame or a stalled move is seldom lost or stalled twice. */
  private async persist<Name extends "take_darks" | "measure_at">(
    name: Name,
    input: ToolInput<Name>,
  ): Promise<ToolOutput<Name>> {
    for (let call = 1; ; call++) {
      try {
        return await this.client.call(
          name,
          call === 1 ? input : { ...input, reason: `again, it failed: ${input.reason}` },
        );
      } catch (error) {
        if (call === CALLS_DESPITE_FAILURE || !isInstrumentFailure(error)) throw error;
      }
    }
  }

  private async takeDarks(exposure_ms: number, reason: string): Promise<void> {
    await this.persist("take_darks", { run: this.run, exposure_ms, frames: DARK_FRAMES, reason });
    this.darkFor.add(exposure_ms);
  }

  private async reject(measurement: Measurement, reason: string): Promise<void> {
    await this.client.call("reject_measurement", { run: this.run, measurement: measurement.measurement, reason });
    this.rejected.add(measurement.measurement);
  }

  /** Measures at z until the frame is sound or nothing better can be had. Returns whether a sound one was got. */
  private async measure(z_mm: number, why: string, frames?: number): Promise<boolean> {
    let exposure_ms = this.predictedExposure(z_mm);
    const tried = new Set<number>();
    for (let attempt = 0; attempt < ATTEMPTS && this.taken.length < MOST_MEASUREMENTS; attempt++) {
      if (!this.darkFor.has(exposure_ms)) await this.takeDarks(exposure_ms, `first dark at ${exposure_ms} ms`);
      const answer = await this.persist("measure_at", {
        run: this.run,
        z_mm,
        exposure_ms,
        ...(frames === undefined ? {} : { frames }),
        reason: attempt === 0 ? why : `again after attempt ${attempt}: ${why}`,
      });
      const measurement = answer as ToolOutput<"measure_at"> & Measurement;
      this.taken.push(measurement);
      this.exposure_ms = exposure_ms;
      tried.add(exposure_ms);
      const spoiled = spoiledBy(measurement);
      if (spoiled.length === 0 && measurement.grade !== "refused" && measurement.d4sigma_x_um !== undefined)
        return true;
      const what = spoiled.length > 0 ? spoiled.join(", ") : `no usable width (${measurement.reasons.join("; ")})`;
      await this.reject(measurement, `flagged: ${what}`);
      const better_ms = correctedExposure(measurement, this.fullScale_counts, this.exposures);
      if (better_ms !== undefined) exposure_ms = this.untried(better_ms, tried);
      // Light on the edge of the sensor is no matter of exposure, and looks like a stale dark.
      else if (spoiled.includes("clipped")) return false;
      else if (spoiled.includes("background_stale")) {
        await this.takeDarks(exposure_ms, "the background no longer agrees with this dark");
      }
    }
    return false;
  }

  /** A step back from an exposure that was tried already halves the way between too dark and too bright. */
  private untried(exposure_ms: number, tried: ReadonlySet<number>): number {
    let step = exposure_ms;
    for (let i = 0; i < 3 && tried.has(step); i++) step = ladderStep(step * 2, this.exposures);
    return step;
  }

  /** Adds positions around the smallest width until both axes have a caustic to plan with. */
  private async closeIn(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const x = this.rough("x");
      const y = this.rough("y");
      const sound = this.points("x", true).length;
      if (x !== undefined && y !== undefined && sound >= 4) return;
      const next = this.betweenNeighbours();
      if (next.length === 0) return;
      for (const z_mm of next) await this.measure(z_mm, "closing in on the waist", COARSE_FRAMES);
    }
  }

  /** Halfway between the narrowest place seen and its neighbours. */
  private betweenNeighbours(): number[] {
    const seen = new Map<number, number>();
    for (const measurement of this.taken) {
      const { d4sigma_x_um: dx, d4sigma_y_um: dy } = measurement;
      if (dx !== undefined && dy !== undefined) seen.set(measurement.z_actual_mm, Math.min(dx, dy));
      else if (!seen.has(measurement.z_actual_mm)) seen.set(measurement.z_actual_mm, Number.POSITIVE_INFINITY);
    }
    const places = [...seen].sort((a, b) => a[0] - b[0]);
    let narrowest = 0;
    places.forEach(([, width], i) => {
      if (width < (places[narrowest]?.[1] ?? Number.POSITIVE_INFINITY)) narrowest = i;
    });
    const here = places[narrowest]?.[0];
    if (here === undefined) return [];
    const neighbours = [
      places[narrowest - 1]?.[0] ?? this.bounds.min_mm,
      places[narrowest + 1]?.[0] ?? this.bounds.max_mm,
    ];
    const gaps = neighbours.map((other) => (here + other) / 2).filter((z_mm) => Math.abs(z_mm - here) > 0.2);
    return gaps.map((z_mm) => Math.round(z_mm * 1000) / 1000);
  }

  private fit(exclude?: string[]): Promise<Fit> {
    return this.client.call("fit_caustic", { run: this.run, ...(exclude === undefined ? {} : { exclude }) });
  }

  private soundPositions(): number[] {
    return this.taken
      .filter((measurement) => !this.rejected.has(measurement.measurement))
      .map((measurement) => measurement.z_actual_mm);
  }

  /** Plans, measures and fits until nothing is missing or nothing more can be added. Returns a range left out as disturbed. */
  private async completeCoverage(): Promise<{ from_mm: number; to_mm: number } | undefined> {
    let disturbed: { from_mm: number; to_mm: number } | undefined;
    const givenUp: { from_mm: number; to_mm: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const axes = { x: this.rough("x"), y: this.rough("y") };
      const avoid = disturbed === undefined ? givenUp : [...givenUp, disturbed];
      const plan = planPositions(axes, this.soundPositions(), this.bounds, avoid);
      // A waist beyond the rail is approached as far as the rail goes.
      if (round === 0) plan.push(...this.towardsDistantWaist([axes.x, axes.y].filter((axis) => axis !== undefined)));
      for (const z_mm of plan.sort((a, b) => a - b)) {
        if (this.taken.length >= MOST_MEASUREMENTS) return disturbed;
        const sound = await this.measure(z_mm, "planned from the running fit");
        if (!sound) givenUp.push({ from_mm: z_mm - 0.5, to_mm: z_mm + 0.5 });
      }
      const found = disturbed === undefined ? await this.findDisturbance() : undefined;
      if (found !== undefined) disturbed = found;
      else if (plan.length === 0) return disturbed;
    }
    return disturbed;
  }

  private towardsDistantWaist(axes: readonly RoughCaustic[]): number[] {
    const { min_mm, max_mm } = this.bounds;
    const span_mm = max_mm - min_mm;
    const ends = new Set<number>();
    for (const axis of axes) {
      if (axis.z0_mm > max_mm - 0.5 * axis.rayleigh_mm) ends.add(max_mm);
      if (axis.z0_mm < min_mm + 0.5 * axis.rayleigh_mm) ends.add(min_mm);
    }
    return [...ends].flatMap((end) => {
      const inwards = end === max_mm ? -1 : 1;
      return [0.002, 0.04, 0.08, 0.14, 0.22]
        .map((share) => Math.round((end + inwards * share * span_mm) * 1000) / 1000)
        .filter((z_mm) => !this.bounds.keepOut.some((zone) => z_mm >= zone.from_mm && z_mm <= zone.to_mm))
        .filter((z_mm) => !this.soundPositions().some((other) => Math.abs(other - z_mm) < 0.5));
    });
  }

  /** Looks for one stretch of the rail whose widths do not belong to the caustic of the rest, and rejects it. */
  private async findDisturbance(): Promise<{ from_mm: number; to_mm: number } | undefined> {
    const fit = await this.fit();
    const poor = AXES.some((axis) => fit[axis].determined && fit[axis].flags.some((flag) => flag.code === "poor_fit"));
    if (!poor) return undefined;
    const range = disturbedRange(this.points("x", true), this.points("y", true));
    if (range === undefined) return undefined;
    for (const measurement of this.taken) {
      const { z_actual_mm: z_mm } = measurement;
      if (this.rejected.has(measurement.measurement) || z_mm < range.from_mm || z_mm > range.to_mm) continue;
      await this.reject(measurement, "its width does not lie on the caustic of the other positions");
    }
    return range;
  }

  private async conclude(disturbed: { from_mm: number; to_mm: number } | undefined): Promise<Finish> {
    const fit = await this.fit();
    const drift = driftPerMeasurement(this.taken.filter((one) => !this.rejected.has(one.measurement)));
    const fault: Finish["fault"] =
      disturbed !== undefined
        ? {
            kind: "other",
            z_min_mm: disturbed.from_mm,
            z_max_mm: disturbed.to_mm,
            note: "widths off the caustic in this range",
          }
        : drift !== undefined
          ? { kind: "pointing_drift", note: `the centroid moves by ${drift.toFixed(2)} px per measurement` }
          : { kind: "none" };
    const told = [
      disturbed === undefined
        ? ""
        : ` Positions from ${disturbed.from_mm} to ${disturbed.to_mm} mm left out: their widths are off the caustic.`,
      drift === undefined ? "" : ` The beam drifts: the centroid moves by ${drift.toFixed(2)} px per measurement.`,
    ].join("");
    const { x, y } = fit;
    if (!x.determined || !y.determined) {
      const why = AXES.map((axis) => fit[axis]).find((axis) => !axis.determined);
      return {
        verdict: "measurement_failed",
        fault,
        explanation: `M² is not determined: ${why?.determined === false ? why.why : "unknown reason"}.${told}`,
      };
    }
    const values = { m2_x: { value: x.m2, u: x.u_m2 }, m2_y: { value: y.m2, u: y.u_m2 } };
    const axes = [x, y];
    const outside = axes.some((axis) => axis.z0_mm < this.bounds.min_mm || axis.z0_mm > this.bounds.max_mm);
    if (outside) {
      return {
        verdict: "waist_not_accessible",
        ...values,
        fault,
        explanation: `The waist lies outside the rail (x at ${x.z0_mm.toFixed(1)} mm, y at ${y.z0_mm.toFixed(1)} mm).${told}`,
      };
    }
    const distrust = axes
      .flatMap((axis) => axis.flags.map((flag) => flag.code))
      .filter((code) => code !== "waist_outside_positions");
    if (distrust.length > 0) {
      return {
        verdict: "measurement_failed",
        ...values,
        fault: fault.kind === "none" ? { kind: "other", note: distrust.join(", ") } : fault,
        explanation: `The widths do not form a trustworthy caustic: ${[...new Set(distrust)].join(", ")}.${told}`,
      };
    }
    const covered = axes.every((axis) => axis.iso_coverage) && axes.every((axis) => this.roomFor(axis));
    return {
      verdict: covered ? "iso_compliant" : "estimate_not_compliant",
      ...values,
      fault,
      explanation: covered
        ? `Both axes have at least five near and five far positions.${told}`
        : `The rail has no room for enough near and far positions on both axes.${told}`,
    };
  }

  private roomFor(axis: DeterminedAxis): boolean {
    return hasRoom({ z0_mm: axis.z0_mm, d0_um: axis.d0_um, rayleigh_mm: axis.rayleigh_mm }, this.bounds);
  }
}

const isInstrumentFailure = (error: unknown): error is ToolRefusal =>
  error instanceof ToolRefusal && error.code === "instrument_failed";

export const scripted: Contender = {
  name: "scripted",
  async drive(client: BenchClient, assignment: Assignment): Promise<void> {
    const opened = await client.call("bench_open", { bench: assignment.bench, reason: "measure M² of this beam" });
    const result = await new ScriptedRun(client, opened).drive().catch((error: unknown): Finish => {
      if (!isInstrumentFailure(error)) throw error;
      const note = `an instrument failed ${CALLS_DESPITE_FAILURE} times in a row: ${error.message}`;
      return { verdict: "measurement_failed", fault: { kind: "other", note }, explanation: `No M²: ${note}.` };
    });
    try {
      await client.call("finish", { run: opened.run, ...result });
    } catch (error) {
      if (!(error instanceof ToolRefusal) || error.code !== "finish_refused") throw error;
      await client.call("finish", {
        run: opened.run,
        ...result,
        verdict: "estimate_not_compliant",
        explanation: `${result.explanation} The bench does not accept it as compliant: ${error.message}`,
      });
    }
  },
};
