import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { LinePlot, linePath, type PlotBox } from "../../plot/line-plot.tsx";
import { plusMinus } from "../../store/format.ts";
import type { RunState } from "../../store/run-state.ts";
import { type AxisName, type CausticPoint, pointsOf, union, zRange } from "./caustic-points.ts";

const AXES: readonly AxisName[] = ["x", "y"];
/** The band shows two standard uncertainties: about 95 %. */
const BAND_U = 2;

interface CausticPlotProps {
  readonly state: RunState;
  readonly caustic: CausticDrawing | undefined;
  readonly selected: string | undefined;
  readonly onSelect: (measurement: string) => void;
  readonly title?: string;
  /** What to do while nothing is measured. */
  readonly empty?: string;
  /** For paper and pictures: this large, whatever is around it. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Another run in the same plot: its marks small and hollow, its curves dashed. */
  readonly beside?: DrawnRun;
}

/** A run with the fit that belongs to it. */
export interface DrawnRun {
  readonly state: RunState;
  readonly caustic: CausticDrawing | undefined;
  readonly title: string;
}

/** Widths along the beam with the fitted hyperbolas, their bands, and the zones that ISO 11146 asks about. */
export function CausticPlot(props: CausticPlotProps) {
  const { state, caustic, selected, onSelect, title, empty, size, beside } = props;
  const points = bothAxes(state, caustic);
  const others = beside === undefined ? { x: [], y: [] } : bothAxes(beside.state, beside.caustic);
  const all = [...points.x, ...points.y, ...others.x, ...others.y];
  const curves = AXES.flatMap((axis) => [
    ...(caustic?.[axis].curve?.d_um ?? []),
    ...(beside?.caustic?.[axis].curve?.d_um ?? []),
  ]);
  const highest = all.length > 0 ? Math.max(...all.map((point) => point.d_um)) * 1.12 : 1;
  const top = all.length > 0 ? Math.min(highest * 1.25, Math.max(highest, ...curves)) : 1;
  return (
    <figure className="caustic-plot">
      <figcaption className="caustic-legend">
        <strong>{title ?? "Caustic"}</strong>
        <span className="tone-x">● x</span>
        <span className="tone-y">■ y</span>
        {beside === undefined ? null : (
          <span>
            <span className="dim">hollow, dashed: </span>
            {beside.title}
          </span>
        )}
        <span className="dim">○ left out</span>
        <span className="dim">band ± 2 u</span>
        <span className="dim" title="Near: within one Rayleigh length of the waist. Far: beyond two.">
          bars: ▬ near, ┄ far
        </span>
      </figcaption>
      {all.length === 0 ? (
        <div className="plot-empty dim">
          <p>{empty ?? "Nothing measured yet."}</p>
        </div>
      ) : (
        <LinePlot
          label={`Caustic: ${all.length} widths of ${state.measurements.length + (beside?.state.measurements.length ?? 0)} measurements along z`}
          xRange={beside === undefined ? zRange(state) : union(zRange(state), zRange(beside.state))}
          yRange={{ from: 0, to: top }}
          xLabel="z / mm"
          yLabel="d4σ / µm"
          {...(size === undefined ? {} : { size })}
          over={(box) => (
            <g>
              {state.simulated ? (
                <text className="plot-simulated" x={box.right - 6} y={box.top + 14} textAnchor="end">
                  SIMULATED
                </text>
              ) : null}
              {AXES.map((axis) => (
                <g key={axis} className="marks-beside">
                  {others[axis].map((point) => (
                    <Mark
                      key={point.measurement}
                      axis={axis}
                      point={point}
                      box={box}
                      selected={false}
                      onSelect={nothing}
                      {...(beside === undefined ? {} : { run: beside.title })}
                    />
                  ))}
                </g>
              ))}
              {AXES.map((axis) => (
                <g key={axis}>
                  {points[axis].map((point) => (
                    <Mark
                      key={point.measurement}
                      axis={axis}
                      point={point}
                      box={box}
                      selected={point.measurement === selected}
                      onSelect={onSelect}
                    />
                  ))}
                </g>
              ))}
            </g>
          )}
        >
          {(box) => (
            <>
              {AXES.map((axis, index) => (
                <Zones key={axis} axis={axis} row={index} caustic={caustic} box={box} />
              ))}
              {AXES.map((axis) => (
                <Curve key={axis} axis={axis} caustic={caustic} box={box} />
              ))}
              <g className="curves-beside">
                {AXES.map((axis) => (
                  <Curve key={axis} axis={axis} caustic={beside?.caustic} box={box} />
                ))}
              </g>
            </>
          )}
        </LinePlot>
      )}
    </figure>
  );
}

