import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { LinePlot } from "../../plot/line-plot.tsx";
import type { RunState } from "../../store/run-state.ts";
import { type AxisName, pointsOf, zRange } from "./caustic-points.ts";

const AXES: readonly AxisName[] = ["x", "y"];

/** Distance of every point from the curve, in its own standard uncertainties where there are any, else in per cent. */
export function ResidualPlot(props: {
  state: RunState;
  caustic: CausticDrawing | undefined;
  selected: string | undefined;
  onSelect: (measurement: string) => void;
}) {
  const { state, caustic, selected } = props;
  const lists = AXES.map((axis) => ({
    axis,
    points: pointsOf(axis, state.measurements, caustic).filter((point) => point.residual_um !== undefined),
  }));
  const normalized = lists.some(({ points }) => points.some((point) => point.normalized !== undefined));
  const value = (point: (typeof lists)[number]["points"][number]): number =>
    normalized ? (point.normalized ?? 0) : (100 * (point.residual_um ?? 0)) / point.d_um;
  const values = lists.flatMap(({ points }) => points.map(value));
  if (values.length === 0) return <div className="residuals" />;
  const reach = Math.max(normalized ? 3 : 0.5, ...values.map(Math.abs)) * 1.15;
  return (
    <div className="residuals">
      <LinePlot
        label={`Residuals of the fit in ${normalized ? "standard uncertainties" : "per cent"}`}
        xRange={zRange(state)}
        yRange={{ from: -reach, to: reach }}
        yLabel={normalized ? "residual / u" : "residual / %"}
        noX
        {...(normalized ? { yTicks: [-2, 0, 2] } : {})}
      >
        {(box) => (
          <>
            {normalized ? (
              <rect
                className="residual-band"
                x={box.left}
                width={box.right - box.left}
                y={box.y(2)}
                height={box.y(-2) - box.y(2)}
              />
            ) : null}
            <line className="residual-zero" x1={box.left} x2={box.right} y1={box.y(0)} y2={box.y(0)} />
            {lists.map(({ axis, points }) => (
              <g key={axis} className={`mark mark-${axis}`}>
                {points.map((point) => (
                  <g
                    key={point.measurement}
                    className={point.measurement === selected ? "mark-selected" : ""}
                    onClick={() => {
                      props.onSelect(point.measurement);
                    }}
                  >
                    <line
                      className="residual-stem"
                      x1={box.x(point.z_mm)}
                      x2={box.x(point.z_mm)}
                      y1={box.y(0)}
                      y2={box.y(value(point))}
                    />
                    {point.measurement === selected ? (
                      <circle className="mark-ring" cx={box.x(point.z_mm)} cy={box.y(value(point))} r={6} />
                    ) : null}
                    {axis === "x" ? (
                      <circle cx={box.x(point.z_mm)} cy={box.y(value(point))} r={2.8} />
                    ) : (
                      <rect x={box.x(point.z_mm) - 2.6} y={box.y(value(point)) - 2.6} width={5.2} height={5.2} />
                    )}
                  </g>
                ))}
              </g>
            ))}
          </>
        )}
      </LinePlot>
    </div>
  );
}
