import { useState } from "react";
import { useDesk } from "../store/desk.ts";
import { useWindow } from "../store/window-store.ts";

/** Always there, also when nothing moves: whoever needs it must not look for it. */
export function StopButton() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const [pressed, setPressed] = useState(false);
  return (
    <button
      type="button"
      className="stop"
      disabled={run === undefined}
      title="Stops whatever moves or exposes (Esc)"
      onClick={() => {
        setPressed(true);
        void desk.stop().finally(() => {
          setPressed(false);
        });
      }}
    >
      {pressed ? "…" : "STOP"}
    </button>
  );
}
