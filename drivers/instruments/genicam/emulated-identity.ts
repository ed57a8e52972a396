/** How the emulated camera names itself on the network; frames of it are marked as simulated. */
export const EMULATED_VENDOR = "Caustic";
export const EMULATED_MODEL = "Emulated camera";

/** True for cameras that no photon reaches: the emulated one, and those that libaravis makes up. */
export function isEmulated(vendor: string, model: string): boolean {
  return vendor === EMULATED_VENDOR || (vendor === "Aravis" && model === "Fake");
}
