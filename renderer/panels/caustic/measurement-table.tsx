import { useEffect, useRef } from "react";
import type { Measurement } from "../../../main/contract/tools.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { fixed, percent, plusMinus, significant } from "../../store/format.ts";
import type { RunState } from "../../store/run-state.ts";
import { FRAME_FLAG_WORDS } from "../../store/words.ts";

/** Every measurement with what it gave and whether it counts. A row, its points in the plot and its frame are chosen together. */
export function MeasurementTable(props: {
  state: RunState;
  caustic: CausticDrawing | undefined;
  selected: string | undefined;
  onSelect: (measurement: string) => void;
  /** Absent where nothing can be changed any more. */
  onUse: ((measurement: string, use: boolean) => void) | undefined;
}) {
  const { state, caustic, selected, onSelect, onUse } = props;
  const chosen = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const leftOut = new Map(caustic?.left_out.map(({ measurement, why }) => [measurement, why]));
  const fullScale = state.description?.full_scale_counts ?? 1;
  const step = (by: number): void => {
    const at = state.measurements.findIndex((one) => one.measurement === selected);
    const next = state.measurements[Math.max(0, Math.min(state.measurements.length - 1, at + by))];
    if (next !== undefined) onSelect(next.measurement);
  };
  return (
    <div
      className="measurements scroll"
      role="region"
      aria-label="Measurements"
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key === "ArrowDown") step(1);
        else if (event.key === "ArrowUp") step(-1);
        else return;
        event.preventDefault();
      }}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col" className="right">
              z / mm
            </th>
            <th scope="col" className="right measurements-less">
              exp. / ms
            </th>
            <th scope="col" className="right tone-x">
              d4σ x / µm
            </th>
            <th scope="col" className="right tone-y">
              d4σ y / µm
            </th>
            <th scope="col" className="right measurements-less">
              peak
            </th>
            <th scope="col">remarks</th>
            {onUse === undefined ? null : <th scope="col">use</th>}
          </tr>
        </thead>
        <tbody>
          {state.measurements.map((measurement) => {
            const { measurement: id } = measurement;
            const used = measurement.use === "used";
            return (
              <tr
                key={id}
                ref={id === selected ? chosen : undefined}
                aria-selected={id === selected}
                className={`${id === selected ? "selected" : ""} ${leftOut.has(id) ? "out" : ""}`}
                onClick={() => {
                  onSelect(id);
                }}
              >
                <th scope="row" className="number">
                  {id}
                </th>
                <td className="number right">{fixed(measurement.z_actual_mm, 3)}</td>
                <td className="number right measurements-less">{significant(measurement.exposure_ms, 3)}</td>
                <td className="number right">{plusMinus(measurement.d4sigma_x_um, measurement.u_x_um)}</td>
                <td className="number right">{plusMinus(measurement.d4sigma_y_um, measurement.u_y_um)}</td>
                <td className="number right measurements-less">{percent(measurement.peak_counts / fullScale, 0)}</td>
                <td className="remarks">{remarks(measurement, state.rejectedWhy.get(id), leftOut.get(id))}</td>
                {onUse === undefined ? null : (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Use ${id} in the fit`}
                      checked={used && measurement.grade !== "refused"}
                      disabled={measurement.grade === "refused"}
                      onClick={(event) => {
                        event.stopPropagation();
                      }}
                      onChange={(event) => {
                        onUse(id, event.currentTarget.checked);
                      }}
                    />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {state.measurements.length === 0 ? <p className="dim measurements-none">No measurements yet.</p> : null}
    </div>
  );
}

function remarks(measurement: Measurement, rejected: string | undefined, leftOut: string | undefined): string {
  if (measurement.use === "rejected")
    return rejected === undefined || rejected === "" ? "rejected" : `rejected: ${rejected}`;
  const flags = measurement.flags.map(({ code }) => FRAME_FLAG_WORDS[code].name.toLowerCase()).join(", ");
  if (measurement.grade === "refused")
    return flags === "" ? (measurement.reasons[0] ?? "refused") : `refused: ${flags}`;
  if (flags !== "") return flags;
  return leftOut ?? measurement.reasons[0] ?? (measurement.dark === undefined ? "no dark" : "");
}
