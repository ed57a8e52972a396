import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { fitTime, SIZES, widthTimes } from "../benchmark/analysis-times.ts";
import { frameTimes, scriptedRunTimes, startTimes, toolCallTimes } from "../benchmark/bench-times.ts";
import { type Comparison, compareReports } from "../benchmark/compare.ts";
import { evaluationTimes } from "../benchmark/evaluation-times.ts";
import { liveTimes } from "../benchmark/live-times.ts";
import { type BenchReport, benchReportSchema, type Entry } from "../benchmark/entry.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { numberOption } from "../option-values.ts";
import { programVersion } from "../program-version.ts";
import { ProgressBar, printJson, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

const GROUPS = ["widths", "fit", "frames", "run", "calls", "start", "live", "evaluation"] as const;
type Group = (typeof GROUPS)[number];
/** It takes minutes, so it has to be asked for. */
const USUAL_GROUPS = GROUPS.filter((group) => group !== "evaluation");
const EVALUATION_ROUNDS = 3;
/** Rounds that stand for a second of live frames. */
const LIVE_ROUNDS_PER_S = 2;

interface BenchOptions {
  readonly rounds: number;
  readonly only: readonly Group[];
  readonly baseline?: string;
  readonly json?: true;
}

const EXAMPLE = `
Groups: widths (frame → widths with and without a dark at three sizes, by either kernel, beside a copy of the frame), fit, frames
(simulated ones), run (a scripted M² run), calls (tools), start, live (simulated frames at 30/s to a page's socket: latency, losses, delay of
the host's event loop), evaluation (three whole evaluations of groups A to C; minutes, so only with --only). What is compared runs in turn, so that other work on the machine
falls on both; ratios are those of the fastest runs. Half of all runs lie between the quartiles. "slower" and "faster" need 10 % and more and quartiles that do not
overlap. A slower machine is no failure: the exit status is 0.

Example:
  $ caustic bench
  $ caustic bench --json > before.json
  $ caustic bench --baseline before.json --only widths,calls`;

export function registerBench(program: Command): void {
  program
    .command("bench")
    .description("how fast the parts of Caustic are on this machine")
    .option("--rounds <N>", "runs of each piece of work", numberOption({ least: 3, most: 10_000, whole: true }), 30)
    .option("--only <groups>", `some of ${GROUPS.join(",")}`, parseGroups, [...USUAL_GROUPS])
    .option("--baseline <file>", "compare with what --json printed before")
    .option("--json", "print the report as JSON")
    .addHelpText("after", EXAMPLE)
    .action(bench);
}

async function bench(options: BenchOptions): Promise<void> {
  const baseline = options.baseline === undefined ? undefined : readBaseline(options.baseline);
  const { kernel } = chooseKernel();
  const entries = await measure(options);
  const report: BenchReport = {
    version: programVersion(),
    node: process.version,
    processor: cpus()[0]?.model ?? "unknown",
    load_per_core: (loadavg()[0] ?? 0) / Math.max(1, cpus().length),
    kernel: kernel.name,
    entries,
  };
  const comparison = baseline === undefined ? [] : compareReports(report, baseline);
  if (options.json) printJson(baseline === undefined ? report : { ...report, comparison });
  else printResult(asText(report, comparison));
}

async function measure({ rounds, only }: BenchOptions): Promise<Entry[]> {
  const few = Math.max(3, Math.ceil(rounds / 6));
  const steps: { readonly group: Group; readonly work: () => Promise<Entry | Entry[]> }[] = [
    ...SIZES.map((size) => ({ group: "widths" as const, work: () => widthTimes(size, rounds) })),
    { group: "fit", work: () => fitTime(10 * rounds) },
    { group: "frames", work: () => frameTimes("640x480", rounds) },
    { group: "frames", work: () => frameTimes("2448x2048", few) },
    { group: "run", work: () => scriptedRunTimes(few) },
    { group: "calls", work: () => toolCallTimes(20 * rounds) },
    { group: "start", work: () => startTimes(few) },
    { group: "live", work: () => liveTimes("640x480", rounds / LIVE_ROUNDS_PER_S) },
    { group: "live", work: () => liveTimes("2448x2048", rounds / LIVE_ROUNDS_PER_S) },
    { group: "evaluation", work: () => evaluationTimes(EVALUATION_ROUNDS) },
  ];
  const chosen = steps.filter(({ group }) => only.includes(group));
  const bar = new ProgressBar("timing");
  const entries: Entry[] = [];
  try {
    for (const [index, { group, work }] of chosen.entries()) {
      bar.show(index / chosen.length, group);
      entries.push(...[await work()].flat());
    }
  } finally {
    bar.end();
  }
  return entries;
}

function readBaseline(path: string): BenchReport {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(
      `--baseline ${path}: cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
  try {
    return benchReportSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`--baseline ${path}: not a report; expected what caustic bench --json prints`);
  }
}

function parseGroups(text: string): Group[] {
  return text.split(",").map((name) => {
    const group = GROUPS.find((known) => known === name.trim());
    if (group === undefined) throw new InvalidArgumentError(`Expected some of ${GROUPS.join(",")}`);
    return group;
  });
}

function asText(report: BenchReport, comparison: readonly Comparison[]): string {
  const compared = new Map(comparison.map((entry) => [entry.name, entry]));
  const width = Math.max(44, ...report.entries.map(({ name }) => name.length + 2));
  const lines = [
    `Node ${report.node} on ${report.processor}, ${report.load_per_core.toFixed(1)} processes per core, kernel: ${report.kernel}`,
    "",
    `${"".padEnd(width)}${"least".padStart(10)}${"median".padStart(10)}${"quartiles".padStart(20)}${"p99".padStart(10)}`,
  ];
  for (const { name, timing, ratio, figures } of report.entries) {
    const quartiles = `${time(timing.lower_quartile_ms)} – ${time(timing.upper_quartile_ms)}`;
    const beside = ratio === undefined ? "" : `   ${ratio.value.toPrecision(3)} × ${ratio.to}`;
    const change = compared.get(name);
    const then = change === undefined ? "" : `   ${change.factor.toFixed(2)} × before, ${change.verdict}`;
    lines.push(
      `${name.padEnd(width)}${time(timing.least_ms).padStart(10)}${time(timing.median_ms).padStart(10)}${quartiles.padStart(20)}${time(timing.p99_ms).padStart(10)}${beside}${then}`,
    );
    if (figures !== undefined) {
      const facts = Object.entries(figures).map(([key, value]) => `${key} ${Number(value.toPrecision(3))}`);
      lines.push(`  ${facts.join(", ")}`);
    }
  }
  lines.push("", "Times in ms.");
  return lines.join("\n");
}

const time = (value_ms: number): string => (value_ms >= 100 ? value_ms.toFixed(0) : value_ms.toPrecision(3));
