import { useEffect, useRef, useState } from "react";
import { useDesk } from "../store/desk.ts";
import { type GatheredMessage, gatherMessages } from "../store/gather-messages.ts";
import { useWindow } from "../store/window-store.ts";

/** A refusal stays this long; what happened stands in the log of the run. */
const SHOWN_MS = 20_000;

/** What the window tells the person, in a row of its own below the view: nothing lies under it. */
export function Messages() {
  const messages = useWindow((state) => state.messages);
  return (
    <div className="messages" role="log" aria-label="Messages">
      {gatherMessages(messages).map((message) => (
        <MessageRow key={`${message.tone} ${message.text}`} message={message} />
      ))}
    </div>
  );
}

function MessageRow({ message }: { message: GatheredMessage }) {
  const desk = useDesk();
  const { ids, tone, text, hint } = message;
  /** Stays while somebody reads or points at it. */
  const [held, setHeld] = useState(false);
  const dismiss = (): void => {
    for (const id of ids) desk.dismiss(id);
  };
  const leave = useRef(dismiss);
  useEffect(() => {
    leave.current = dismiss;
  });
  const newest = ids.at(-1);
  useEffect(() => {
    if (held || newest === undefined) return;
    const timer = setTimeout(() => {
      leave.current();
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [held, newest]);
  return (
    <div
      className={`message message-${tone}`}
      onPointerEnter={() => {
        setHeld(true);
      }}
      onPointerLeave={() => {
        setHeld(false);
      }}
    >
      <p>
        <span>{text}</span>
        {hint === undefined ? null : <span className="hint"> {hint}</span>}
        {ids.length > 1 ? <span className="dim"> ({ids.length} times)</span> : null}
      </p>
      <button type="button" className="quiet small" aria-label="Dismiss" onClick={dismiss}>
        ✕
      </button>
    </div>
  );
}
