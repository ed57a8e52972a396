import { contextBridge, ipcRenderer, type IpcRendererEvent } from "electron";

// Everything that the page gets of the desktop: a port to the bench, the menu's commands by name, and the system's dialog for a
// folder. It can neither name a channel nor send anything else.

const PORT = "caustic-port";
const ASK = "caustic-ask-port";
const COMMAND = "caustic-command";
const FOLDER = "caustic-folder";

// A port cannot cross the bridge as an argument; it travels as a message from this window to itself.
ipcRenderer.on(PORT, (event: IpcRendererEvent) => {
  window.postMessage(PORT, window.location.origin, [...event.ports]);
});

contextBridge.exposeInMainWorld("caustic", {
  requestPort: (): void => {
    ipcRenderer.send(ASK);
  },
  onCommand: (listener: (command: string) => void): void => {
    ipcRenderer.removeAllListeners(COMMAND);
    ipcRenderer.on(COMMAND, (_event: IpcRendererEvent, command: unknown) => {
      if (typeof command === "string") listener(command);
    });
  },
  chooseFolder: async (): Promise<string | undefined> => {
    const folder: unknown = await ipcRenderer.invoke(FOLDER);
    return typeof folder === "string" ? folder : undefined;
  },
});
