import { type ReactNode, useId } from "react";
import { ticks } from "../store/format.ts";
import { useSize } from "./use-size.ts";

export interface PlotBox {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Advance of one character of the ticks' font at its size. */
const TICK_CHARACTER_PX = 6.4;
const MARGIN = { left: 46, right: 8, top: 8, bottom: 20 };

/** Axes, grid and a clipped drawing area; what is drawn is given by the caller, in data units through `PlotBox`. */
export function LinePlot(props: {
  label: string;
  xRange: Range;
  yRange: Range;
  xLabel?: string;
  yLabel?: string;
  /** Less room for axes: numbers at the ends alone. */
  small?: boolean;
  noX?: boolean;
  /** In place of round numbers. */
  yTicks?: readonly number[];
  /** Stands behind the last number of the x axis. */
  xUnit?: string;
  children: (box: PlotBox) => ReactNode;
  over?: (box: PlotBox) => ReactNode;
  className?: string;
  /** Of the drawing, in CSS pixels, where it does not fill what is around it: on paper, or in a picture. */
  size?: { readonly width: number; readonly height: number };
}) {
  const measured = useSize<HTMLDivElement>();
  const { ref } = measured;
  const { width, height } = props.size ?? measured;
  const clip = useId();
  const { xRange, yRange, small = false, noX = false } = props;
  const bottom = noX ? 6 : MARGIN.bottom + (props.xLabel === undefined ? 0 : 13);
  const inner = Math.max(1, height - bottom - MARGIN.top);
  const yTicks = props.yTicks ?? ticks(yRange.from, yRange.to, Math.max(2, inner / (small ? 30 : 42)));
  const yTexts = yTicks.map((value) => tickText(value, yTicks));
  const longest = Math.max(0, ...yTexts.map((text) => text.length));
  // Figures of one width: the room that the longest one needs, and no less than keeps plots side by side alike.
  const room = Math.ceil(longest * TICK_CHARACTER_PX) + 9;
  const left = small ? Math.max(34, room) : Math.max(MARGIN.left, room) + (props.yLabel === undefined ? 0 : 12);
  const box: PlotBox = {
    left,
    right: Math.max(left + 1, width - MARGIN.right),
    top: MARGIN.top,
    bottom: Math.max(MARGIN.top + 1, height - bottom),
    x: (value) => box.left + ((value - xRange.from) / (xRange.to - xRange.from)) * (box.right - box.left),
    y: (value) => box.bottom - ((value - yRange.from) / (yRange.to - yRange.from)) * (box.bottom - box.top),
  };
  const xTicks = ticks(xRange.from, xRange.to, Math.max(2, (box.right - box.left) / (small ? 70 : 80)));
  return (
    <div ref={ref} className={`plot ${props.className ?? ""}`}>
      {width === 0 ? null : (
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.label}>
          <defs>
            <clipPath id={clip}>
              <rect x={box.left} y={box.top} width={box.right - box.left} height={box.bottom - box.top} />
            </clipPath>
          </defs>
          <g className="plot-grid">
            {xTicks.map((value) => (
              <line key={value} x1={box.x(value)} x2={box.x(value)} y1={box.top} y2={box.bottom} />
            ))}
            {yTicks.map((value) => (
              <line key={value} x1={box.left} x2={box.right} y1={box.y(value)} y2={box.y(value)} />
            ))}
          </g>
          <g clipPath={`url(#${clip})`}>{props.children(box)}</g>
          <g className="plot-ticks">
            {noX
              ? null
              : xTicks.map((value, index) => {
                  const isLast = index === xTicks.length - 1;
                  const text = `${tickText(value, xTicks)}${isLast && props.xUnit !== undefined ? ` ${props.xUnit}` : ""}`;
                  return (
                    <text key={value} y={box.bottom + 13} {...standing(box.x(value), text, box)}>
                      {text}
                    </text>
                  );
                })}
            {yTicks.map((value, index) => (
              <text key={value} x={box.left - 5} y={box.y(value) + 3.5} textAnchor="end">
                {yTexts[index]}
              </text>
            ))}
          </g>
          <g className="plot-labels">
            {props.xLabel === undefined ? null : (
              <text x={(box.left + box.right) / 2} y={height - 4} textAnchor="middle">
                {props.xLabel}
              </text>
            )}
            {props.yLabel === undefined ? null : (
              <text transform={`translate(11 ${(box.top + box.bottom) / 2}) rotate(-90)`} textAnchor="middle">
                {props.yLabel}
              </text>
            )}
          </g>
          {props.over?.(box)}
        </svg>
      )}
    </div>
  );
}

/** A number stands under its tick, but for one that would run out of the drawing at the right: it ends there. */
function standing(
  x: number,
  text: string,
  box: PlotBox,
): { readonly x: number; readonly textAnchor: "middle" | "end" } {
  const end = box.right + MARGIN.right - 2;
  return x + (text.length * TICK_CHARACTER_PX) / 2 > end ? { x: end, textAnchor: "end" } : { x, textAnchor: "middle" };
}

/** As many digits as the steps need; thousands and millions by their letters. */
function tickText(value: number, all: readonly number[]): string {
  const largest = Math.max(...all.map(Math.abs));
  const [divisor, letter] = largest >= 1e6 ? [1e6, "M"] : largest >= 1e4 ? [1e3, "k"] : [1, ""];
  const step = Math.abs((all[1] ?? value + 1) - (all[0] ?? value)) / divisor;
  const decimals = step >= 1 || step === 0 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  return `${(value / divisor).toFixed(decimals).replace("-", "−")}${letter}`;
}

/** A line through points; places without a value are gaps. */
export function linePath(xs: readonly number[], ys: readonly (number | undefined)[], box: PlotBox): string {
  let path = "";
  let open = false;
  for (const [index, value] of ys.entries()) {
    const x = xs[index];
    if (value === undefined || x === undefined || !Number.isFinite(value)) {
      open = false;
      continue;
    }
    path += `${open ? "L" : "M"}${box.x(x).toFixed(1)} ${box.y(value).toFixed(1)}`;
    open = true;
  }
  return path;
}

/** A range around values with some room; a single value gets a stretch of its own. */
export function rangeOf(values: readonly (number | undefined)[], room = 0.06, least = 0): Range | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === undefined || !Number.isFinite(value)) continue;
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (!(from <= to)) return undefined;
  const span = Math.max(to - from, least, Math.abs(to) * 1e-3, 1e-9);
  const middle = (from + to) / 2;
  return { from: middle - span * (0.5 + room), to: middle + span * (0.5 + room) };
}
