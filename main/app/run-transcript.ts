import type { BenchEvent } from "../contract/events.ts";

const number = (value: number | undefined, decimals: number): string =>
  value === undefined ? "?" : value.toFixed(decimals);

/** What happened, in one line for a person; undefined for events that only say again what another one said. */
function line(event: BenchEvent): string | undefined {
  switch (event.type) {
    case "run_opened":
      return `bench ${event.description.bench} opened${event.simulated ? " (simulated)" : ""}`;
    case "tool_called":
      return `${event.caller.name}: ${event.tool}${event.reason === undefined ? "" : ` (${event.reason})`}`;
    case "tool_returned":
      return event.error === undefined ? undefined : `  refused: ${event.error.message}`;
    case "call_rejected":
      return `${event.caller.name}: ${event.tool} was no valid call: ${event.error.message}`;
    case "control_changed":
      return `control: ${event.holder?.name ?? "nobody"} (${event.why})`;
    case "operator_acted":
      return `${event.caller.name}: ${event.action}${event.text === undefined ? "" : ` "${event.text}"`}`;
    case "move_ended":
      return `  stage ${event.outcome} at ${number(event.z_actual_mm, 3)} mm (asked ${event.z_requested_mm})`;
    case "dark_taken":
      return `  ${event.dark.dark}: ${event.dark.frames} frames at ${event.dark.exposure_ms} ms, mean ${number(event.dark.mean_counts, 2)} counts`;
    case "measurement_taken": {
      const one = event.measurement;
      const flags = one.flags.map((flag) => flag.code).join(", ");
      const width = (d?: number, u?: number) => `${number(d, 2)} ± ${number(u, 2)}`;
      return `  ${one.measurement}: z ${number(one.z_actual_mm, 3)} mm, ${one.exposure_ms} ms, d4σ ${width(one.d4sigma_x_um, one.u_x_um)} × ${width(one.d4sigma_y_um, one.u_y_um)} µm, ${one.grade}${flags === "" ? "" : ` [${flags}]`}`;
    }
    case "measurement_use_changed":
      return `  ${event.measurement} ${event.use}`;
    case "caustic_fitted": {
      const axis = (fit: typeof event.x) =>
        fit.determined ? `${fit.m2.toFixed(4)} ± ${fit.u_m2.toFixed(4)}` : `not determined`;
      return event.occasion === "asked" || event.occasion === "finished"
        ? `  M² x ${axis(event.x)}, y ${axis(event.y)}`
        : undefined;
    }
    case "limit_refused":
      return `  limit: ${event.message}`;
    case "stopped":
      return `STOP (${event.why})`;
    case "instrument_failed":
      return `  ${event.instrument} failed: ${event.message}`;
    case "finished":
      return `finished: ${event.verdict}. ${event.explanation}`;
    case "run_closed":
      return `run closed (${event.why})`;
    default:
      return undefined;
  }
}

/** A run as a person reads it: bench time and what happened, one line each. */
export function runTranscript(events: readonly BenchEvent[]): string[] {
  return events.flatMap((event) => {
    const text = line(event);
    return text === undefined
      ? []
      : [`${String(event.seq).padStart(5)} ${(event.t_ms / 1000).toFixed(2).padStart(9)} s  ${text}`];
  });
}
