import { useState } from "react";
import { EmptyState } from "../../controls/controls.tsx";
import { Hands } from "../../controls/hands.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";
import { CausticPlot } from "./caustic-plot.tsx";
import { FinishDialog } from "./finish-dialog.tsx";
import { IsoCheckList } from "./iso-check-list.tsx";
import { MeasurementFrame } from "./measurement-frame.tsx";
import { MeasurementTable } from "./measurement-table.tsx";
import { ResidualPlot } from "./residual-plot.tsx";
import { ResultCard } from "./result-card.tsx";
import { RunEnd } from "./run-end.tsx";
import { ScanSection } from "./scan-section.tsx";

/** The caustic with its fit, the measurements behind it, and what is still missing. */
export function CausticView() {
  const desk = useDesk();
  const followed = useWindow((state) => state.followed);
  const selected = useWindow((state) => state.selected);
  const [finishing, setFinishing] = useState(false);
  if (followed === undefined || followed.state.description === undefined) {
    return (
      <EmptyState title="No bench is open">
        <p>A caustic is the beam's width along its way. Open a bench, then measure at several positions here.</p>
        <button
          type="button"
          className="primary"
          onClick={() => {
            desk.show("bench");
          }}
        >
          Open a bench
        </button>
      </EmptyState>
    );
  }
  const { state, caustic, source } = followed;
  const select = (measurement: string | undefined): void => {
    useWindow.setState({ selected: measurement });
  };
  return (
    <div className="caustic">
      <div className="caustic-main">
        <CausticPlot
          state={state}
          caustic={caustic}
          selected={selected}
          onSelect={select}
          empty="Nothing measured yet. Start the scan at the right, or measure at single positions on the bench."
        />
        <ResidualPlot state={state} caustic={caustic} selected={selected} onSelect={select} />
        <div className="caustic-lower">
          <MeasurementTable
            state={state}
            caustic={caustic}
            selected={selected}
            onSelect={select}
            onUse={
              state.closed || state.finished !== undefined
                ? undefined
                : (measurement, use) => {
                    const run = useWindow.getState().run;
                    if (run === undefined) return;
                    void desk.attempt(() =>
                      desk.call(use ? "restore_measurement" : "reject_measurement", {
                        run,
                        measurement,
                        reason: use ? "Restored by the operator." : "Rejected by the operator.",
                      }),
                    );
                  }
            }
          />
          <MeasurementFrame
            source={source}
            measurement={state.measurements.find((one) => one.measurement === selected)}
          />
        </div>
      </div>
      <aside className="caustic-side scroll" aria-label="Result and scan" tabIndex={-1}>
        <ResultCard state={state} caustic={caustic} />
        <IsoCheckList caustic={caustic} />
        {state.closed || state.finished !== undefined ? null : (
          <Hands>
            <ScanSection />
          </Hands>
        )}
        <RunEnd
          followed={followed}
          onFinish={() => {
            setFinishing(true);
          }}
        />
      </aside>
      {finishing ? (
        <FinishDialog
          followed={followed}
          onClose={() => {
            setFinishing(false);
          }}
        />
      ) : null}
    </div>
  );
}
