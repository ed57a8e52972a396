import { servePrograms } from "../../evaluation/procedures/serve-programs.ts";
import { simulatorEngine } from "../../evaluation/procedures/simulator-engine.ts";
import { chooseKernel } from "../choose-kernel.ts";

const { kernel } = chooseKernel();
servePrograms([simulatorEngine(kernel)]);
