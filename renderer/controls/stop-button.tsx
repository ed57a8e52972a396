import { useState } from "react";
import { PageError } from "../host/page-error.ts";
import { type Desk, useDesk } from "../store/desk.ts";
import { useWindow } from "../store/window-store.ts";

/** STOP, and a word where it does not get through: then it goes as soon as the connection is back. */
export async function pressStop(desk: Desk): Promise<void> {
  const { connection, run } = useWindow.getState();
  if (connection.kind !== "open" && run !== undefined) {
    desk.tell(
      new PageError(
        "connection_lost",
        "STOP does not reach the bench: there is no connection.",
        "Use the emergency stop of the instruments. STOP goes there as soon as the connection is back.",
      ),
    );
  }
  await desk.stop();
}

/** Always there, also when nothing moves: whoever needs it must not look for it. */
export function StopButton() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const connection = useWindow((state) => state.connection.kind);
  const [pressed, setPressed] = useState(false);
  const reaches = connection === "open";
  return (
    <button
      type="button"
      className={reaches ? "stop" : "stop stop-unreachable"}
      disabled={run === undefined || connection === "refused"}
      title={
        reaches ? "Stops whatever moves or exposes (Esc)" : "It cannot reach the bench: use the instruments' own stop"
      }
      onClick={() => {
        setPressed(true);
        void pressStop(desk).finally(() => {
          setPressed(false);
        });
      }}
    >
      {pressed ? "…" : "STOP"}
    </button>
  );
}
