import { useState } from "react";
import { forgetStartedScan, restOfScan, startedScan } from "../../store/interrupted-scan.ts";
import type { RunState } from "../../store/run-state.ts";
import type { ScanRequest } from "../../store/scan.ts";

/** Says that a reload of the page ended a scan, and how far it came; goes on with the rest. */
export function InterruptedScan(props: { run: string; state: RunState; onGoOn: (rest: ScanRequest) => void }) {
  const { run, state, onGoOn } = props;
  const [, setForgotten] = useState(false);
  const scan = startedScan(run);
  if (scan === undefined || state.description === undefined) return null;
  const { measured, planned, request } = restOfScan(scan, state.measurements, state.description);
  const left = planned - measured;
  return (
    <div className="interrupted" role="status">
      <p className="tone-warning">
        The scan ended because the page was reloaded: {measured} of {planned} positions measured.
      </p>
      <div className="row">
        <button
          type="button"
          className="primary grow"
          onClick={() => {
            onGoOn(request);
          }}
        >
          {left > 0 ? `Go on with the other ${left}` : "Go on"}
        </button>
        <button
          type="button"
          onClick={() => {
            forgetStartedScan();
            setForgotten(true);
          }}
        >
          Leave it
        </button>
      </div>
    </div>
  );
}
