import type { WindowPort } from "../../contract/window-messages.ts";

/** A port as the desktop's processes have it. */
export interface DesktopPort {
  postMessage(message: unknown): void;
  on(event: "message", listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  start(): void;
  close(): void;
}

/** A desktop port as a window's port. The port is private to one page, so nobody has to show a token. */
export function desktopPort(port: DesktopPort): WindowPort {
  return {
    send: (message) => {
      port.postMessage(message);
    },
    receive: (onMessage, onClose) => {
      port.on("message", ({ data }) => {
        onMessage(typeof data === "string" ? data : new ArrayBuffer(0));
      });
      port.on("close", onClose);
      port.start();
    },
    // Nothing says how much waits in a port; frames wait for the page's own word.
    backlog_bytes: 0,
    close: () => {
      port.close();
    },
  };
}
