import type { WindowPort } from "../../main/contract/window-messages.ts";

/** Opens a WebSocket to the host that served the page. Rejects when it cannot be had. */
export function openSocketPort(address: string): Promise<WindowPort> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("error", () => {
      reject(new Error("the host does not answer"));
    });
    socket.addEventListener("open", () => {
      resolve({
        send: (message) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(message);
        },
        receive: (onMessage, onClose) => {
          socket.addEventListener("message", (event: MessageEvent<string | ArrayBuffer>) => {
            onMessage(event.data);
          });
          socket.addEventListener("close", onClose);
        },
        get backlog_bytes() {
          return socket.bufferedAmount;
        },
        close: () => {
          socket.close();
        },
      });
    });
  });
}
