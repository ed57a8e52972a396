import type { MomentKernel } from "../analysis/kernel.ts";
import { typescriptKernel } from "../analysis/typescript-kernel.ts";
import { loadNativeKernel } from "../kernel/native-kernel.ts";

/** The fastest kernel of this machine, and why it is not the native one where it is not. */
export interface KernelChoice {
  readonly kernel: MomentKernel;
  readonly missing?: string;
}

/** Both kernels give the same numbers to the last bit, so the choice is one of speed alone. */
export function chooseKernel(): KernelChoice {
  const native = loadNativeKernel();
  return native.loaded ? { kernel: native.kernel } : { kernel: typescriptKernel, missing: native.detail };
}
