import { create } from "zustand";

/** Which kept runs the runs view shows; kept while another view is on the screen. */
export const useRuns = create<{
  readonly record: string | undefined;
  readonly compared: string | undefined;
}>()(() => ({ record: undefined, compared: undefined }));
