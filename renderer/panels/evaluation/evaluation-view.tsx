/** Stub. */
export function EvaluationView() {
  return <div />;
}
