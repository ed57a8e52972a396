import { type BackgroundPlane, backgroundAt, beamMoments, flatBackground } from "./background-plane.ts";
import { type BlockMap, blockMap, coarsened, rimLevel_counts } from "./block-map.ts";
import { comparisonAnalysis, type DefaultFindings } from "./comparison-analysis.ts";
import { cutFloor, cutTop } from "./cut-counts.ts";
import type {
  AnalysisFacts,
  AnalysisOptions,
  BeamWidths,
  FrameAnalysis,
  FrameInput,
  FramesInput,
} from "./frame-analysis.ts";
import {
  EDGE_SHARE,
  EDGE_SIGMAS,
  FEWEST_PIXELS,
  FlagList,
  LOW_SIGNAL_SHARE,
  percent,
  SATURATED_SHARE,
  STALE_COUNTS,
  STALE_SIGMAS,
} from "./frame-flags.ts";
import { unusableInput } from "./frame-input.ts";
import { IsoBackground } from "./iso-background.ts";
import { isoSpread } from "./iso-spread.ts";
import type { FrameSurvey, KernelFrame, MomentKernel, Rectangle, RectangleMoments } from "./kernel.ts";
import { momentNoise, outsideVariance, type PixelVariance, pixelVariance } from "./moment-noise.ts";
import { cornerMean, outsideMean, restMean } from "./outside-mean.ts";
import { zoneSpread } from "./outside-zones.ts";
import { azimuthOnScreen_deg, widthOf } from "./principal-widths.ts";
import type { BackgroundShape } from "./robust-background.ts";
import { edgeLight } from "./sensor-edges.ts";
import { type BackgroundEstimate, type Pass, SETTLED_CHANGE, type Settling, settleArea } from "./settle-area.ts";
import { startArea } from "./start-area.ts";
import { raiseSecondSpot, raiseStructureFindings } from "./structure-findings.ts";
import { typescriptKernel } from "./typescript-kernel.ts";
import {
  roundingUncertainty,
  significantScatter,
  statisticalUncertainty,
  truncationUncertainty,
  widthUncertainty,
} from "./width-uncertainty.ts";

export type {
  AnalysisOptions,
  BackgroundMethod,
  BeamWidths,
  DarkReference,
  FrameAnalysis,
  FrameInput,
  FramesInput,
} from "./frame-analysis.ts";

/** Blocks over which the survey averages: the smallest that leave no more than so many of them. */
const BLOCK_SIZES_PX = [4, 8, 16] as const;
const MOST_BLOCKS = 40_000;
/** Blocks that are enough to compare the sides of the area. */
const ZONE_BLOCKS = 5000;

/** Without a dark: relative uncertainty above which a frame is no longer `good`, and above which it is refused. */
const GOOD_UNCERTAINTY = 0.02;
const WORST_UNCERTAINTY = 0.1;
/** Counts cut off at the lowest value may change a width by this share; beyond it the frame is refused. */
const FLOOR_EFFECT = 0.02;
/** A smaller effect than this is no matter. */
const FLOOR_UNNOTICED = 0.001;
/** An area that fills the sensor and began smaller than this part of it has run away. */
const RUNAWAY_GROWTH = 3;

/**
 * Second-moment widths of one frame (ISO 11146-1:2021, 7), with their uncertainty and a grade. Never throws for what is in the
 * frame: what cannot be had is a refusal with its reasons.
 */
export function analyzeFrame(input: FrameInput, options: AnalysisOptions = {}): FrameAnalysis {
  const { samples, ...rest } = input;
  return analyzeFrames({ ...rest, frames: [samples] }, options);
}

/**
 * Second-moment widths of the mean over the frames of one measurement. The mean frame is right rather than the mean of the
 * widths: widths are not linear in the noise, so each single frame's are biased by the square of its noise. The frames one by one,
 * in the area of the mean, tell whether they scatter more than their noise explains.
 */
export function analyzeFrames(input: FramesInput, options: AnalysisOptions = {}): FrameAnalysis {
  const method = options.method ?? (input.dark === undefined ? "iso" : "dark");
  const unusable = unusableInput(input, method);
  if (unusable !== undefined) return refused({ ...NOTHING, method, reasons: [unusable] });
  if (method === "threshold") {
    const measurement = new Measurement(input, input.dark === undefined ? "iso" : "dark", options);
    return comparisonAnalysis(input, measurement.findings());
  }
  return new Measurement(input, method, options).analyze();
}

