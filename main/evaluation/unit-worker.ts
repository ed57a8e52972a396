import { serveUnits } from "./serve-units.ts";

// A worker with the kernel that is always there.
serveUnits();
