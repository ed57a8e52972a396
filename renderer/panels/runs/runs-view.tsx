/** Stub. */
export function RunsView() {
  return <div />;
}