const NOTHING = {
  flags: [],
  peak_counts: 0,
  saturatedFraction: 0,
  iterations: 0,
  converged: false,
  offset_counts: 0,
} as const;

const refused = (facts: AnalysisFacts, indicativeOnly?: BeamWidths): FrameAnalysis => ({
  kind: "refused",
  grade: "refused",
  ...facts,
  ...(indicativeOnly === undefined ? {} : { indicativeOnly }),
});

/** The analysis of one measurement, step by step. */
class Measurement {
  private readonly input: FramesInput;
  private readonly method: "dark" | "iso";
  private readonly options: AnalysisOptions;
  private readonly kernel: MomentKernel;
  private readonly frames: readonly KernelFrame[];
  private readonly surveys: readonly FrameSurvey[];
  private readonly map: BlockMap;
  private readonly total_counts: number;
  private readonly list = new FlagList();
  /** Refusals of the frame itself for which no flag was raised. */
  private readonly unflaggedRefusals: string[] = [];

  constructor(input: FramesInput, method: "dark" | "iso", options: AnalysisOptions) {
    const { width_px, height_px, dark } = input;
    this.input = input;
    this.method = method;
    this.options = options;
    this.kernel = options.kernel ?? typescriptKernel;
    this.frames = input.frames.map((samples) => ({
      samples,
      width_px,
      height_px,
      saturation_counts: 2 ** input.bitDepth - 1,
      ...(method === "dark" && dark !== undefined ? { dark: dark.mean } : {}),
    }));
    const block_px = BLOCK_SIZES_PX.find((size) => (width_px * height_px) / size ** 2 <= MOST_BLOCKS) ?? 32;
    const blocks = Math.ceil(width_px / block_px) * Math.ceil(height_px / block_px);
    this.surveys = this.frames.map((frame, index) => this.kernel.survey(frame, block_px, blockMemoryOf(index, blocks)));
    this.map = blockMap(this.surveys, width_px, height_px);
    this.total_counts = mean(this.surveys.map((survey) => survey.total));
  }

  analyze(): FrameAnalysis {
    const { list } = this;
    if (!Number.isFinite(this.total_counts)) {
      return refused({
        ...NOTHING,
        method: this.method,
        reasons: ["the dark holds values that are not finite numbers"],
      });
    }
    this.raiseSaturatedSquare();
    const start = startArea(this.map);
    if (!start.found) {
      const fullScale = 2 ** this.input.bitDepth - 1;
      const reason =
        start.smoothedPeak_counts > 0
          ? `no light: the brightest spot rises ${start.smoothedPeak_counts.toPrecision(3)} counts above the rim, ${start.limit_counts.toPrecision(3)} are needed`
          : "no light: nothing in the picture is brighter than its rim";
      list.raise("low_signal", start.smoothedPeak_counts / fullScale, LOW_SIGNAL_SHARE, reason);
      this.unflaggedRefusals.push(reason);
      if (this.options.extraFindings === true) {
        const flag = { code: "no_signal", value: start.smoothedPeak_counts, limit: start.limit_counts } as const;
        list.flags.push(flag);
        list.findings.push({ flag, reason });
      }
      return refused({ ...NOTHING, method: this.method, reasons: list.reasons, flags: list.flags });
    }
    const iso = this.method === "iso" ? new IsoBackground(this.map) : undefined;
    const flat: BackgroundEstimate = (_area, sums) =>
      flatBackground(outsideMean(this.map, this.total_counts, sums).mean_counts);
    const shapes = iso?.justifiedShapes(start.rectangle) ?? [];
    const estimate = iso?.estimate({ shape: shapes[0] ?? "level", from: "everywhere" }, flat) ?? flat;
    const area = this.options.startArea === "sensor" ? this.wholeSensor() : start.rectangle;
    const settling = settleArea(this.frames, this.kernel, area, estimate);
    const { pass } = settling;
    const peak_counts = this.peak(pass?.background ?? flatBackground(0), start.rectangle);
    this.raiseSettling(settling, start.rectangle);
    this.raiseLowSignal(peak_counts);
    const facts: AnalysisFacts = {
      method: this.method,
      reasons: list.reasons,
      flags: list.flags,
      peak_counts,
      saturatedFraction: 0,
      iterations: settling.iterations,
      converged: settling.converged,
      offset_counts: 0,
    };
    if (pass === undefined) {
      if (this.options.extraFindings === true) {
        raiseSecondSpot(list, {
          map: this.map,
          area: start.rectangle,
          background: flatBackground(rimLevel_counts(this.map)),
          peak_counts,
        });
      }
      return refused(facts);
    }
    return this.assess(pass, settling, facts, start.rectangle, iso, shapes, flat);
  }

