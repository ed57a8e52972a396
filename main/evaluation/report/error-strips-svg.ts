import type { EvaluationRow } from "../../contract/evaluation-row.ts";
import { percent } from "./figures-text.ts";

const WIDTH = 640;
const LEFT = 130;
const RIGHT = 60;
const ROW = 34;
const TOP = 22;
/** Errors beyond are counted at the edge. */
const RANGE = 0.06;

const short = (value: number): string => Number(value.toFixed(1)).toString();

function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** Signed M² errors of every graded run and axis, one strip a contender: marks, median, and the middle 90 %. */
export function errorStripsSvg(rows: readonly EvaluationRow[], contenders: readonly string[]): string {
  const strips = contenders
    .map((contender) => ({
      contender,
      errors: rows
        .filter((row) => row.contender === contender && row.status !== "failed" && row.status !== "not_run")
        .flatMap((row) => [row.m2_error_x, row.m2_error_y].filter((error) => error !== undefined))
        .sort((a, b) => a - b),
    }))
    .filter(({ errors }) => errors.length > 0);
  if (strips.length === 0) return "";
  const height = TOP + ROW * strips.length + 8;
  const px = (error: number): number =>
    LEFT + ((Math.max(-RANGE, Math.min(RANGE, error)) + RANGE) / (2 * RANGE)) * (WIDTH - LEFT - RIGHT);
  const grid = [-RANGE, -0.03, 0, 0.03, RANGE]
    .map(
      (error) =>
        `<path class="${error === 0 ? "frame" : "grid"}" d="M${short(px(error))} ${TOP - 4}V${height - 6}"/><text x="${short(px(error))}" y="12" text-anchor="middle">${percent(error, 0)}</text>`,
    )
    .join("");
  const body = strips
    .map(({ contender, errors }, place) => {
      const y = TOP + ROW * place + ROW / 2;
      const inside = errors.filter((error) => Math.abs(error) <= RANGE);
      const beyond = errors.length - inside.length;
      const marks = inside
        .map(
          (error, i) => `<circle class="x" cx="${short(px(error))}" cy="${short(y + ((i % 5) - 2) * 3.2)}" r="1.8"/>`,
        )
        .join("");
      const low = px(quantile(errors, 0.05));
      const high = px(quantile(errors, 0.95));
      const middle = px(quantile(errors, 0.5));
      return [
        `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${contender} (${errors.length})</text>`,
        marks,
        `<path class="span" d="M${short(low)} ${y}H${short(high)}"/><path class="median" d="M${short(middle)} ${y - 10}V${y + 10}"/>`,
        beyond === 0 ? "" : `<text x="${WIDTH - RIGHT + 6}" y="${y + 4}">${beyond} beyond</text>`,
      ].join("");
    })
    .join("");
  return `<svg class="strips" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="M² errors by contender">${grid}${body}</svg>`;
}
