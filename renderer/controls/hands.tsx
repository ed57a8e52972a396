import type { ReactNode } from "react";
import { useWindow } from "../store/window-store.ts";

/** Controls that act on the bench: none can be used while it cannot be reached, so that nothing is done late. */
export function Hands({ children }: { children: ReactNode }) {
  const reaches = useWindow((state) => state.connection.kind === "open");
  return (
    <fieldset className="hands" disabled={!reaches}>
      {children}
    </fieldset>
  );
}
