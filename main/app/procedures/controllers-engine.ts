import { setImmediate } from "node:timers/promises";
import { openPiGcs2Stage } from "../../../drivers/instruments/pi-gcs2/stage.ts";
import { openThorlabsAptStage } from "../../../drivers/instruments/thorlabs-apt/stage.ts";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import type { ByteLink } from "../../../drivers/transport/byte-link.ts";
import type { ControlledStage } from "../../../drivers/transport/controlled-stage.ts";
import { MemoryLink } from "../../../drivers/transport/memory-link.ts";
import type { StageOptions } from "../../../drivers/transport/stage-options.ts";
import { SimulatedCamera } from "../../../simulators/instruments/camera.ts";
import { worldHere } from "../../../simulators/instruments/world-port.ts";
import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { SimulatedShutter } from "../../../simulators/instruments/shutter.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { WAVELENGTH_nm } from "../../../simulators/world/truth.ts";
import { World } from "../../../simulators/world/world.ts";
import { createCanary } from "../../bench/canary.ts";
import { createBenchSession } from "../../bench/session.ts";
import { type BenchSessionOptions } from "../../bench/bench-session.ts";
import type { ProcedureEngine } from "../../evaluation/procedures/engine.ts";
import { scenarioOf } from "../../evaluation/procedures/simulator-engine.ts";
import { pictureKey, stillClock } from "../../evaluation/simulated-run.ts";
import { newRunHandle } from "../../mcp/run-handle.ts";
import { EMULATED_CONTROLLERS } from "../emulation.ts";

type OpenStage = (link: ByteLink, clock: Clock, options: StageOptions) => Promise<ControlledStage>;

/** Controllers whose stages are long enough for the tasks, each behind the driver that would speak to a real one. */
const CONTROLLERS: readonly { readonly name: string; readonly open: OpenStage }[] = [
  { name: "pi-gcs2", open: openPiGcs2Stage },
  {
    name: "thorlabs-lts300",
    open: (link, clock, options) => openThorlabsAptStage(link, clock, { ...options, stage: "LTS300" }),
  },
];

/** The simulated bench's travel: the programs of the tasks are written for it. */
const TRAVEL_MM = { softMin_mm: 0, softMax_mm: 250 };
/** What the makers state for stages of this kind. */
const U_Z_MM = 0.005;

/**
 * Stage drivers as on a real bench, over controllers that speak their makers' protocols byte by byte; camera and light are simulated. Which
 * controller moves the stage follows from the seed. A fresh controller is switched on and homed for every program.
 */
export function controllersEngine(kernel?: BenchSessionOptions["kernel"]): ProcedureEngine {
  return {
    name: "controllers",
    async open(world) {
      const scenario = scenarioOf(world);
      const clock = new SimulatedClock(() => setImmediate());
      const kind = CONTROLLERS[world.seed % CONTROLLERS.length];
      const make = kind && EMULATED_CONTROLLERS[kind.name];
      if (kind === undefined || make === undefined) throw new RangeError("no controller for the stage");
      const controller = make(clock);
      const retired = new AbortController();
      controller.retireWith(retired.signal);
      const stage = await kind.open(new MemoryLink(kind.name, controller), clock, TRAVEL_MM);
      await stage.home();
      const shutter = new SimulatedShutter(clock);
      const camera = new SimulatedCamera(worldHere(new World(scenario, createSensor(), world.seed)), clock, {
        position_mm: () => controller.position_mm(),
        beamBlocked: () => !shutter.isOpen,
      });
      const session = await createBenchSession({
        bench: "bench-1",
        instruments: { stage, camera, shutter },
        wavelength_nm: WAVELENGTH_nm,
        clock,
        hostClock: stillClock,
        simulated: true,
        uZ_mm: U_Z_MM,
        journal: { append: () => undefined },
        newHandle: newRunHandle,
        canary: createCanary(pictureKey(world.seed)),
        ...(kernel === undefined ? {} : { kernel }),
      });
      return {
        session,
        now_ms: () => clock.now_ms(),
        async close() {
          await session.close("finished");
          await stage.close();
          retired.abort();
        },
      };
    },
  };
}
