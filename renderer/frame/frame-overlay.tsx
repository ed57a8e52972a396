import type { FrameHeader } from "../../main/contract/window-frame.ts";
import type { Overlays } from "../store/preferences.ts";
import { type FrameView, scaleBar, toScreen } from "./frame-view.ts";

const BAR_ROOM = 150;
/** The integration area is three widths across (ISO 11146-1). */
const AREA_WIDTHS = 3;

/** What is drawn over a frame: ellipse, integration area, axes, cross-hair, scale bar, watermark. */
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
  const centre = outline === undefined ? undefined : toScreen(view, outline.centroid_x_px, outline.centroid_y_px);
  const middle = toScreen(view, (header.width_px - 1) / 2, (header.height_px - 1) / 2);
  return (
    <svg className="frame-overlay" width={width} height={height} aria-hidden="true">
      <rect
        className="overlay-sensor"
        x={view.offsetX - 0.5}
        y={view.offsetY - 0.5}
        width={header.width_px * view.scale + 1}
        height={header.height_px * view.scale + 1}
      />
      {overlays.cross ? (
        <g className="overlay-cross">
          <line x1={0} x2={width} y1={middle.y} y2={middle.y} />
          <line x1={middle.x} x2={middle.x} y1={0} y2={height} />
        </g>
      ) : null}
      {outline === undefined || centre === undefined ? null : (
        <g
          transform={`translate(${centre.x} ${centre.y}) rotate(${-outline.azimuth_deg})`}
          className={outline.indicative ? "overlay-indicative" : ""}
        >
          {overlays.area ? (
            <rect
              className="overlay-area"
              x={(-AREA_WIDTHS / 2) * outline.d_x_px * view.scale}
              y={(-AREA_WIDTHS / 2) * outline.d_y_px * view.scale}
              width={AREA_WIDTHS * outline.d_x_px * view.scale}
              height={AREA_WIDTHS * outline.d_y_px * view.scale}
            />
          ) : null}
          {overlays.axes ? (
            <>
              <line
                className="overlay-axis-x"
                x1={-0.75 * outline.d_x_px * view.scale}
                x2={0.75 * outline.d_x_px * view.scale}
              />
              <line
                className="overlay-axis-y"
                y1={-0.75 * outline.d_y_px * view.scale}
                y2={0.75 * outline.d_y_px * view.scale}
              />
            </>
          ) : null}
          {overlays.ellipse ? (
            <>
              <ellipse
                className="overlay-halo"
                rx={(outline.d_x_px / 2) * view.scale}
                ry={(outline.d_y_px / 2) * view.scale}
              />
              <ellipse
                className="overlay-ellipse"
                rx={(outline.d_x_px / 2) * view.scale}
                ry={(outline.d_y_px / 2) * view.scale}
              />
            </>
          ) : null}
        </g>
      )}
      <g className="overlay-bar" transform={`translate(${width - 16 - bar.length} ${height - 16})`}>
        <path d={`M0 -5V0H${bar.length}V-5`} />
        <text x={bar.length / 2} y={-7} textAnchor="middle">
          {bar.um >= 1000 ? `${bar.um / 1000} mm` : `${bar.um} µm`}
        </text>
      </g>
      {header.simulated ? (
        <text className="overlay-watermark" x={12} y={height - 14}>
          SIMULATED
        </text>
      ) : null}
    </svg>
  );
}
