import type { WindowPort } from "../../main/contract/window-messages.ts";

/**
 * A MessagePort that the desktop shell hands to the page, as a port. The shell posts it to the window with the message
 * `caustic-port`; each request brings a new one.
 */
export function openMessagePort(ask: () => void): Promise<WindowPort> {
  return new Promise((resolve) => {
    const onMessage = (event: MessageEvent): void => {
      const [port] = event.ports;
      if (event.source !== window || event.data !== "caustic-port" || port === undefined) return;
      window.removeEventListener("message", onMessage);
      resolve({
        send: (message) => {
          port.postMessage(message);
        },
        receive: (onArrival, onClose) => {
          port.addEventListener("message", (arrival: MessageEvent<string | ArrayBuffer | Uint8Array<ArrayBuffer>>) => {
            onArrival(wholeBuffer(arrival.data));
          });
          port.addEventListener("close", onClose);
          port.start();
        },
        backlog_bytes: 0,
        close: () => {
          port.close();
        },
      });
    };
    window.addEventListener("message", onMessage);
    ask();
  });
}

/** A view may arrive as a part of a larger buffer; frames are read from the start of theirs. */
function wholeBuffer(data: string | ArrayBuffer | Uint8Array<ArrayBuffer>): string | ArrayBuffer {
  if (typeof data === "string" || data instanceof ArrayBuffer) return data;
  return data.byteOffset === 0 && data.byteLength === data.buffer.byteLength ? data.buffer : data.slice().buffer;
}
