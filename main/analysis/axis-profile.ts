/** A frame as a profile needs it. */
interface ProfileFrame {
  readonly samples: Uint16Array;
  readonly width_px: number;
  readonly height_px: number;
  readonly pixelPitch_um: number;
}

/** A straight line through the frame; the angle is that of the screen, counter-clockwise from the rows. */
interface ProfileLine {
  readonly centreX_px: number;
  readonly centreY_px: number;
  readonly angle_deg: number;
  /** To both sides of the centre. */
  readonly halfLength_px: number;
}

/** A Gaussian over a level offset. */
export interface GaussianFit {
  readonly amplitude_counts: number;
  /** From the centre of the line. */
  readonly centre_um: number;
  /** Full width at 1/e² of the curve, which for a Gaussian is d4σ. */
  readonly d_um: number;
  readonly offset_counts: number;
  /** Root mean square of the misfit over the amplitude: 0 for a Gaussian without noise. */
  readonly misfit: number;
}

export interface LineProfile {
  readonly from_um: number;
  readonly step_um: number;
  /** Mean of three neighbouring lines; places outside the sensor are left out at both ends. */
  readonly counts: readonly number[];
  /** Absent where no Gaussian fits the counts. */
  readonly gaussian?: GaussianFit;
}

const MOST_POINTS = 161;
const FEWEST_POINTS = 8;
const PASSES = 12;

/**
 * Counts along a line and the Gaussian that fits them best. For the eye: results are second moments over the whole frame,
 * and a good fit says how near to a Gaussian the beam is.
 */
export function lineProfile(frame: ProfileFrame, line: ProfileLine): LineProfile {
  const angle_rad = (line.angle_deg * Math.PI) / 180;
  const alongX = Math.cos(angle_rad);
  const alongY = -Math.sin(angle_rad);
  const points = Math.max(FEWEST_POINTS, Math.min(MOST_POINTS, 2 * Math.ceil(line.halfLength_px) + 1));
  const step_px = (2 * line.halfLength_px) / (points - 1);
  const counts: number[] = [];
  let first: number | undefined;
  for (let index = 0; index < points; index++) {
    const distance = -line.halfLength_px + index * step_px;
    const x = line.centreX_px + distance * alongX;
    const y = line.centreY_px + distance * alongY;
    let sum = 0;
    let lines = 0;
    for (let beside = -1; beside <= 1; beside++) {
      const value = interpolated(frame, x - beside * alongY, y + beside * alongX);
      if (value === undefined) continue;
      sum += value;
      lines++;
    }
    if (lines === 0) continue;
    first ??= distance;
    counts.push(sum / lines);
  }
  const from_um = (first ?? 0) * frame.pixelPitch_um;
  const step_um = step_px * frame.pixelPitch_um;
  const gaussian = fitGaussian(counts, from_um, step_um);
  return { from_um, step_um, counts, ...(gaussian === undefined ? {} : { gaussian }) };
}

/** Bilinear between the four nearest pixels; undefined outside the sensor. */
function interpolated(frame: ProfileFrame, x_px: number, y_px: number): number | undefined {
  const column = Math.floor(x_px);
  const row = Math.floor(y_px);
  if (column < 0 || row < 0 || column + 1 >= frame.width_px || row + 1 >= frame.height_px) return undefined;
  const at = row * frame.width_px + column;
  const right = x_px - column;
  const down = y_px - row;
  const { samples, width_px } = frame;
  return (
    (1 - down) * ((1 - right) * (samples[at] as number) + right * (samples[at + 1] as number)) +
    down * ((1 - right) * (samples[at + width_px] as number) + right * (samples[at + width_px + 1] as number))
  );
}

