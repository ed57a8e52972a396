import { memo } from "react";
import type { BeamOutline, FrameHeader } from "../../main/contract/window-frame.ts";
import type { Overlays } from "../store/preferences.ts";
import { type FrameView, scaleBar, toScreen } from "./frame-view.ts";

const BAR_ROOM = 150;
/** The integration area is three widths across (ISO 11146-1). */
const AREA_WIDTHS = 3;
/** The lines of the principal axes reach this far, in half widths. */
const AXIS_REACH = 1.5;

/** What is drawn over a frame. What moves with the beam is a drawing of its own, no larger than it must be, since it is drawn often. */
export function FrameOverlay(props: {
  header: FrameHeader;
  view: FrameView;
  width: number;
  height: number;
  overlays: Overlays;
}) {
  const { header, view, width, height, overlays } = props;
  const { outline } = header;
  const bar = scaleBar(view, header.pixel_pitch_um, BAR_ROOM);
  return (
    <>
      <Surroundings
        x={view.offsetX}
        y={view.offsetY}
        sensorWidth={header.width_px * view.scale}
        sensorHeight={header.height_px * view.scale}
        width={width}
        height={height}
        bar_um={bar.um}
        barLength={bar.length}
        simulated={header.simulated}
        cross={overlays.cross}
      />
      {outline === undefined ? null : <Beam outline={outline} view={view} overlays={overlays} />}
    </>
  );
}

/** What stays while the view stays: the sensor's edge, its middle, the scale bar, the watermark. */
const Surroundings = memo(function Surroundings(props: {
  x: number;
  y: number;
  sensorWidth: number;
  sensorHeight: number;
  width: number;
  height: number;
  bar_um: number;
  barLength: number;
  simulated: boolean;
  cross: boolean;
}) {
  const { x, y, sensorWidth, sensorHeight, width, height, bar_um, barLength } = props;
  return (
    <svg className="frame-overlay" width={width} height={height} aria-hidden="true">
      <rect className="overlay-sensor" x={x - 0.5} y={y - 0.5} width={sensorWidth + 1} height={sensorHeight + 1} />
      {props.cross ? (
        <g className="overlay-cross">
          <line x1={0} x2={width} y1={y + sensorHeight / 2} y2={y + sensorHeight / 2} />
          <line x1={x + sensorWidth / 2} x2={x + sensorWidth / 2} y1={0} y2={height} />
        </g>
      ) : null}
      <g className="overlay-bar" transform={`translate(${width - 16 - barLength} ${height - 16})`}>
        <path d={`M0 -5V0H${barLength}V-5`} />
        <text x={barLength / 2} y={-7} textAnchor="middle">
          {bar_um >= 1000 ? `${bar_um / 1000} mm` : `${bar_um} µm`}
        </text>
      </g>
      {props.simulated ? (
        <text className="overlay-watermark" x={12} y={22}>
          SIMULATED
        </text>
      ) : null}
    </svg>
  );
});

/** Ellipse, integration area and principal axes. */
function Beam({ outline, view, overlays }: { outline: BeamOutline; view: FrameView; overlays: Overlays }) {
  const halfX = (outline.d_x_px / 2) * view.scale;
  const halfY = (outline.d_y_px / 2) * view.scale;
  const reach = Math.hypot(halfX, halfY) * (overlays.area ? AREA_WIDTHS : AXIS_REACH) + 4;
  const centre = toScreen(view, outline.centroid_x_px, outline.centroid_y_px);
  const left = Math.round(centre.x - reach);
  const top = Math.round(centre.y - reach);
  const size = Math.ceil(2 * reach) + 1;
  return (
    <svg
      className="frame-beam"
      width={size}
      height={size}
      style={{ left: `${left}px`, top: `${top}px` }}
      aria-hidden="true"
    >
      <g
        transform={`translate(${centre.x - left} ${centre.y - top}) rotate(${-outline.azimuth_deg})`}
        className={outline.indicative ? "overlay-indicative" : ""}
      >
        {overlays.area ? (
          <rect
            className="overlay-area"
            x={-AREA_WIDTHS * halfX}
            y={-AREA_WIDTHS * halfY}
            width={2 * AREA_WIDTHS * halfX}
            height={2 * AREA_WIDTHS * halfY}
          />
        ) : null}
        {overlays.axes ? (
          <>
            <line className="overlay-axis-x" x1={-AXIS_REACH * halfX} x2={AXIS_REACH * halfX} />
            <line className="overlay-axis-y" y1={-AXIS_REACH * halfY} y2={AXIS_REACH * halfY} />
          </>
        ) : null}
        {overlays.ellipse ? (
          <>
            <ellipse className="overlay-halo" rx={halfX} ry={halfY} />
            <ellipse className="overlay-ellipse" rx={halfX} ry={halfY} />
          </>
        ) : null}
      </g>
    </svg>
  );
}
