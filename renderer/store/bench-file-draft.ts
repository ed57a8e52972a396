import { create } from "zustand";

/** A bench file that is being written; it stays while another view is on the screen. */
export const useBenchFileDraft = create<{
  /** Under which name it will be kept. */
  readonly name: string;
  /** The file that it was read from or last kept as; undefined while it is new. */
  readonly opened: string | undefined;
  /** Undefined while nothing is being written. */
  readonly text: string | undefined;
}>()(() => ({ name: "", opened: undefined, text: undefined }));
