import { EmptyState } from "../../controls/controls.tsx";
import { Hands } from "../../controls/hands.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";
import { CausticPlot } from "../caustic/caustic-plot.tsx";
import { Timeline } from "../timeline/timeline.tsx";
import { BudgetGauges } from "./budget-gauges.tsx";
import { DrivePanel } from "./drive-panel.tsx";

/** Who drives and what it does: every call with its reason, what it saw, what it has left. */
export function AgentView() {
  const desk = useDesk();
  const followed = useWindow((state) => state.followed);
  return (
    <div className="agent">
      <div className="agent-main">
        {followed === undefined || followed.state.timeline.length === 0 ? (
          <EmptyState title="Nothing has happened yet">
            <p>
              Start a script or an agent at the right, or connect one over MCP. Each of its calls appears here with its
              reason, its result and the pictures it was shown.
            </p>
          </EmptyState>
        ) : (
          <Timeline source={followed.source} entries={followed.state.timeline} follow />
        )}
      </div>
      <aside className="agent-side scroll" aria-label="Drivers and budgets" tabIndex={-1}>
        <Hands>
          <DrivePanel />
        </Hands>
        {followed === undefined ? null : (
          <>
            <BudgetGauges state={followed.state} />
            <div className="agent-plot">
              <CausticPlot
                state={followed.state}
                caustic={followed.caustic}
                selected={undefined}
                onSelect={(measurement) => {
                  useWindow.setState({ selected: measurement });
                  desk.show("caustic");
                }}
              />
            </div>
          </>
        )}
      </aside>
    </div>
  );
}
