import { describe, expect, test } from "vitest";
import { GenicamCamera } from "../../../drivers/instruments/genicam/camera.ts";
import { ScriptedNative } from "../../../drivers/instruments/genicam/scripted-native.ts";
import { scripted } from "../../contenders/scripted.ts";
import { driveBench } from "../../evaluation/drive.ts";
import { type LiveChain, startLiveChain } from "../live-chain/live-chain.ts";
import { offerConfiguredBench } from "./offer-configured-bench.ts";
import { parseBenchFile } from "./read-bench-file.ts";

const FILE = parseBenchFile(
  `bench: chained
wavelength_nm: 632.8
instruments:
  stage: { driver: simulated }
  camera: { driver: simulated, scenario: partial_saturation, seed: 7 }
  shutter: { driver: simulated }
orientation: { flip_x: true }
`,
  "chained.yaml",
);

/** A run by the scripted operator on the bench of the file, as the lines of its journal. */
async function journal(chain?: LiveChain): Promise<string[]> {
  const lines: string[] = [];
  const bench = offerConfiguredBench(FILE, chain === undefined ? {} : { chain });
  const session = await bench.openRun({
    session: {},
    canaryKey: "0123456789abcdef0123456789abcdef",
    journal: { append: (event) => void lines.push(JSON.stringify(event)) },
    frameSink: () => () => undefined,
  });
  await driveBench({ offer: { ...bench, open: async () => session }, contender: scripted });
  await session.close("finished");
  await bench.close();
  return lines;
}

describe("the bench of a file with a live chain", () => {
  test("a run writes the same journal, byte for byte, as in one thread", async () => {
    const chain = startLiveChain();
    try {
      const elsewhere = await journal(chain);
      expect(elsewhere.length).toBeGreaterThan(50);
      expect(chain.counts().made).toBeGreaterThan(50);
      expect(elsewhere).toEqual(await journal());
    } finally {
      await chain.close();
    }
  });

  test("frames of the driver of real cameras come in shared memory with the same counts, and give it back", async () => {
    const chain = startLiveChain({ slots: 1 });
    try {
      for (const orientation of [{}, { transpose: true }]) {
        const frames = [];
        for (const room of [chain.openRoom(), undefined]) {
          const native = new ScriptedNative();
          let counts = 100;
          native.onTrigger = () =>
            native.send(counts++, { stamp_ms: native.now_ms() - 990, at_ms: native.now_ms() + 15 });
          const camera = await GenicamCamera.open(native, {
            address: "S1",
            pixelPitch_um: 5.5,
            pixelFormat: "Mono12",
            orientation,
            clock: native,
            ...(room === undefined ? {} : { room }),
          });
          const label = { purpose: "measurement", acquisition: 0, frame: 0 } as const;
          const first = await camera.acquire({ label });
          const copy = [...first.samples];
          expect(first.samples.buffer instanceof SharedArrayBuffer).toBe(room !== undefined);
          expect(first.memory === undefined).toBe(room === undefined);
          first.memory?.release();
          // The one slot of the ring serves the next frame, and memory beside it the one after.
          const second = await camera.acquire({ label });
          if (room !== undefined) expect(second.samples.buffer).toBe(first.samples.buffer);
          const third = await camera.acquire({ label });
          expect(third.samples.buffer).not.toBe(second.samples.buffer);
          frames.push([copy, [...second.samples], [...third.samples], third.width_px, third.height_px]);
          await camera.close();
        }
        expect(frames[0]).toEqual(frames[1]);
      }
      expect(chain.counts().besideRing).toBe(2);
    } finally {
      await chain.close();
    }
  });
});
