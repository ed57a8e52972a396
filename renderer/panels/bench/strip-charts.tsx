import { LinePlot, linePath, rangeOf } from "../../plot/line-plot.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";
import { headWords, meanOf, type Series } from "./strip-head.ts";

/** Values of the last minute, relative to the newest frame. */
const SPAN_S = 60;

/** Widths, centroid and power against time. */
export function StripCharts() {
  const desk = useDesk();
  // The header changes a few times a second, and with it the charts.
  useWindow((state) => state.live);
  const history = desk.frames.history();
  const now_s = history.t_s.at(-1) ?? 0;
  const first = history.t_s.findIndex((t_s) => now_s - t_s <= SPAN_S);
  const from = first === -1 ? 0 : first;
  const t = history.t_s.slice(from).map((t_s) => t_s - now_s);
  const cut = (series: Series): Series => series.slice(from);
  const cx = cut(history.cx_um);
  const cy = cut(history.cy_um);
  const meanX = meanOf(cx);
  const meanY = meanOf(cy);
  const span_s = Math.max(2, -(t[0] ?? 0));
  return (
    <>
      <Strip title="Widths" unit="µm" t={t} span_s={span_s} a={cut(history.dx_um)} b={cut(history.dy_um)} least={2} />
      <Strip
        title="Centroid"
        unit="µm"
        t={t}
        span_s={span_s}
        a={cx.map((value) => (value === undefined || meanX === undefined ? undefined : value - meanX))}
        b={cy.map((value) => (value === undefined || meanY === undefined ? undefined : value - meanY))}
        least={2}
        spread
      />
      <Strip title="Power" unit="counts/ms" t={t} span_s={span_s} a={cut(history.power)} least={1} />
    </>
  );
}

function Strip(props: {
  title: string;
  unit: string;
  t: readonly number[];
  span_s: number;
  a: Series;
  b?: Series;
  least: number;
  /** Says how much it moves instead of where it is. */
  spread?: boolean;
}) {
  const { a, b = [], t } = props;
  const range = rangeOf([...a, ...b], 0.12, props.least);
  const words = (series: Series): string => headWords(series, props.spread === true);
  return (
    <figure className="strip">
      <figcaption>
        <span>
          {props.title} <span className="dim">{props.unit}</span>
        </span>
        <span className="number">
          <span className={b.length > 0 ? "tone-x" : ""}>{words(a)}</span>{" "}
          {b.length > 0 ? <span className="tone-y">{words(b)}</span> : null}
        </span>
      </figcaption>
      {range === undefined ? (
        <div className="plot-empty dim">no values yet</div>
      ) : (
        <LinePlot
          small
          xUnit="s"
          label={`${props.title} in ${props.unit} over the last ${Math.round(props.span_s)} seconds`}
          xRange={{ from: -props.span_s, to: 0 }}
          yRange={range}
        >
          {(box) => (
            <>
              <path className={b.length > 0 ? "line-x" : "line-plain"} d={linePath(t, a, box)} />
              {b.length > 0 ? <path className="line-y" d={linePath(t, b, box)} /> : null}
            </>
          )}
        </LinePlot>
      )}
    </figure>
  );
}
