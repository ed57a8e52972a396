/** How the picture of a camera lies on the bench: mirrored first, then rows and columns exchanged. */
export interface FrameOrientation {
  readonly mirrorColumns?: boolean;
  readonly mirrorRows?: boolean;
  readonly transpose?: boolean;
}

/** Size of a frame after it has been turned. */
export function orientedSize(
  { width, height }: { readonly width: number; readonly height: number },
  { transpose = false }: FrameOrientation,
): { readonly width: number; readonly height: number } {
  return transpose ? { width: height, height: width } : { width, height };
}

/** Whether frames come as they lie on the bench. */
export const isUpright = ({
  mirrorColumns = false,
  mirrorRows = false,
  transpose = false,
}: FrameOrientation): boolean => !mirrorColumns && !mirrorRows && !transpose;

/** Turns row-major samples of a frame `width` pixels wide, into `turned` where that is given. The given array is left as it is. */
export function orient(
  samples: Uint16Array,
  width: number,
  orientation: FrameOrientation,
  turned: Uint16Array = new Uint16Array(isUpright(orientation) ? 0 : samples.length),
): Uint16Array {
  if (isUpright(orientation)) return samples;
  const { mirrorColumns = false, mirrorRows = false, transpose = false } = orientation;
  const height = samples.length / width;
  for (let row = 0; row < height; row++) {
    const toRow = mirrorRows ? height - 1 - row : row;
    for (let column = 0; column < width; column++) {
      const toColumn = mirrorColumns ? width - 1 - column : column;
      turned[transpose ? toColumn * height + toRow : toRow * width + toColumn] = samples[row * width + column] ?? 0;
    }
  }
  return turned;
}
