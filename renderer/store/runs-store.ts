import { create } from "zustand";
import type { RecordSummary } from "../../main/contract/window-verbs.ts";

/** The kept runs, and which of them the runs view shows; kept while another view is on the screen. */
export const useRuns = create<{
  /** All that are kept, newest first; undefined until they were read. */
  readonly records: readonly RecordSummary[] | undefined;
  readonly record: string | undefined;
  readonly compared: string | undefined;
  /** The dialog that asks for the folder of a run. */
  readonly asking: boolean;
}>()(() => ({ records: undefined, record: undefined, compared: undefined, asking: false }));
