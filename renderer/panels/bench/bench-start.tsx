import { useState } from "react";
import { EmptyState } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";

/** Before a bench is open: which there are, and the quickest way to a first measurement. */
export function BenchStart() {
  const desk = useDesk();
  const overview = useWindow((state) => state.overview);
  const connection = useWindow((state) => state.connection);
  const [opening, setOpening] = useState<string>();
  if (overview === undefined) {
    return <EmptyState title={connection.kind === "refused" ? "Not admitted" : "Connecting to the bench …"} />;
  }
  const open = (bench: string): void => {
    setOpening(bench);
    void desk
      .attempt(() => desk.openBench(bench))
      .finally(() => {
        setOpening(undefined);
      });
  };
  return (
    <div className="start scroll">
      <div className="start-inner">
        <h2>Open a bench</h2>
        <p className="dim">
          A bench is a camera on a stage along a beam. Everybody who drives it, you, a script or an agent, uses the same
          verbs, and every step is written into the run's log.
        </p>
        <ul className="offers">
          {overview.benches.map((bench) => (
            <li key={bench.bench} className="offer">
              <div>
                <strong>{bench.bench}</strong>
                <span className={`badge ${bench.simulated ? "badge-simulated" : "badge-real"}`}>
                  {bench.simulated ? "SIMULATED" : "REAL"}
                </span>
                {bench.in_use ? <span className="dim">in use: you will join</span> : null}
                <p className="dim">{bench.about ?? bench.description}</p>
              </div>
              <button
                type="button"
                className="primary"
                disabled={opening !== undefined}
                onClick={() => {
                  open(bench.bench);
                }}
              >
                {opening === bench.bench ? "Opening …" : bench.in_use ? "Join" : "Open"}
              </button>
            </li>
          ))}
        </ul>
        <div className="row">
          <button
            type="button"
            onClick={() => {
              desk.show("instruments");
            }}
          >
            Another bench or scenario …
          </button>
          <button
            type="button"
            onClick={() => {
              useWindow.setState({ tour: 0 });
            }}
          >
            Show me how to measure M²
          </button>
        </div>
      </div>
    </div>
  );
}
