import type { BlockMap } from "./block-map.ts";
import type { FlagList } from "./frame-flags.ts";
import type { Pass } from "./settle-area.ts";

export function raiseStructureFindings(
  _list: FlagList,
  _facts: { pass: Pass; map: BlockMap; peak_counts: number; pixelVariance: number },
): void {}
