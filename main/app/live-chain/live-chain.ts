import type { OpenWorld } from "../../../simulators/instruments/simulated-bench.ts";
import type { FrameRoom } from "../../../drivers/protocol/frame-memory.ts";
import { FrameRing } from "./frame-ring.ts";
import type { FrameTasks } from "./frame-tasks.ts";
import type { FrameRequest } from "./frame-worker.ts";
import { workerFrameTasks } from "./worker-frame-tasks.ts";
import { WorkerLine } from "./worker-line.ts";
import { workerModule } from "./worker-module.ts";
import type { WorldData, WorldRequest } from "./world-worker.ts";
import { type FrameCounts, WorkerWorld } from "./worker-world.ts";

/** Slots of a ring: the frames of a dark as it is usually taken, and some for those who look. */
const SLOTS = 24;

/** Where the frames of an interactive host are made and looked at: in threads of their own, over memory that all of them see. */
export interface LiveChain {
  readonly tasks: FrameTasks;
  readonly openWorld: OpenWorld;
  /** Shared memory for the frames of one real camera, a ring of it for each size; where none of it is free, memory beside it. */
  readonly openRoom: () => (pixels: number) => FrameRoom;
  /** Of all benches so far. */
  counts(): Readonly<FrameCounts>;
  close(): Promise<void>;
}

/** Starts the thread that looks at frames. Every light path that is opened gets a thread of its own. */
export function startLiveChain({ slots = SLOTS }: { readonly slots?: number } = {}): LiveChain {
  const line = new WorkerLine<FrameRequest, unknown>({
    name: "the worker that analyses frames",
    module: workerModule("frame-worker"),
  });
  line.start();
  const counts: FrameCounts = { made: 0, dropped: 0, besideRing: 0 };
  const worlds = new Set<WorkerWorld>();
  return {
    tasks: workerFrameTasks(line),
    openWorld(scenario, sensor, seed) {
      const data: WorldData = { scenario, sensor, seed };
      const name = "the worker that exposes frames";
      const line = new WorkerLine<WorldRequest, undefined>({ name, module: workerModule("world-worker"), data });
      const world = new WorkerWorld(sensor, line, slots, counts);
      worlds.add(world);
      return {
        sensor,
        expose: (exposure) => world.expose(exposure),
        close() {
          // What is closed takes its ring along.
          worlds.delete(world);
          world.close();
        },
      };
    },
    openRoom() {
      const rings = new Map<number, FrameRing>();
      return (pixels) => {
        const ring = rings.get(pixels) ?? new FrameRing(pixels, slots);
        rings.set(pixels, ring);
        counts.made += 1;
        const room = ring.take();
        if (room === undefined) counts.besideRing += 1;
        return room ?? ring.beside();
      };
    },
    counts: () => ({ ...counts }),
    async close() {
      for (const world of worlds) world.close();
      await line.close();
    },
  };
}
