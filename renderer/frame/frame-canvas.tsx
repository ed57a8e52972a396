import { useCallback, useEffect, useRef, useState } from "react";
import { type FrameDetail, type FrameHeader, sampledSize, type WindowFrame } from "../../main/contract/window-frame.ts";
import { useSize } from "../plot/use-size.ts";
import { fixed } from "../store/format.ts";
import { usePreferences } from "../store/preferences.ts";
import { countsRange } from "./counts-range.ts";
import { createFramePainter, type FramePainter } from "./frame-painter.ts";
import { FrameOverlay } from "./frame-overlay.tsx";
import { around, type FrameView, panned, pixelAt, shownRegion, wholeFrame, zoomed } from "./frame-view.ts";

/** Frames as they come, or one that stays. */
export interface FrameSource {
  readonly latest: WindowFrame | undefined;
  subscribe(onFrame: (frame: WindowFrame) => void): () => void;
}

interface Readout {
  readonly column: number;
  readonly row: number;
  readonly counts: number;
  /** The counts are the largest of so many by so many pixels. */
  readonly reduction: number;
}

const WHOLE = { left_px: 0, top_px: 0 } as const;

/** How large the wheel's steps are. */
const WHEEL = 0.0016;
const KEY_ZOOM = 1.4;
const KEY_PAN = 40;
const OVERLAY_EVERY_MS = 120;
const MOST_REDUCTION = 8;

/**
 * A frame with its overlays: zoom by wheel, pan by dragging, double click for the whole frame, counts under the pointer. Frames are
 * drawn at the screen's own rate, the newest one only; `onShown` is told of every frame that came, drawn or passed over.
 */
