import type { FrameMemory } from "../../drivers/protocol/frame-memory.ts";
import type { Sensor } from "../world/sensor.ts";
import type { World, WorldExposure } from "../world/world.ts";
import { FramePool } from "./frame-pool.ts";

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

/** Room for a hundred frames of the usual sensor, or for six of the largest. */
const MOST_FREE_BYTES = 64 * 2 ** 20;
/** One for all worlds of this thread: the next run goes on in the memory of the one before. */
const pool = new FramePool(MOST_FREE_BYTES);

/** The world in this very thread. The memory of its frames is used again. */
export function worldHere(world: World): WorldPort {
  const pixels = world.sensor.width_px * world.sensor.height_px;
  return {
    sensor: world.sensor,
    expose(exposure) {
      const exposed = pool.take(pixels);
      world.expose(exposure, exposed.samples);
      return exposed;
    },
    close: () => undefined,
  };
}
