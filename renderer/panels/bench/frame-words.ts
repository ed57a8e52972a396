import type { Dark } from "../../../main/contract/tools.ts";
import type { FrameHeader } from "../../../main/contract/window-frame.ts";

/** Which frame the numbers are of, and what was not subtracted from it: no dark is, but one may have been taken. */
export function frameWords(
  { purpose, exposure_ms }: Pick<FrameHeader, "purpose" | "exposure_ms">,
  darks: readonly Pick<Dark, "dark" | "exposure_ms">[],
): string {
  if (purpose === "measurement") return "one raw frame of a measurement";
  const dark = darks.findLast((one) => Math.abs(one.exposure_ms / exposure_ms - 1) < 1e-6);
  return dark === undefined ? "live, no dark at this exposure" : `live, before ${dark.dark} is subtracted`;
}