export function FrameCanvas(props: {
  source: FrameSource;
  onShown?: (number: number) => void;
  /** Told at every drawing of what is on the screen: more samples would not be seen. */
  onDetail?: (detail: FrameDetail) => void;
  label: string;
  colourRange?: "peak" | "full";
}) {
  const { source, onShown, onDetail, colourRange = "peak" } = props;
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<FramePainter>(undefined);
  const frame = useRef<WindowFrame>(undefined);
  const view = useRef<FrameView>(undefined);
  const scheduled = useRef(0);
  const arrived = useRef<number[]>([]);
  const overlaidView = useRef<FrameView>(undefined);
  const overlaidAt = useRef(0);
  const [shownView, setShownView] = useState<FrameView>();
  const [header, setHeader] = useState<FrameHeader>();
  const [readout, setReadout] = useState<Readout>();
  const pointer = useRef<{ x: number; y: number; dragging: boolean }>(undefined);
  const { colourMap, logScale, overlays } = usePreferences();

  const paint = useCallback((): void => {
    const element = canvas.current;
    const current = frame.current;
    if (element === null || current === undefined || element.width === 0) return;
    painter.current ??= createFramePainter(element);
    const fullScale_counts = 2 ** current.header.bit_depth - 1;
    const { reduction = 1, region: { left_px, top_px } = WHOLE } = current.header;
    const { width, height } = sampledSize(current.header);
    painter.current.setFrame({ samples: current.samples, width_px: width, height_px: height, fullScale_counts });
    const ratio = window.devicePixelRatio;
    const screen = { width: element.width / ratio, height: element.height / ratio };
    const sensor = { width: current.header.width_px, height: current.header.height_px };
    view.current ??= wholeFrame(sensor, screen);
    const { scale, offsetX, offsetY } = view.current;
    painter.current.paint(
      {
        scale: scale * ratio * reduction,
        offsetX: (offsetX + left_px * scale) * ratio,
        offsetY: (offsetY + top_px * scale) * ratio,
      },
      {
        map: colourMap,
        log: logScale,
        showSaturation: overlays.saturation,
        ...(colourRange === "full" ? { low_counts: 0, high_counts: fullScale_counts } : countsRange(current)),
      },
    );
    // What lies over the picture follows a few times a second, and at once when the view changes: drawing it costs more than the frame.
    const now = performance.now();
    if (overlaidView.current !== view.current || now - overlaidAt.current >= OVERLAY_EVERY_MS) {
      overlaidView.current = view.current;
      overlaidAt.current = now;
      setShownView(view.current);
      setHeader(current.header);
    }
    const at = pointer.current;
    if (at !== undefined) setReadout(readoutAt(current, view.current, at.x, at.y));
    onDetail?.(detailOf(view.current, sensor, screen, ratio, at));
    for (const number of arrived.current.splice(0)) onShown?.(number);
  }, [colourMap, logScale, overlays.saturation, colourRange, onShown, onDetail]);

  const schedule = useCallback((): void => {
    if (scheduled.current !== 0) return;
    scheduled.current = requestAnimationFrame(() => {
      scheduled.current = 0;
      paint();
    });
  }, [paint]);

  useEffect(() => {
    const take = (next: WindowFrame): void => {
      const before = frame.current?.header;
      if (before?.width_px !== next.header.width_px || before.height_px !== next.header.height_px)
        view.current = undefined;
      frame.current = next;
      arrived.current.push(next.header.number);
      // A hidden page gets no animation frames: it still says that it is ready for the next one.
      if (document.hidden) for (const number of arrived.current.splice(0)) onShown?.(number);
      schedule();
    };
    frame.current = source.latest;
    schedule();
    const end = source.subscribe(take);
    return () => {
      end();
      for (const number of arrived.current.splice(0)) onShown?.(number);
    };
  }, [source, schedule, onShown]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null || width === 0) return;
    const ratio = window.devicePixelRatio;
    const before = { width: element.width / ratio, height: element.height / ratio };
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    // The whole frame stays whole; a part that somebody chose stays in its place.
    const sensor = frame.current?.header;
    const showsWhole =
      sensor === undefined ||
      view.current?.scale === wholeFrame({ width: sensor.width_px, height: sensor.height_px }, before).scale;
    if (showsWhole) view.current = undefined;
    schedule();
  }, [width, height, schedule]);

  useEffect(
    () => () => {
      cancelAnimationFrame(scheduled.current);
      scheduled.current = 0;
      painter.current?.close();
      painter.current = undefined;
    },
    [],
  );

  const change = (
    next: (
      view: FrameView,
      sensor: { width: number; height: number },
      screen: { width: number; height: number },
    ) => FrameView,
  ): void => {
    const current = frame.current?.header;
    if (current === undefined || view.current === undefined) return;
    view.current = next(view.current, { width: current.width_px, height: current.height_px }, { width, height });
    schedule();
  };

  // React's own wheel listener is passive and could not keep the page from scrolling.
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      change((before, sensor, screen) =>
        zoomed(
          before,
          Math.exp(-event.deltaY * WHEEL),
          event.clientX - box.left,
          event.clientY - box.top,
          sensor,
          screen,
        ),
      );
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      element.removeEventListener("wheel", onWheel);
    };
  });

  const wholeView = (): void => {
    change((_, sensor, screen) => wholeFrame(sensor, screen));
  };
  const beamView = (): void => {
    const outline = frame.current?.header.outline;
    if (outline === undefined) return;
    const reach = 2 * Math.max(outline.d_x_px, outline.d_y_px);
    change((_, sensor, screen) =>
      around({ x: outline.centroid_x_px, y: outline.centroid_y_px }, { width: reach, height: reach }, sensor, screen),
    );
  };
  const zoomBy = (factor: number): void => {
    change((before, sensor, screen) => zoomed(before, factor, width / 2, height / 2, sensor, screen));
  };

  return (
    <div className="frame">
      <div
        ref={ref}
        className="frame-stage"
        role="application"
        aria-label={`${props.label}. Plus and minus zoom, arrow keys pan, 0 shows the whole frame, B the beam.`}
        tabIndex={0}
        onKeyDown={(event) => {
          const pan: Readonly<Record<string, [number, number]>> = {
            ArrowLeft: [KEY_PAN, 0],
            ArrowRight: [-KEY_PAN, 0],
            ArrowUp: [0, KEY_PAN],
            ArrowDown: [0, -KEY_PAN],
          };
          const shift = pan[event.key];
          if (event.key === "+" || event.key === "=") zoomBy(KEY_ZOOM);
          else if (event.key === "-") zoomBy(1 / KEY_ZOOM);
          else if (event.key === "0") wholeView();
          else if (event.key === "b") beamView();
          else if (shift === undefined) return;
          else change((before, sensor, screen) => panned(before, shift[0], shift[1], sensor, screen));
          event.preventDefault();
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          pointer.current = { ...placeOf(event), dragging: true };
        }}
        onPointerUp={() => {
          if (pointer.current !== undefined) pointer.current.dragging = false;
        }}
        onPointerMove={(event) => {
          const place = placeOf(event);
          const before = pointer.current;
          if (before?.dragging === true) {
            change((old, sensor, screen) => panned(old, place.x - before.x, place.y - before.y, sensor, screen));
          }
          pointer.current = { ...place, dragging: before?.dragging === true };
          if (frame.current !== undefined && view.current !== undefined) {
            setReadout(readoutAt(frame.current, view.current, place.x, place.y));
          }
        }}
        onPointerLeave={() => {
          pointer.current = undefined;
          setReadout(undefined);
        }}
        onDoubleClick={wholeView}
      >
        <canvas ref={canvas} className="frame-canvas" role="img" aria-label={describe(header)} />
        {header === undefined || shownView === undefined ? null : (
          <FrameOverlay header={header} view={shownView} width={width} height={height} overlays={overlays} />
        )}
      </div>
      <div className="frame-tools">
        <button
          type="button"
          className="small"
          title="Larger (+)"
          aria-label="Zoom in"
          onClick={() => {
            zoomBy(KEY_ZOOM);
          }}
        >
          +
        </button>
        <button
          type="button"
          className="small"
          title="Smaller (−)"
          aria-label="Zoom out"
          onClick={() => {
            zoomBy(1 / KEY_ZOOM);
          }}
        >
          −
        </button>
        <button type="button" className="small" title="Whole frame (0)" onClick={wholeView}>
          Whole
        </button>
        <button
          type="button"
          className="small"
          title="Zoom to the beam (B)"
          disabled={header?.outline === undefined}
          onClick={beamView}
        >
          Beam
        </button>
        <output className="frame-readout number" aria-label="Counts under the pointer">
          {readout === undefined
            ? ""
            : `${readout.column}, ${readout.row} px  ${readout.reduction > 1 ? `max of ${readout.reduction}×${readout.reduction}: ` : ""}${readout.counts}`}
        </output>
        <span className="frame-zoom number dim">{shownView === undefined ? "" : `${fixed(shownView.scale, 2)}×`}</span>
      </div>
    </div>
  );
}

