import type { AxisProfile } from "../../../main/contract/window-frame.ts";
import { LinePlot, linePath } from "../../plot/line-plot.tsx";
import { fixed, percent } from "../../store/format.ts";
import { useWindow } from "../../store/window-store.ts";

const CURVE_POINTS = 80;

/** Counts along one principal axis and the Gaussian that fits them; none where the frame is refused, whose counts are no beam's. */
export function ProfilePlot({ axis }: { axis: "x" | "y" }) {
  const profile = useWindow((state) => state.live?.profiles?.[axis]);
  const refused = useWindow((state) => state.live?.widths?.grade === "refused");
  const fullScale = useWindow((state) => state.followed?.state.description?.full_scale_counts);
  const gaussian = refused ? undefined : profile?.gaussian;
  return (
    <figure className="strip">
      <figcaption>
        <span className={`tone-${axis}`}>Profile {axis}</span>
        <span
          className="dim number"
          title={`Width of the fitted Gaussian at 1/e²; misfit ${percent(gaussian?.misfit)}`}
        >
          {gaussian === undefined ? "" : `1/e² ${fixed(gaussian.d_um, 0)} µm`}
        </span>
      </figcaption>
      {profile === undefined || profile.counts.length === 0 ? (
        <div className="plot-empty dim">no beam</div>
      ) : (
        <Curve
          profile={profile}
          gaussian={gaussian}
          axis={axis}
          top={Math.min(fullScale ?? 4095, Math.max(...profile.counts) * 1.08 + 4)}
        />
      )}
    </figure>
  );
}

function Curve(props: { profile: AxisProfile; gaussian: AxisProfile["gaussian"]; axis: "x" | "y"; top: number }) {
  const { profile, gaussian, axis, top } = props;
  const to_um = profile.from_um + profile.step_um * (profile.counts.length - 1);
  const xs = profile.counts.map((_, index) => profile.from_um + index * profile.step_um);
  return (
    <LinePlot
      small
      xUnit="µm"
      label={`Counts along the ${axis} axis in micrometres from the centroid`}
      xRange={{ from: profile.from_um, to: Math.max(to_um, profile.from_um + 1) }}
      yRange={{ from: 0, to: top }}
    >
      {(box) => (
        <>
          <path className={`line-${axis}`} d={linePath(xs, profile.counts, box)} />
          {gaussian === undefined ? null : (
            <path className="line-fit" d={linePath(...gaussianCurve(gaussian, profile.from_um, to_um), box)} />
          )}
        </>
      )}
    </LinePlot>
  );
}

function gaussianCurve(
  { amplitude_counts, centre_um, d_um, offset_counts }: NonNullable<AxisProfile["gaussian"]>,
  from_um: number,
  to_um: number,
): [number[], number[]] {
  const xs = Array.from(
    { length: CURVE_POINTS },
    (_, index) => from_um + ((to_um - from_um) * index) / (CURVE_POINTS - 1),
  );
  return [xs, xs.map((x) => offset_counts + amplitude_counts * Math.exp(-8 * ((x - centre_um) / d_um) ** 2))];
}