/** Least squares over amplitude, centre, width and offset: Gauss–Newton with damping, started from the moments of the profile. */
function fitGaussian(counts: readonly number[], from_um: number, step_um: number): GaussianFit | undefined {
  if (counts.length < FEWEST_POINTS) return undefined;
  const sorted = [...counts].sort((a, b) => a - b);
  let offset = sorted[Math.floor(counts.length * 0.1)] as number;
  let amplitude = (sorted[counts.length - 1] as number) - offset;
  if (!(amplitude > 0)) return undefined;
  // In units of the step, so that the normal equations are well scaled.
  let weight = 0;
  let centre = 0;
  for (const [index, value] of counts.entries()) {
    const light = Math.max(0, value - offset - 0.1 * amplitude);
    weight += light;
    centre += light * index;
  }
  if (!(weight > 0)) return undefined;
  centre /= weight;
  let variance = 0;
  for (const [index, value] of counts.entries()) {
    variance += Math.max(0, value - offset - 0.1 * amplitude) * (index - centre) ** 2;
  }
  let sigma = Math.sqrt(Math.max(variance / weight, 0.25));
  let damping = 1e-3;
  let squares = misfitSquares(counts, amplitude, centre, sigma, offset);
  for (let pass = 0; pass < PASSES; pass++) {
    const normal = new Float64Array(20);
    for (const [index, value] of counts.entries()) {
      const u = (index - centre) / sigma;
      const bell = Math.exp(-0.5 * u * u);
      const slope = [bell, (amplitude * bell * u) / sigma, (amplitude * bell * u * u) / sigma, 1];
      const residual = value - amplitude * bell - offset;
      for (let row = 0; row < 4; row++) {
        const left = slope[row] as number;
        for (let column = 0; column < 4; column++) {
          normal[row * 5 + column] = (normal[row * 5 + column] as number) + left * (slope[column] as number);
        }
        normal[row * 5 + 4] = (normal[row * 5 + 4] as number) + left * residual;
      }
    }
    for (let row = 0; row < 4; row++) normal[row * 6] = (normal[row * 6] as number) * (1 + damping);
    const step = solve4(normal);
    if (step === undefined) return undefined;
    const [dAmplitude, dCentre, dSigma, dOffset] = step;
    const trial = misfitSquares(counts, amplitude + dAmplitude, centre + dCentre, sigma + dSigma, offset + dOffset);
    if (trial <= squares && sigma + dSigma > 0.1) {
      amplitude += dAmplitude;
      centre += dCentre;
      sigma += dSigma;
      offset += dOffset;
      damping *= 0.2;
      const settled = squares - trial <= 1e-9 * squares;
      squares = trial;
      if (settled) break;
    } else damping *= 10;
  }
  if (!(amplitude > 0) || !Number.isFinite(sigma) || sigma > 4 * counts.length) return undefined;
  return {
    amplitude_counts: amplitude,
    centre_um: from_um + centre * step_um,
    d_um: 4 * sigma * step_um,
    offset_counts: offset,
    misfit: Math.sqrt(squares / counts.length) / amplitude,
  };
}

function misfitSquares(
  counts: readonly number[],
  amplitude: number,
  centre: number,
  sigma: number,
  offset: number,
): number {
  let sum = 0;
  for (const [index, value] of counts.entries()) {
    const u = (index - centre) / sigma;
    sum += (value - amplitude * Math.exp(-0.5 * u * u) - offset) ** 2;
  }
  return sum;
}

/** Gaussian elimination of a 4 × 5 system, rows one after the other; undefined when singular. */
function solve4(m: Float64Array): [number, number, number, number] | undefined {
  const at = (row: number, column: number): number => m[row * 5 + column] as number;
  for (let pivot = 0; pivot < 4; pivot++) {
    let best = pivot;
    for (let row = pivot + 1; row < 4; row++) if (Math.abs(at(row, pivot)) > Math.abs(at(best, pivot))) best = row;
    if (!(Math.abs(at(best, pivot)) > 1e-12)) return undefined;
    for (let column = 0; column < 5; column++) {
      const kept = at(pivot, column);
      m[pivot * 5 + column] = at(best, column);
      m[best * 5 + column] = kept;
    }
    for (let row = 0; row < 4; row++) {
      if (row === pivot) continue;
      const factor = at(row, pivot) / at(pivot, pivot);
      for (let column = pivot; column < 5; column++) m[row * 5 + column] = at(row, column) - factor * at(pivot, column);
    }
  }
  return [at(0, 4) / at(0, 0), at(1, 4) / at(1, 1), at(2, 4) / at(2, 2), at(3, 4) / at(3, 3)];
}
