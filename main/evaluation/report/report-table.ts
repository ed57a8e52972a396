/** A table of text, as markdown and page show it. */
export interface ReportTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
