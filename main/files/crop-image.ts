import { FileError } from "./file-error.ts";
import type { ImageFile } from "./read-image.ts";

/** A rectangle of whole pixels, from its left and upper corner. */
export interface PixelRectangle {
  readonly x_px: number;
  readonly y_px: number;
  readonly width_px: number;
  readonly height_px: number;
}

/** The part of row-major samples inside the rectangle, which must lie inside the image. */
function cropped<Samples extends Uint16Array | Float32Array>(
  samples: Samples,
  imageWidth: number,
  { x_px, y_px, width_px, height_px }: PixelRectangle,
): Samples {
  const result = samples.slice(0, width_px * height_px) as Samples;
  for (let row = 0; row < height_px; row++) {
    const start = (y_px + row) * imageWidth + x_px;
    result.set(samples.subarray(start, start + width_px), row * width_px);
  }
  return result;
}

/**
 * Cuts an image and its dark to a rectangle; pixels of the result count from its own corner.
 *
 * @throws FileError when the rectangle does not lie inside the image.
 */
export function cropImage(
  image: ImageFile,
  dark: Float32Array | undefined,
  rectangle: PixelRectangle,
): { readonly image: ImageFile; readonly dark: Float32Array | undefined } {
  const { x_px, y_px, width_px, height_px } = rectangle;
  if (x_px + width_px > image.width_px || y_px + height_px > image.height_px) {
    throw new FileError(
      image.path,
      `the crop ${x_px},${y_px},${width_px},${height_px} leaves the image; expected it inside ${image.width_px} × ${image.height_px} pixels`,
    );
  }
  return {
    image: { ...image, width_px, height_px, samples: cropped(image.samples, image.width_px, rectangle) },
    dark: dark && cropped(dark, image.width_px, rectangle),
  };
}
