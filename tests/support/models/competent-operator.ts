import type { AxisResult, DeterminedAxis } from "../../../main/contract/axis-result.ts";
import type { Measurement, ToolName, ToolOutput } from "../../../main/contract/tools.ts";
import { type Brain, type Heard, type Said, thinkingInSteps } from "./brain.ts";
import { readCode } from "./read-code.ts";

const COARSE_POSITIONS = 7;
/** Places in a zone, in Rayleigh lengths from the waist. */
const NEAR = [-0.8, -0.5, -0.2, 0.1, 0.4, 0.7];
const FAR = [-3.2, -2.9, -2.6, -2.4, 2.4, 2.6, 2.9, 3.2];
const PEAK_SHARE = 0.6;

type Call = { readonly name: string; readonly arguments: Record<string, unknown> };

export interface CompetentOptions {
  /** Pictures to look at; each one takes an answer of its own. */
  readonly looks: number;
  /** Told of every code that was read from a picture. */
  readonly onCode?: (code: string) => void;
}

/** A whole measurement through the tools in few answers: groups of calls, planned from the fit, with looks at frames. */
export function competentOperator({ looks, onCode }: CompetentOptions): Brain {
  return thinkingInSteps(function* operate(): Generator<Said, Said, Heard> {
    let heard = yield { text: "", calls: [{ name: "bench_status", arguments: {} }] };
    const bench = answerOf(heard, "bench_status").benches?.[0]?.bench ?? "";
    heard = yield { calls: [{ name: "bench_open", arguments: { bench, reason: "measure M² of this beam" } }] };
    const opened = answerOf(heard, "bench_open");
    const { run, exposure_range_ms: range } = opened;
    const darks = new Set<number>();
    const step = (wanted_ms: number): number =>
      Math.min(range.max, Math.max(range.min, 2 ** Math.floor(Math.log2(wanted_ms))));
    const measuring = (places: readonly { z_mm: number; exposure_ms: number }[], reason: string): Call[] => {
      const fresh = [...new Set(places.map(({ exposure_ms }) => exposure_ms))].filter((ms) => !darks.has(ms));
      for (const exposure_ms of fresh) darks.add(exposure_ms);
      return [
        ...fresh.map((exposure_ms) => ({
          name: "take_darks",
          arguments: { run, exposure_ms, frames: 10, reason: "first dark here" },
        })),
        ...places.map((place) => ({ name: "measure_at", arguments: { run, ...place, frames: 3, reason } })),
      ];
    };
    const rejecting = (measurements: readonly Measurement[]): Call[] =>
      measurements.map(({ measurement, flags }) => ({
        name: "reject_measurement",
        arguments: { run, measurement, reason: `flagged ${flags.map(({ code }) => code).join(", ")}` },
      }));

    const { min, max } = opened.limits_mm;
    let places = Array.from({ length: COARSE_POSITIONS }, (_, i) => ({
      z_mm: Math.round(min + ((max - min) * i) / (COARSE_POSITIONS - 1)),
      exposure_ms: step(1),
    }));
    for (let round = 0; round < 4 && places.length > 0; round++) {
      heard = yield { text: "Looking for the waist.", calls: measuring(places, "first look along the rail") };
      const spoiled = measurementsIn(heard).filter(isSpoiled);
      places = spoiled.map((one) => ({
        z_mm: one.z_requested_mm,
        exposure_ms: step(betterExposure(one, opened.full_scale_counts)),
      }));
      if (spoiled.length > 0) heard = yield { calls: rejecting(spoiled) };
    }

    for (let round = 0; round < 2; round++) {
      heard = yield { calls: [{ name: "fit_caustic", arguments: { run, reason: "what is known so far" } }] };
      const fit = answerOf(heard, "fit_caustic");
      const positions_mm = planned([fit.x, fit.y], min, max, 0.45 * opened.sensor_height_px * opened.pixel_pitch_um);
      heard = yield { calls: [{ name: "estimate_scan", arguments: { run, positions_mm } }] };
      const estimate = answerOf(heard, "estimate_scan");
      const scan = estimate.positions
        .filter(({ allowed }) => allowed)
        .map(({ z_mm, suggested_exposure_ms }) => ({ z_mm, exposure_ms: step(suggested_exposure_ms ?? 1) }));
      heard = yield { text: "Near and far zone.", calls: measuring(scan, "planned from the fit") };
      const spoiled = measurementsIn(heard).filter(isSpoiled);
      if (spoiled.length > 0) heard = yield { calls: rejecting(spoiled) };
      else break;
    }

    let image_code: string | undefined;
    heard = yield { calls: [{ name: "bench_status", arguments: { run } }] };
    const used = (answerOf(heard, "bench_status").measurements ?? []).filter(({ use }) => use === "used");
    for (const { measurement } of used.slice(used.length - looks)) {
      const reason = "one more look whether the spot is clean";
      heard = yield { calls: [{ name: "view_frame", arguments: { run, measurement, reason, ...coded(image_code) } }] };
      const newest = heard.pictures.at(-1);
      image_code = newest === undefined ? undefined : readCode(newest);
      if (image_code !== undefined) onCode?.(image_code);
    }
    heard = yield { calls: [{ name: "fit_caustic", arguments: { run, ...coded(image_code) } }] };
    const { x, y } = answerOf(heard, "fit_caustic");
    const explanation = "Both axes are fitted to sound measurements in the near and the far zone.";
    heard = yield {
      calls: [
        {
          name: "finish",
          arguments: { run, verdict: "iso_compliant", ...claimed(x, y), fault: { kind: "none" }, explanation },
        },
      ],
    };
    return {
      text: "The coverage is not complete.",
      calls: [{ name: "finish", arguments: { run, verdict: "estimate_not_compliant", ...claimed(x, y), explanation } }],
    };
  });
}

