import type { Logger } from "pino";
import type { Frame } from "../../drivers/protocol/frame.ts";
import type { BenchSession } from "../bench/bench-session.ts";
import { type BenchOffer, createBenches } from "../bench/benches.ts";
import { encodeTiff } from "../files/write-image.ts";
import { type BenchServer, createBenchServer } from "../mcp/bench-server.ts";
import { programVersion } from "./program-version.ts";

/** The tools of those benches, as any MCP client gets them. */
export function createDesk(offers: readonly BenchOffer[], log: Pick<Logger, "warn" | "error">): BenchServer {
  return createBenchServer({ benches: createBenches(offers), frameFile, version: programVersion(), log });
}

/** A raw frame as a 16-bit TIFF that says whether photons were involved. */
export function frameFile(frame: Frame, session: BenchSession): Uint8Array {
  return encodeTiff([frame], session.description.pixel_pitch_um, { program: "caustic", simulated: session.simulated });
}
