import type { WindowPort } from "../../../main/contract/window-messages.ts";

/** Two linked ports. Like a socket, a broken pair loses what is under way and tells both ends. */
export interface PortPair {
  readonly page: WindowPort;
  readonly host: WindowPort;
  /** Breaks the line: what was sent and not yet received is lost. */
  cut(): void;
  /** From now on messages to the host are lost without anybody knowing, as before a broken line is noticed. */
  swallow(): void;
}

export function portPair(): PortPair {
  let open = true;
  let swallowing = false;
  const ends = { page: end(), host: end() };

  function end() {
    return {
      kept: [] as (string | ArrayBuffer)[],
      onMessage: undefined as ((message: string | ArrayBuffer) => void) | undefined,
      onClose: () => undefined as void,
    };
  }
  const close = (): void => {
    if (!open) return;
    open = false;
    queueMicrotask(() => {
      ends.page.onClose();
      ends.host.onClose();
    });
  };
  const port = (own: "page" | "host", other: "page" | "host"): WindowPort => ({
    send(message) {
      if (!open || (own === "page" && swallowing)) return;
      const copy = typeof message === "string" ? message : message.slice().buffer;
      setImmediate(() => {
        if (!open) return;
        const { onMessage, kept } = ends[other];
        if (onMessage === undefined) kept.push(copy);
        else onMessage(copy);
      });
    },
    receive(onMessage, onClose) {
      ends[own].onMessage = onMessage;
      ends[own].onClose = onClose;
      for (const message of ends[own].kept.splice(0)) onMessage(message);
    },
    backlog_bytes: 0,
    // What was sent before still arrives, as with a socket that is closed in order.
    close: () => void setImmediate(close),
  });
  return {
    page: port("page", "host"),
    host: port("host", "page"),
    cut: close,
    swallow: () => {
      swallowing = true;
    },
  };
}
