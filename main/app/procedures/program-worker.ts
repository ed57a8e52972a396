import { servePrograms } from "../../evaluation/procedures/serve-programs.ts";
import { simulatorEngine } from "../../evaluation/procedures/simulator-engine.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { controllersEngine } from "./controllers-engine.ts";

const { kernel } = chooseKernel();
servePrograms([simulatorEngine(kernel), controllersEngine(kernel)]);
