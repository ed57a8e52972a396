/**
 * The largest count of every block of `reduction` × `reduction` pixels, row-major; blocks at the right and lower edge may be smaller. A
 * bright spot of one pixel and saturation are still there.
 */
export function reduceFrame(samples: Uint16Array, width_px: number, height_px: number, reduction: number): Uint16Array {
  const width = Math.ceil(width_px / reduction);
  const height = Math.ceil(height_px / reduction);
  const reduced = new Uint16Array(width * height);
  for (let row = 0; row < height_px; row++) {
    const into = Math.floor(row / reduction) * width;
    let at = row * width_px;
    for (let block = 0; block < width; block++) {
      const end = Math.min(at + reduction, (row + 1) * width_px);
      let most = reduced[into + block] as number;
      for (; at < end; at++) {
        const value = samples[at] as number;
        if (value > most) most = value;
      }
      reduced[into + block] = most;
    }
  }
  return reduced;
}
