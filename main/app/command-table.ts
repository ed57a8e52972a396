import type { Command } from "commander";

/** A command whose code is loaded when it is called, so that `caustic --help` stays quick. */
export interface LazyCommand {
  readonly name: string;
  /** One line in the list of `caustic --help`. */
  readonly summary: string;
  /** Loads the module and returns the function that adds the command to the program. */
  readonly load: () => Promise<(program: Command) => void>;
}

/** Every command, in the order of the help. A new one is a file in `commands/` and a line here. */
export const COMMANDS: readonly LazyCommand[] = [
  {
    name: "open",
    summary: "the desktop window, or the same as a page",
    load: async () => (await import("./commands/open.ts")).registerOpen,
  },
  {
    name: "measure",
    summary: "one whole M² run",
    load: async () => (await import("./commands/measure.ts")).registerMeasure,
  },
  {
    name: "analyze",
    summary: "beam widths of image files",
    load: async () => (await import("./commands/analyze.ts")).registerAnalyze,
  },
  {
    name: "fit",
    summary: "M² from a table of widths along the beam",
    load: async () => (await import("./commands/fit.ts")).registerFit,
  },
  {
    name: "simulate",
    summary: "frames of the simulated camera, as a file",
    load: async () => (await import("./commands/simulate.ts")).registerSimulate,
  },
  {
    name: "plan",
    summary: "freeze an evaluation plan, or check it against its freeze",
    load: async () => (await import("./commands/plan.ts")).registerPlan,
  },
  {
    name: "eval",
    summary: "runs an evaluation plan, resumes what is there",
    load: async () => (await import("./commands/eval.ts")).registerEval,
  },
  {
    name: "ladder",
    summary: "the tool ladder: a request in words, and the calls that must come of it",
    load: async () => (await import("./commands/ladder.ts")).registerLadder,
  },
  {
    name: "questions",
    summary: "puts questions about beams to an agent and grades the answers",
    load: async () => (await import("./commands/questions.ts")).registerQuestions,
  },
  {
    name: "procedures",
    summary: "programs for the bench: run one, test a programmer, make the tasks",
    load: async () => (await import("./commands/procedures.ts")).registerProcedures,
  },
  {
    name: "report",
    summary: "makes the report of an evaluation again from its runs",
    load: async () => (await import("./commands/report.ts")).registerReport,
  },
  {
    name: "grade",
    summary: "grades a run again and shows both grades",
    load: async () => (await import("./commands/grade.ts")).registerGrade,
  },
  {
    name: "replay",
    summary: "a kept run step by step, or run again and compared",
    load: async () => (await import("./commands/replay.ts")).registerReplay,
  },
  {
    name: "runs",
    summary: "the kept runs: list, show, export, frames",
    load: async () => (await import("./commands/runs.ts")).registerRuns,
  },
  {
    name: "serve",
    summary: "host of a bench on this machine, for agents and the window",
    load: async () => (await import("./commands/serve.ts")).registerServe,
  },
  {
    name: "mcp",
    summary: "an MCP server on stdin and stdout",
    load: async () => (await import("./commands/mcp.ts")).registerMcp,
  },
  {
    name: "devices",
    summary: "serial ports and cameras found on this machine",
    load: async () => (await import("./commands/devices.ts")).registerDevices,
  },
  {
    name: "emulate",
    summary: "an emulated stage controller that speaks its maker's protocol",
    load: async () => (await import("./commands/emulate.ts")).registerEmulate,
  },
  {
    name: "bench",
    summary: "how fast the parts of Caustic are on this machine",
    load: async () => (await import("./commands/bench.ts")).registerBench,
  },
  {
    name: "doctor",
    summary: "what works on this machine and what is missing",
    load: async () => (await import("./commands/doctor.ts")).registerDoctor,
  },
];

/** What `caustic` without arguments means, where it is on offer. */
export const DEFAULT_COMMAND = "open";
