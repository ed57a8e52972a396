import type { BlockMap } from "./block-map.ts";
import type { IsoBackground } from "./iso-background.ts";
import type { KernelFrame, MomentKernel } from "./kernel.ts";
import type { BackgroundEstimate, Pass } from "./settle-area.ts";

export interface IsoSpread {
  readonly x_px: number;
  readonly y_px: number;
  readonly unstable?: string;
}

export function isoSpread(
  _frames: readonly KernelFrame[],
  _kernel: MomentKernel,
  _pass: Pass,
  _iso: IsoBackground,
  _shape: "level" | "plane",
  _flat: BackgroundEstimate,
  _map: BlockMap,
): IsoSpread {
  return { x_px: 0, y_px: 0 };
}
