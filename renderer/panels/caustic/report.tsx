import { clockTime, plusMinus } from "../../store/format.ts";
import type { FollowedRun } from "../../store/window-store.ts";
import { saysNothing, VERDICT_WORDS } from "../../store/words.ts";
import { CausticPlot } from "./caustic-plot.tsx";
import { IsoCheckList } from "./iso-check-list.tsx";
import { MeasurementTable } from "./measurement-table.tsx";
import { ResultCard } from "./result-card.tsx";

/** What can be taken out of the window: a run as it stands at some event. */
export type ExportedRun = Pick<FollowedRun, "source" | "kept" | "state" | "caustic">;

/** Of the plot on paper and in pictures, CSS pixels: the width of A4 between its margins. */
const PLOT_SIZE = { width: 688, height: 340 };

/** The run on paper: shown when the page is printed, and there alone. Pictures of the plot are made of the one in here. */
export function Report({ run }: { run: ExportedRun }) {
  const { kept, state, caustic } = run;
  const { description } = state;
  if (description === undefined) return null;
  const nothing = (): void => undefined;
  const drivers = state.callers.map((caller) => caller.name);
  return (
    <article className="report" aria-hidden="true">
      <h1>
        Beam propagation ratio M²{" "}
        {state.simulated ? <span className="report-simulated">simulated, no real beam</span> : null}
      </h1>
      <p>
        Bench {description.bench}, wavelength {description.wavelength_nm} nm, pixel pitch {description.pixel_pitch_um}{" "}
        µm, {description.sensor_width_px} × {description.sensor_height_px} pixels, {description.bit_depth} bits.
        Second-moment widths and fit by ISO 11146-1. Uncertainties are standard uncertainties (k = 1).
      </p>
      <p>
        {kept === undefined ? "" : keptWords(kept)}
        {drivers.length === 0 ? "" : `Driven by ${[...new Set(drivers)].join(", ")}. `}
        {state.measurements.length} measurements in {clockTime(state.t_ms)} of bench time, {state.calls} calls.
      </p>
      {state.finished === undefined ? null : (
        <p>
          <strong>{VERDICT_WORDS[state.finished.verdict]}.</strong>{" "}
          {saysNothing(state.finished) ? "" : state.finished.explanation}
        </p>
      )}
      <p>
        M² x {axisWords(caustic?.x.result)}, y {axisWords(caustic?.y.result)}
      </p>
      <div className="report-columns">
        <ResultCard state={state} caustic={caustic} />
        <IsoCheckList caustic={caustic} />
      </div>
      <div className="report-plot">
        <CausticPlot state={state} caustic={caustic} selected={undefined} onSelect={nothing} size={PLOT_SIZE} />
      </div>
      <MeasurementTable state={state} caustic={caustic} selected={undefined} onSelect={nothing} onUse={undefined} />
    </article>
  );
}

/** By the wall clock of the world, so that the report says the same wherever it is made. */
function keptWords({ record, started }: NonNullable<ExportedRun["kept"]>): string {
  return `Run ${record}${started === undefined ? "" : `, begun ${started.replace("T", " ").slice(0, 16)} UTC`}. `;
}

function axisWords(axis: NonNullable<FollowedRun["caustic"]>["x"]["result"] | undefined): string {
  if (axis === undefined) return "not measured";
  return axis.determined ? plusMinus(axis.m2, axis.u_m2) : `not determined (${axis.why})`;
}
