import { runDesktopBench } from "../../main/app/desktop.ts";

// Entry of the utility process. Plain Node but for the port to its parent.
const at = process.argv.indexOf("--runs");
runDesktopBench(process.parentPort, process.argv[at + 1] ?? "runs");
