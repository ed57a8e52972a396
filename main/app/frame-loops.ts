import type { MomentKernel } from "../analysis/kernel.ts";
import { loadNativeReadout } from "../../simulators/kernel/native-readout.ts";
import type { ReadoutLoop } from "../../simulators/world/exposure.ts";
import { chooseKernel } from "./choose-kernel.ts";

/** The fastest loops of this machine over the pixels: to measure a frame, and to simulate one. They change no bit of a result. */
export function fastestFrameLoops(): { readonly kernel: MomentKernel; readonly readOut?: ReadoutLoop } {
  return { kernel: chooseKernel().kernel, ...fastestReadout() };
}

/** The compiled readout of the simulated sensor, where it is built. */
export function fastestReadout(): { readonly readOut?: ReadoutLoop } {
  const readOut = loadNativeReadout();
  return readOut === undefined ? {} : { readOut };
}
