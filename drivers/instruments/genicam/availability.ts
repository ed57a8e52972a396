import { InstrumentError } from "../../protocol/instrument-error.ts";
import { loadNativeGenicam, type NativeGenicam } from "./native.ts";

/** Whether cameras can be used on this machine. */
export type GenicamAvailability =
  | { readonly available: true }
  | {
      readonly available: false;
      readonly reason: "genicam_not_built" | "genicam_not_loadable";
      /** In words. */
      readonly why: string;
      /** The command that mends it. */
      readonly mend: string;
    };

const PACKAGES = "sudo apt-get install g++ make python3 libaravis-dev libusb-1.0-0-dev";

/** Loads the addon the first time. */
export function genicamAvailability(): GenicamAvailability {
  const native = loadNativeGenicam();
  if (native.loaded) return { available: true };
  const { reason } = native;
  return reason === "genicam_not_built"
    ? {
        available: false,
        reason,
        why: "the camera addon is not built: libaravis or a C++ compiler was missing when Caustic was started",
        mend: `${PACKAGES} (then npm start builds it)`,
      }
    : {
        available: false,
        reason,
        why: `the camera addon does not load: ${native.detail}`,
        mend: "sudo apt-get install libaravis-0.8-0, or delete drivers/instruments/genicam/build and run npm start",
      };
}

/** The addon. Throws `unsupported`, with what mends it as the hint, where it is missing. */
export function requireGenicam(): NativeGenicam {
  const native = loadNativeGenicam();
  if (native.loaded) return native.addon;
  const state = genicamAvailability();
  const [why, mend] = state.available ? ["", ""] : [state.why, state.mend];
  throw new InstrumentError("unsupported", "GenICam camera", why, { name: native.reason }, mend);
}