const nothing = (): void => undefined;

function bothAxes(state: RunState, caustic: CausticDrawing | undefined): Record<AxisName, CausticPoint[]> {
  return { x: pointsOf("x", state.measurements, caustic), y: pointsOf("y", state.measurements, caustic) };
}

function Curve({ axis, caustic, box }: { axis: AxisName; caustic: CausticDrawing | undefined; box: PlotBox }) {
  const curve = caustic?.[axis].curve;
  if (curve === undefined) return null;
  const upper = curve.d_um.map((d, index) => d + BAND_U * (curve.u_um[index] ?? 0));
  const lower = curve.d_um.map((d, index) => Math.max(0, d - BAND_U * (curve.u_um[index] ?? 0)));
  const back = linePath([...curve.z_mm].reverse(), lower.reverse(), box).replace("M", "L");
  return (
    <>
      <path className={`band-${axis}`} d={`${linePath(curve.z_mm, upper, box)}${back}Z`} />
      <path className={`line-${axis}`} d={linePath(curve.z_mm, curve.d_um, box)} />
    </>
  );
}

/** Where near and far positions lie, as bars at the foot of the plot, and the waist as a line. */
function Zones({
  axis,
  row,
  caustic,
  box,
}: {
  axis: AxisName;
  row: number;
  caustic: CausticDrawing | undefined;
  box: PlotBox;
}) {
  const result = caustic?.[axis].result;
  if (result?.determined !== true) return null;
  const { z0_mm, rayleigh_mm } = result;
  const y = box.bottom - 5 - 6 * row;
  return (
    <g className={`zone-${axis}`}>
      <line className="zone-waist" x1={box.x(z0_mm)} x2={box.x(z0_mm)} y1={box.top} y2={box.bottom} />
      <line className="zone-near" x1={box.x(z0_mm - rayleigh_mm)} x2={box.x(z0_mm + rayleigh_mm)} y1={y} y2={y} />
      <line
        className="zone-far"
        x1={box.left}
        x2={box.x(z0_mm - 2 * rayleigh_mm)}
        y1={y}
        y2={y}
        visibility={box.x(z0_mm - 2 * rayleigh_mm) > box.left ? "visible" : "hidden"}
      />
      <line
        className="zone-far"
        x1={box.x(z0_mm + 2 * rayleigh_mm)}
        x2={box.right}
        y1={y}
        y2={y}
        visibility={box.x(z0_mm + 2 * rayleigh_mm) < box.right ? "visible" : "hidden"}
      />
    </g>
  );
}

/** A disc for x, a square for y; hollow when left out. */
function Mark(props: {
  axis: AxisName;
  point: CausticPoint;
  box: PlotBox;
  selected: boolean;
  onSelect: (measurement: string) => void;
  /** Named where the plot shows more than one. */
  run?: string;
}) {
  const { axis, point, box, selected, run } = props;
  const x = box.x(point.z_mm);
  const y = box.y(point.d_um);
  const half = point.u_um === undefined ? 0 : Math.abs(box.y(point.d_um + point.u_um) - y);
  const words = `${run === undefined ? "" : `${run}, `}${point.measurement}: z ${point.z_mm.toFixed(2)} mm, d ${axis} ${plusMinus(point.d_um, point.u_um)} µm${point.used ? "" : ", left out"}`;
  return (
    <g
      className={`mark mark-${axis} ${point.used ? "" : "mark-out"} ${selected ? "mark-selected" : ""}`}
      onClick={() => {
        props.onSelect(point.measurement);
      }}
    >
      <title>{words}</title>
      {half > 4 ? <line className="mark-error" x1={x} x2={x} y1={y - half} y2={y + half} /> : null}
      <circle className="mark-target" cx={x} cy={y} r={9} />
      {selected ? <circle className="mark-ring" cx={x} cy={y} r={8} /> : null}
      {axis === "x" ? <circle cx={x} cy={y} r={4} /> : <rect x={x - 3.5} y={y - 3.5} width={7} height={7} />}
    </g>
  );
}
