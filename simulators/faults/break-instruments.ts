import type { BeamCamera } from "../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Stage } from "../../drivers/protocol/stage.ts";
import { FaultyCamera } from "./faulty-camera.ts";
import { FaultyStage } from "./faulty-stage.ts";
import type { CameraFault, InstrumentFault, StageFault } from "./instrument-fault.ts";

const isStageFault = (fault: InstrumentFault): fault is StageFault => fault.kind.startsWith("stage_");
const isCameraFault = (fault: InstrumentFault): fault is CameraFault => !isStageFault(fault);

/** The same bench with faults of its instruments; whatever has no fault is passed on as it is. */
export function breakInstruments<Bench extends { readonly stage: Stage; readonly camera: BeamCamera }>(
  bench: Bench,
  faults: readonly InstrumentFault[],
  seed: number,
  clock: Clock,
): Bench {
  const stageFaults = faults.filter(isStageFault);
  const cameraFaults = faults.filter(isCameraFault);
  return {
    ...bench,
    stage: stageFaults.length === 0 ? bench.stage : new FaultyStage(bench.stage, clock, stageFaults, seed),
    camera: cameraFaults.length === 0 ? bench.camera : new FaultyCamera(bench.camera, clock, cameraFaults, seed),
  };
}