  /** The analysis for method `threshold`: what is wrong with the frame, apart from how this method settled. */
  findings(): DefaultFindings {
    const analysis = this.analyze();
    const { list } = this;
    const widths = analysis.kind === "refused" ? analysis.indicativeOnly : analysis.widths;
    return {
      ...(widths === undefined ? {} : { widths }),
      findings: list.findings.map(({ flag, reason }) => ({
        flag,
        reason,
        refuses: REFUSING.has(flag.code) && !list.remarks.has(flag.code),
      })),
      refusals: this.unflaggedRefusals,
    };
  }

  /** Flags, uncertainties and the grade of what the iteration ended on. */
  private assess(
    pass: Pass,
    settling: Settling,
    before: AnalysisFacts,
    start: Rectangle,
    iso: IsoBackground | undefined,
    shapes: readonly BackgroundShape[],
    flat: BackgroundEstimate,
  ): FrameAnalysis {
    const { list } = this;
    const { moments, widths } = pass;
    const saturatedFraction = pass.sums.area_px > 0 ? Math.min(1, pass.sums.saturated / pass.sums.area_px) : 0;
    const facts = {
      ...before,
      saturatedFraction,
      offset_counts: backgroundAt(pass.background, moments.centroidX_px, moments.centroidY_px),
    };
    this.raiseSaturatedShare(saturatedFraction);
    this.raiseSizes(pass);
    const noise = this.pixelNoise(pass);
    this.raiseCutTop(pass, noise.outside);
    this.raiseClipped(pass, facts.peak_counts, noise.outside);
    if (this.method === "dark") this.raiseStale(pass, noise.outside);
    const statistical = this.statistical(pass, noise.variance, noise.outside);
    const systematic = this.systematic(pass, facts.peak_counts, noise.outside);
    let uX_px = Math.hypot(widthUncertainty(statistical.varianceX, statistical.x), systematic.x_px);
    let uY_px = Math.hypot(widthUncertainty(statistical.varianceY, statistical.y), systematic.y_px);
    // A swing by less than the noise is the noise at the area's rim: the widths are known as well as the noise allows.
    const halfSwing = (settling.swing ?? 0) / 2;
    const withinNoise = halfSwing > 0 && halfSwing * widths.x_px < uX_px && halfSwing * widths.y_px < uY_px;
    if (withinNoise) {
      uX_px = Math.hypot(uX_px, halfSwing * widths.x_px);
      uY_px = Math.hypot(uY_px, halfSwing * widths.y_px);
    }
    const floor = this.floorEffect(pass, facts.peak_counts);
    uX_px = Math.hypot(uX_px, floor.effect * widths.x_px);
    uY_px = Math.hypot(uY_px, floor.effect * widths.y_px);
    let refusedBySpread = false;
    if (iso !== undefined) {
      const spread = isoSpread(this.frames, this.kernel, pass, iso, shapes, flat, this.map);
      uX_px = Math.hypot(uX_px, spread.x_px);
      uY_px = Math.hypot(uY_px, spread.y_px);
      const why: string[] = [];
      if (spread.unstable !== undefined) {
        why.push(spread.unstable);
        refusedBySpread = true;
      }
      const worst = Math.max(uX_px / widths.x_px, uY_px / widths.y_px);
      if (worst > GOOD_UNCERTAINTY) {
        why.push(
          `without a dark the widths depend on how background and integration area are chosen: ± ${percent(worst)}`,
        );
      }
      if (worst > WORST_UNCERTAINTY) refusedBySpread = true;
      const grown = this.sensorShare(pass.rectangle) / this.sensorShare(start);
      const ranAway = this.sensorShare(pass.rectangle) > 0.9 && grown > RUNAWAY_GROWTH;
      list.reasons.push(...why);
      if (ranAway) {
        refusedBySpread = true;
        const away =
          "the integration area grew until the sensor ended: around the beam the light does not fall to a background";
        why.unshift(away);
        list.reasons.unshift(away);
      }
      if (refusedBySpread && this.options.extraFindings === true && !list.has("structured_background")) {
        const value = ranAway ? grown : worst;
        const limit = ranAway ? RUNAWAY_GROWTH : WORST_UNCERTAINTY;
        const flag = { code: "structured_background", value, limit } as const;
        list.flags.push(flag);
        list.findings.push({ flag, reason: why.join("; ") });
      }
    }
    if (this.options.extraFindings === true) {
      raiseStructureFindings(list, {
        pass,
        map: this.map,
        peak_counts: facts.peak_counts,
        zoneEffect: systematic.zoneEffect,
        centroidSpread_px: this.centroidSpread(pass),
      });
    }
    const pitch = this.input.pixelPitch_um;
    const beam: BeamWidths = {
      d4sigmaX_um: widths.x_px * pitch,
      d4sigmaY_um: widths.y_px * pitch,
      uX_um: uX_px * pitch,
      uY_um: uY_px * pitch,
      uDarkX_um: widthUncertainty(statistical.varianceX, statistical.darkX) * pitch,
      uDarkY_um: widthUncertainty(statistical.varianceY, statistical.darkY) * pitch,
      d4sigmaSensorX_um: widthOf(moments.xx) * pitch,
      d4sigmaSensorY_um: widthOf(moments.yy) * pitch,
      azimuth_deg: azimuthOnScreen_deg(widths.angle_rad),
      ellipticity: Math.min(widths.x_px, widths.y_px) / Math.max(widths.x_px, widths.y_px),
      centroidX_px: moments.centroidX_px,
      centroidY_px: moments.centroidY_px,
    };
    const refusing =
      floor.refuses ||
      list.flags.some(
        ({ code }) => REFUSING.has(code) && !list.remarks.has(code) && !(code === "not_converged" && withinNoise),
      );
    if (refusedBySpread || refusing) return refused(facts, beam);
    return { kind: "measured", grade: list.reasons.length === 0 ? "good" : "usable", ...facts, widths: beam };
  }

