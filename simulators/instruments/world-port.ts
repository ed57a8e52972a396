import type { FrameMemory } from "../../drivers/protocol/frame-memory.ts";
import type { Sensor } from "../world/sensor.ts";
import type { World, WorldExposure } from "../world/world.ts";

/** The counts of one exposure, and the memory that they lie in where it is used again. */
export interface ExposedSamples {
  readonly samples: Uint16Array;
  readonly memory?: FrameMemory;
}

/** The light path as the camera reaches it, wherever it computes. The same exposure gives the same counts everywhere. */
export interface WorldPort {
  readonly sensor: Sensor;
  /** Throws or rejects with InstrumentError: `frame_lost` where no memory was free, `connection_lost` where what computes ended. */
  expose(exposure: WorldExposure): ExposedSamples | Promise<ExposedSamples>;
  /** Lets go of whatever computes. No exposure follows. */
  close(): void;
}

/** The world in this very thread; every frame has memory of its own. */
export function worldHere(world: World): WorldPort {
  return {
    sensor: world.sensor,
    expose: (exposure) => ({ samples: world.expose(exposure) }),
    close: () => undefined,
  };
}
