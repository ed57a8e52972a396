/** Stub. */
export function InstrumentsView() {
  return <div />;
}