  /** Size of an area as a share of the sensor, cut to it; turning is not looked at. */
  private sensorShare(area: Rectangle): number {
    const { width_px, height_px } = this.input;
    return (
      (Math.min(2 * area.halfLength_px, width_px) * Math.min(2 * area.halfBreadth_px, height_px)) /
      (width_px * height_px)
    );
  }

  private wholeSensor(): Rectangle {
    const { width_px, height_px } = this.input;
    return {
      centreX_px: (width_px - 1) / 2,
      centreY_px: (height_px - 1) / 2,
      halfLength_px: width_px / 2,
      halfBreadth_px: height_px / 2,
      angle_rad: 0,
    };
  }

  /** Brightest pixel, mean over the frames, above the background at the place where the light is. */
  private peak(background: BackgroundPlane, area: Rectangle): number {
    const brightest = mean(this.surveys.map((survey) => survey.brightest_counts));
    return Math.max(0, brightest - backgroundAt(background, area.centreX_px, area.centreY_px));
  }

  /** Variance of a pixel of the mean dark. */
  private darkVariance(): number {
    const { dark } = this.input;
    return this.method === "dark" && dark !== undefined ? dark.noise_counts ** 2 / Math.max(1, dark.frames) : 0;
  }

  private pixelNoise(pass: Pass): { variance: PixelVariance; outside: number } {
    const { input, frames } = this;
    const darkVariance = this.darkVariance();
    const variance = pixelVariance(frames, input.noise, darkVariance, (column, row) =>
      backgroundAt(pass.background, column, row),
    );
    const { width_px, height_px } = input;
    const outside = outsideVariance(pass.rectangle, width_px, height_px, variance);
    return { variance, outside };
  }

