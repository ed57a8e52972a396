import { useState } from "react";
import { NumberField, Progress, Section, Segments } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { significant } from "../../store/format.ts";
import { Scan, type ScanRequest, ScanStopped, useScan } from "../../store/scan.ts";
import { useWindow } from "../../store/window-store.ts";
import { forgetStartedScan, keepStartedScan } from "../../store/interrupted-scan.ts";
import { InterruptedScan } from "./interrupted-scan.tsx";

/** A scan over positions by the operator's own hand, and the scripted operator as the shortest way. */
export function ScanSection() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const state = useWindow((one) => one.followed?.state);
  const scan = useScan();
  const limits = state?.description?.limits_mm;
  const [from, setFrom] = useState<number>();
  const [to, setTo] = useState<number>();
  const [count, setCount] = useState<number | undefined>(9);
  const [exposure, setExposure] = useState<"auto" | "fixed">("auto");
  const [complete, setComplete] = useState(true);
  const [, setEnded] = useState(0);
  if (run === undefined || state?.description === undefined || limits === undefined) return null;
  const start = (request: ScanRequest): void => {
    const next = new Scan(desk, run);
    keepStartedScan({ run, before: state.measurements.length, request });
    next
      .measure(request)
      .then(
        () => desk.tell("The scan is complete.", "good"),
        (error: unknown) => desk.tell(error, error instanceof ScanStopped ? "warning" : "bad"),
      )
      .finally(() => {
        forgetStartedScan();
        setEnded((count) => count + 1);
      });
  };
  if (scan.running) {
    return (
      <Section
        title="Scan"
        aside={
          <span className="number dim">
            {scan.done} of {scan.planned}
          </span>
        }
      >
        <Progress label={scan.doing} fraction={scan.planned === 0 ? 0 : scan.done / scan.planned} />
        <button type="button" onClick={() => void desk.stop()}>
          End the scan
        </button>
      </Section>
    );
  }
  return (
    <Section title="Scan">
      <InterruptedScan run={run} state={state} onGoOn={start} />
      <div className="scan-range">
        <NumberField
          label="from"
          unit="mm"
          value={from ?? limits.min}
          min={limits.min}
          max={limits.max}
          onChange={setFrom}
        />
        <NumberField label="to" unit="mm" value={to ?? limits.max} min={limits.min} max={limits.max} onChange={setTo} />
        <NumberField label="positions" value={count} min={2} max={60} step={1} onChange={setCount} />
      </div>
      <div className="row wrap">
        <Segments
          label="Exposure of the scan"
          value={exposure}
          onChange={setExposure}
          options={[
            { value: "auto", label: "Auto exposure", title: "Found anew at every position" },
            { value: "fixed", label: `Fixed ${significant(state.exposure_ms, 3)} ms` },
          ]}
        />
        <label className="row check">
          <input
            type="checkbox"
            checked={complete}
            onChange={(event) => {
              setComplete(event.currentTarget.checked);
            }}
          />
          then complete ISO
        </label>
      </div>
      <div className="row">
        <button
          type="button"
          className="primary grow"
          onClick={() => {
            start({
              from_mm: from ?? limits.min,
              to_mm: to ?? limits.max,
              count: count ?? 9,
              frames: state.description?.default_frames ?? 5,
              ...(exposure === "fixed" ? { exposure_ms: state.exposure_ms } : {}),
              complete,
            });
          }}
        >
          Start the scan
        </button>
        <button
          type="button"
          title="Starts the scripted operator: waist search, exposures, darks, positions, verdict"
          onClick={() =>
            void desk.attempt(async () => {
              const bench = state.description?.bench ?? "";
              if (state.holder?.kind === "operator") await desk.call("give_back", { run });
              await desk.call("start_contender", { bench, contender: "scripted" });
            })
          }
        >
          Let the script do it
        </button>
      </div>
    </Section>
  );
}
