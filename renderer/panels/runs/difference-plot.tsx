import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { LinePlot, linePath, type Range } from "../../plot/line-plot.tsx";
import { differenceCurve } from "./difference-curve.ts";

const AXES = ["x", "y"] as const;
/** Two standard uncertainties, as in the caustic. */
const BAND_U = 2;

/** How far the second fitted caustic lies from the first, along z. */
export function DifferencePlot(props: {
  first: CausticDrawing | undefined;
  second: CausticDrawing | undefined;
  xRange: Range;
}) {
  const curves = AXES.flatMap((axis) => {
    const [first, second] = [props.first?.[axis].curve, props.second?.[axis].curve];
    return first === undefined || second === undefined ? [] : [{ axis, curve: differenceCurve(first, second) }];
  }).filter(({ curve }) => curve.z_mm.length > 1);
  if (curves.length === 0) {
    return <p className="plot-empty dim">No difference: one of the two has no fit, or they have no place in common.</p>;
  }
  const reach =
    1.1 *
    Math.max(...curves.flatMap(({ curve }) => curve.d_um.map((d, k) => Math.abs(d) + BAND_U * (curve.u_um[k] ?? 0))));
  return (
    <LinePlot
      label="Difference of the two caustics along z"
      xRange={props.xRange}
      yRange={{ from: -reach, to: reach }}
      xLabel="z / mm"
      yLabel="Δ d4σ / µm"
    >
      {(box) => (
        <>
          <line className="residual-zero" x1={box.left} x2={box.right} y1={box.y(0)} y2={box.y(0)} />
          {curves.map(({ axis, curve }) => {
            const upper = curve.d_um.map((d, k) => d + BAND_U * (curve.u_um[k] ?? 0));
            const lower = curve.d_um.map((d, k) => d - BAND_U * (curve.u_um[k] ?? 0));
            const back = linePath([...curve.z_mm].reverse(), lower.reverse(), box).replace("M", "L");
            return (
              <g key={axis}>
                <path className={`band-${axis}`} d={`${linePath(curve.z_mm, upper, box)}${back}Z`} />
                <path className={`line-${axis}`} d={linePath(curve.z_mm, curve.d_um, box)} />
              </g>
            );
          })}
        </>
      )}
    </LinePlot>
  );
}