  private statistical(pass: Pass, variance: PixelVariance, outside: number) {
    const { moments, widths } = pass;
    const { width_px, height_px } = this.input;
    const varianceX = (widths.x_px / 4) ** 2;
    const varianceY = (widths.y_px / 4) ** 2;
    const noise = momentNoise(
      pass.rectangle,
      width_px,
      height_px,
      {
        power_counts: moments.power_counts,
        centroidX_px: moments.centroidX_px,
        centroidY_px: moments.centroidY_px,
        varianceX,
        varianceY,
        angle_rad: widths.angle_rad,
      },
      variance,
    );
    const lever = levers(pass);
    const level = outsideMean(this.map, this.total_counts, pass.sums);
    const uncertainty = statisticalUncertainty({
      noise,
      pixelVariance: outside,
      levelVariance: outside / level.pixels,
      leverX: lever.x,
      leverY: lever.y,
      varianceX,
      varianceY,
      power_counts: moments.power_counts,
      halfLength_px: pass.rectangle.halfLength_px,
      halfBreadth_px: pass.rectangle.halfBreadth_px,
    });
    const scatter = this.scatter(pass);
    const darkVariance = this.darkVariance();
    return {
      darkX: Math.sqrt(darkVariance * (noise.xxPerCount2 + lever.x ** 2 / level.pixels)),
      darkY: Math.sqrt(darkVariance * (noise.yyPerCount2 + lever.y ** 2 / level.pixels)),
      varianceX,
      varianceY,
      x: significantScatter(scatter.x, uncertainty.x) ?? uncertainty.x,
      y: significantScatter(scatter.y, uncertainty.y) ?? uncertainty.y,
    };
  }

  /** Variances along the mean's principal axes, frame by frame, in the area of the mean. */
  private scatter(pass: Pass): { x: number[]; y: number[] } {
    const ofMean = outsideMean(this.map, this.total_counts, pass.sums).mean_counts;
    const x: number[] = [];
    const y: number[] = [];
    if (this.frames.length < 2) return { x, y };
    pass.sumsOfFrames.forEach((sums, index) => {
      const survey = this.surveys[index] as FrameSurvey;
      const shift = ownOutsideMean(this.map, survey, sums) - ofMean;
      const own = { ...pass.background, level_counts: pass.background.level_counts + shift };
      const moments = beamMoments(sums, pass.geometry, own);
      if (moments === undefined) return;
      const along = alongAxes(moments, pass.widths.angle_rad);
      x.push(along.x);
      y.push(along.y);
    });
    return { x, y };
  }

  /** Largest less smallest centroid over the frames, the larger of x and y; their widths' common area and background are used. */
  private centroidSpread(pass: Pass): number {
    const centroids = pass.sumsOfFrames.flatMap((sums) => beamMoments(sums, pass.geometry, pass.background) ?? []);
    if (centroids.length < 2) return 0;
    const x = centroids.map((moments) => moments.centroidX_px);
    const y = centroids.map((moments) => moments.centroidY_px);
    return Math.max(Math.max(...x) - Math.min(...x), Math.max(...y) - Math.min(...y));
  }

  /** Uncertainties that more frames would not make smaller, of the widths in pixels. */
  private systematic(pass: Pass, peak_counts: number, outside: number) {
    const { widths, moments, rectangle } = pass;
    const varianceX = (widths.x_px / 4) ** 2;
    const varianceY = (widths.y_px / 4) ** 2;
    const lever = levers(pass);
    const zones = zoneSpread(
      coarsened(this.map, ZONE_BLOCKS),
      rectangle,
      (column, row) => backgroundAt(pass.background, column, row),
      outside,
    );
    const rounding = roundingUncertainty(Math.sqrt(outside * this.frames.length), peak_counts);
    const { width_px, height_px } = this.input;
    const cut = { x: 0, y: 0 };
    const reaches = [
      { axis: "x", distance: moments.centroidX_px + 0.5, variance: moments.xx },
      { axis: "x", distance: width_px - 0.5 - moments.centroidX_px, variance: moments.xx },
      { axis: "y", distance: moments.centroidY_px + 0.5, variance: moments.yy },
      { axis: "y", distance: height_px - 0.5 - moments.centroidY_px, variance: moments.yy },
    ] as const;
    for (const { axis, distance, variance } of reaches)
      cut[axis] += variance > 0 ? truncationUncertainty(distance / Math.sqrt(variance)) : 1;
    // A turned beam is cut along both of its axes by either side.
    const turned = Math.abs(Math.sin(2 * widths.angle_rad));
    const cutX = Math.max(cut.x, turned * cut.y);
    const cutY = Math.max(cut.y, turned * cut.x);
    const x = Math.hypot((lever.x * zones.excess_counts) / 2, varianceX * rounding, varianceX * cutX);
    const y = Math.hypot((lever.y * zones.excess_counts) / 2, varianceY * rounding, varianceY * cutY);
    const zoneEffect =
      (zones.excess_counts / 4) * Math.max(Math.abs(lever.x) / varianceX, Math.abs(lever.y) / varianceY);
    return { x_px: widthUncertainty(varianceX, x), y_px: widthUncertainty(varianceY, y), zoneEffect };
  }

