import { serveUnits } from "../evaluation/serve-units.ts";
import { fastestFrameLoops } from "./frame-loops.ts";

// A worker with the fastest loops of this machine.
serveUnits(fastestFrameLoops());
