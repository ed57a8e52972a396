import { useWindow } from "../store/window-store.ts";

/** Says that the bench cannot be reached, above the view and over none of it. */
export function LostNotice() {
  const connection = useWindow((state) => state.connection);
  if (connection.kind === "lost") {
    return (
      <div className="lost" role="alert">
        The connection to the bench is lost; trying again. What you see may be old, and STOP cannot reach the bench: use
        the emergency stop of the instruments. Unless the connection comes back, whatever you started is stopped.
      </div>
    );
  }
  if (connection.kind === "refused") {
    return (
      <div className="lost" role="alert">
        Not admitted: {connection.message}. Nothing here reaches the bench.
      </div>
    );
  }
  return null;
}
