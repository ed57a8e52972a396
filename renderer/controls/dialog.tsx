import { type ReactNode, useEffect, useId, useRef } from "react";
import { StopButton } from "./stop-button.tsx";

/** A dialog over everything, with a STOP of its own, since it covers the bar's. Escape and the browser's own ways close it. */
export function Dialog(props: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    element.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={props.wide === true ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={id}
      onClose={props.onClose}
    >
      <header className="dialog-title">
        <h2 id={id} className="grow">
          {props.title}
        </h2>
        <StopButton />
        <button type="button" className="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </header>
      <div className="dialog-body">{props.children}</div>
    </dialog>
  );
}
