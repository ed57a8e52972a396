import { EmptyState } from "../../controls/controls.tsx";
import { useRuns } from "../../store/runs-store.ts";
import { Comparison } from "./comparison.tsx";
import { FolderDialog } from "./folder-dialog.tsx";
import { RecordList } from "./record-list.tsx";
import { Replay } from "./replay.tsx";

/** Kept runs: find one, walk through it event by event, hold it beside another. */
export function RunsView() {
  const { record, compared, asking } = useRuns();
  return (
    <div className="runs">
      <RecordList />
      {record === undefined ? (
        <EmptyState title="Choose a run">
          <p>
            Every run on a bench is kept as a log of events. Choose one at the left to walk through it as it happened,
            with the fit as it was at each moment; choose a second one to compare.
          </p>
        </EmptyState>
      ) : compared === undefined ? (
        <Replay key={record} record={record} />
      ) : (
        <Comparison first={record} second={compared} />
      )}
      {asking ? <FolderDialog /> : null}
    </div>
  );
}