  private raiseSaturatedSquare(): void {
    const square = this.surveys.find((survey) => survey.saturatedSquare);
    if (square === undefined) return;
    this.list.raise(
      "saturated",
      square.saturated,
      3,
      `saturated: ${square.saturated} pixels at full scale, at least four of them in a square`,
    );
  }

  private raiseSaturatedShare(fraction: number): void {
    if (fraction <= SATURATED_SHARE || this.list.has("saturated")) return;
    this.list.raise(
      "saturated",
      fraction,
      SATURATED_SHARE,
      `saturated: ${percent(fraction)} of the integration area at full scale`,
    );
  }

  private raiseCutTop(pass: Pass, outside: number): void {
    if (this.list.has("saturated")) return;
    const frame = this.frames[0] as KernelFrame;
    const cut = cutTop(frame, pass.rectangle, Math.sqrt(outside * this.frames.length));
    if (cut === undefined) return;
    this.list.raise(
      "saturated",
      cut.pixels,
      3,
      `saturated: the counts stop at ${cut.top_counts}, below full scale, and ${cut.pixels} pixels have this value`,
    );
  }

  /**
   * A black level that cuts off the noise of unlit pixels is a setting of the camera: it is told and refused without the extra
   * findings too. Returns the relative change of a width to be covered by its uncertainty.
   */
  private floorEffect(pass: Pass, peak_counts: number): { effect: number; refuses: boolean } {
    const cut = cutFloor(this.frames[0] as KernelFrame, pass.rectangle, peak_counts);
    if (cut === undefined || (cut.effect !== undefined && cut.effect < FLOOR_UNNOTICED)) {
      return { effect: 0, refuses: false };
    }
    const refuses = cut.effect === undefined || cut.effect > FLOOR_EFFECT;
    const where = cut.floor_counts === 0 ? "zero" : `${cut.floor_counts}`;
    const size = cut.effect === undefined ? "by an unknown share" : `by about ${percent(cut.effect)}`;
    const reason = `the counts are cut off at ${where}: ${percent(cut.share)} of the unlit pixels lie there, which changes the widths ${size}; raise the black level`;
    if (refuses && this.options.extraFindings === true) {
      this.list.raise("structured_background", cut.effect ?? cut.share, FLOOR_EFFECT, reason);
    } else {
      this.list.reasons.push(reason);
      if (refuses) this.unflaggedRefusals.push(reason);
    }
    return { effect: cut.effect ?? 0, refuses };
  }

  private raiseSettling(settling: Settling, start: Rectangle): void {
    if (settling.converged) return;
    const { list } = this;
    const change = settling.lastChange;
    if (settling.lost !== undefined) {
      // Three times the box of a region of one block.
      const small = 2 * Math.max(start.halfLength_px, start.halfBreadth_px) <= 3 * this.map.block_px;
      list.raise(
        "not_converged",
        change,
        SETTLED_CHANGE,
        `did not settle: ${settling.lost} was left in the integration area`,
      );
      if (small) list.raise("too_few_pixels", 0, FEWEST_PIXELS, "no width: the light falls on too few pixels");
    } else {
      const swing = settling.swing ?? change;
      const how = settling.periodic === true ? "swings between" : "wanders among";
      list.raise(
        "not_converged",
        swing,
        SETTLED_CHANGE,
        `did not settle: the iteration ${how} widths ${percent(swing)} apart`,
      );
    }
  }

  private raiseLowSignal(peak_counts: number): void {
    const share = peak_counts / (2 ** this.input.bitDepth - 1);
    if (share >= LOW_SIGNAL_SHARE) return;
    this.list.raise("low_signal", share, LOW_SIGNAL_SHARE, `low signal: the peak is ${percent(share)} of full scale`);
  }

  private raiseSizes(pass: Pass): void {
    const { widths } = pass;
    const smaller = Math.min(widths.x_px, widths.y_px);
    if (smaller < FEWEST_PIXELS && !this.list.has("too_few_pixels")) {
      this.list.raise(
        "too_few_pixels",
        smaller,
        FEWEST_PIXELS,
        `a width of ${smaller.toPrecision(2)} pixels is sampled too coarsely`,
      );
    }
    const larger = Math.max(widths.x_px, widths.y_px);
    const limit = Math.min(this.input.width_px, this.input.height_px) / 2;
    if (larger > limit) {
      this.list.raise(
        "beam_too_large",
        larger,
        limit,
        `beam too large: ${larger.toFixed(0)} pixels wide, more than half of the sensor's smaller side`,
      );
    }
  }