function placeOf(event: { currentTarget: HTMLElement; clientX: number; clientY: number }): { x: number; y: number } {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** What of a frame can be seen, and which pixel's own counts are asked for. */
function detailOf(
  view: FrameView,
  sensor: { width: number; height: number },
  screen: { width: number; height: number },
  ratio: number,
  pointer: { x: number; y: number } | undefined,
): FrameDetail {
  const reduction = Math.min(MOST_REDUCTION, Math.max(1, Math.floor(1 / (view.scale * ratio))));
  const region = shownRegion(view, sensor, screen);
  const under = reduction === 1 || pointer === undefined ? undefined : pixelAt(view, pointer.x, pointer.y);
  const isOn =
    under !== undefined &&
    under.column >= 0 &&
    under.row >= 0 &&
    under.column < sensor.width &&
    under.row < sensor.height;
  return {
    reduction,
    ...(region === undefined ? {} : { region }),
    ...(isOn ? { pointer: { column_px: under.column, row_px: under.row } } : {}),
  };
}

/** The counts of the pixel under a place on the screen: its own where the frame tells them, else the largest of its block. */
function readoutAt(frame: WindowFrame, view: FrameView, x: number, y: number): Readout | undefined {
  const { column, row } = pixelAt(view, x, y);
  const { width_px, height_px, reduction = 1, region, pointer } = frame.header;
  if (column < 0 || row < 0 || column >= width_px || row >= height_px) return undefined;
  if (pointer?.column_px === column && pointer.row_px === row) {
    return { column, row, counts: pointer.counts, reduction: 1 };
  }
  const { width, height } = sampledSize(frame.header);
  const across = Math.floor((column - (region?.left_px ?? 0)) / reduction);
  const down = Math.floor((row - (region?.top_px ?? 0)) / reduction);
  const counts = frame.samples[down * width + across];
  if (across < 0 || down < 0 || across >= width || down >= height || counts === undefined) return undefined;
  return { column, row, counts, reduction };
}

/** The picture for who does not see it. */
function describe(header: FrameHeader | undefined): string {
  if (header === undefined) return "No frame yet";
  const { widths, outline } = header;
  const size = `Frame of ${header.width_px} by ${header.height_px} pixels`;
  if (widths?.d4sigma_x_um === undefined || outline === undefined) return `${size}, no beam measured`;
  return `${size}: beam of ${fixed(widths.d4sigma_x_um, 0)} by ${fixed(widths.d4sigma_y_um, 0)} micrometres at column ${fixed(outline.centroid_x_px, 0)}, row ${fixed(outline.centroid_y_px, 0)}`;
}
