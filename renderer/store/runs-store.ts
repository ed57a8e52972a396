import { create } from "zustand";

/** Which kept runs the runs view shows; kept while another view is on the screen. */
export const useRuns = create<{
  readonly record: string | undefined;
  readonly compared: string | undefined;
  /** The dialog that asks for the folder of a run. */
  readonly asking: boolean;
}>()(() => ({ record: undefined, compared: undefined, asking: false }));