  private raiseClipped(pass: Pass, peak_counts: number, outside: number): void {
    const { moments } = pass;
    const background = (column: number, row: number) => backgroundAt(pass.background, column, row);
    const level = outsideMean(this.map, this.total_counts, pass.sums);
    let worst: { side: string; counts: number } | undefined;
    for (const edge of edgeLight(this.frames, background, {
      centroidX_px: moments.centroidX_px,
      centroidY_px: moments.centroidY_px,
      sensorWidthX_px: widthOf(moments.xx),
      sensorWidthY_px: widthOf(moments.yy),
    }))
      for (const [counts, pixels] of [
        [edge.mean_counts, edge.pixels],
        [edge.besideBeam_counts, edge.pixelsBesideBeam],
      ] as const) {
        if (pixels === 0) continue;
        const sigma = Math.sqrt(outside / pixels + outside / level.pixels);
        if (counts <= EDGE_SHARE * peak_counts || counts <= EDGE_SIGMAS * sigma) continue;
        if (counts > (worst?.counts ?? 0)) worst = { side: edge.side, counts };
      }
    if (worst === undefined) return;
    const share = worst.counts / peak_counts;
    this.list.raise(
      "clipped",
      share,
      EDGE_SHARE,
      `clipped: the ${worst.side} edge of the sensor still has ${percent(share)} of the peak`,
    );
  }

  private raiseStale(pass: Pass, outside: number): void {
    const { mean_counts, pixels } = outsideMean(this.map, this.total_counts, pass.sums);
    const limit = Math.max(STALE_COUNTS, STALE_SIGMAS * Math.sqrt(outside / pixels));
    if (Math.abs(mean_counts) <= limit) return;
    this.list.raise(
      "background_stale",
      mean_counts,
      limit,
      `background stale: outside the area the frame differs from its dark by ${mean_counts.toPrecision(2)} counts`,
    );
  }
}

/** Flags with which no width is given. */
const REFUSING: ReadonlySet<string> = new Set([
  "saturated",
  "not_converged",
  "clipped",
  "no_signal",
  "second_spot",
  "smear",
  "structured_background",
  "area_cut",
]);

/** Change of the principal variances per count of background, pixel² per count, in the area as it is. */
function levers(pass: Pass): { x: number; y: number } {
  const step = 1e-6 * (pass.moments.power_counts / Math.max(pass.sums.area_px, 1));
  const raised = { ...pass.background, level_counts: pass.background.level_counts + step };
  const moments = beamMoments(pass.sums, pass.geometry, raised);
  if (moments === undefined) return { x: 0, y: 0 };
  const now = alongAxes(pass.moments, pass.widths.angle_rad);
  const then = alongAxes(moments, pass.widths.angle_rad);
  return { x: (then.x - now.x) / step, y: (then.y - now.y) / step };
}

/** Variances along an axis at `angle_rad` and at right angles to it. */
function alongAxes(moments: { xx: number; xy: number; yy: number }, angle_rad: number): { x: number; y: number } {
  const cosine = Math.cos(angle_rad);
  const sine = Math.sin(angle_rad);
  const cross = 2 * cosine * sine * moments.xy;
  return {
    x: cosine * cosine * moments.xx + cross + sine * sine * moments.yy,
    y: sine * sine * moments.xx - cross + cosine * cosine * moments.yy,
  };
}

function ownOutsideMean(map: BlockMap, survey: FrameSurvey, sums: RectangleMoments): number {
  const outside = restMean(map, survey.total, sums) ?? cornerMean(blockMap([survey], map.width_px, map.height_px));
  return outside.mean_counts;
}

/** Block sums of the frames of the measurement at hand: as memory of their own they would cost new pages with every measurement. */
const blockMemory: Float64Array[] = [];

function blockMemoryOf(frame: number, blocks: number): Float64Array {
  let memory = blockMemory[frame];
  if (memory === undefined || memory.length < blocks) {
    memory = new Float64Array(blocks);
    blockMemory[frame] = memory;
  }
  return memory.subarray(0, blocks);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