const coded = (image_code: string | undefined) => (image_code === undefined ? {} : { image_code });

function answerOf<Name extends ToolName>(heard: Heard, _tool: Name): ToolOutput<Name> {
  return JSON.parse(heard.results[0]?.text ?? "{}") as ToolOutput<Name>;
}

function measurementsIn(heard: Heard): Measurement[] {
  return heard.results.flatMap(({ text }) => {
    if (!text.startsWith("{")) return [];
    const answer = JSON.parse(text) as Partial<Measurement>;
    return answer.measurement === undefined ? [] : [answer as Measurement];
  });
}

function isSpoiled({ flags, d4sigma_x_um }: Measurement): boolean {
  return flags.length > 0 || d4sigma_x_um === undefined;
}

function betterExposure(
  { exposure_ms, peak_counts, saturated_fraction }: Measurement,
  fullScale_counts: number,
): number {
  return saturated_fraction > 0
    ? exposure_ms / 8
    : (exposure_ms * PEAK_SHARE * fullScale_counts) / Math.max(1, peak_counts);
}

/** Positions that both zones of both axes need, inside the limits and where the beam is not too wide. */
function planned(axes: readonly AxisResult[], min: number, max: number, widest_um: number): number[] {
  const known = axes.filter((axis): axis is DeterminedAxis => axis.determined);
  const positions = known.flatMap((axis) => [...NEAR, ...FAR].map((share) => axis.z0_mm + share * axis.rayleigh_mm));
  const width = (axis: DeterminedAxis, z_mm: number): number =>
    axis.d0_um * Math.hypot(1, (z_mm - axis.z0_mm) / axis.rayleigh_mm);
  return [...new Set(positions.map((z_mm) => Math.round(10 * z_mm) / 10))]
    .filter((z_mm) => z_mm >= min && z_mm <= max && known.every((axis) => width(axis, z_mm) < widest_um))
    .sort((a, b) => a - b);
}

function claimed(x: AxisResult, y: AxisResult) {
  return x.determined && y.determined ? { m2_x: { value: x.m2, u: x.u_m2 }, m2_y: { value: y.m2, u: y.u_m2 } } : {};
}
