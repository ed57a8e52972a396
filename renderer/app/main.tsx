import "./zod-without-eval.ts";
import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";
import "./theme.css";
import "./base.css";
import "./shell.css";
import "../frame/frame.css";
import "../panels/panels.css";
import "../panels/evaluation/suites.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { openMessagePort } from "../host/message-port.ts";
import { openSocketPort } from "../host/socket-port.ts";
import { Desk, DeskContext } from "../store/desk.ts";
import { Shell } from "./shell.tsx";

/** What the desktop's preload script offers; absent in a browser. */
interface DesktopBridge {
  /** Asks for a new port to the bench; it arrives as a message to the window. */
  readonly requestPort: () => void;
  /** Calls back with the name of a menu command. */
  readonly onCommand: (listener: (command: string) => void) => void;
  /** The system's dialog for a folder; undefined where none was chosen. */
  readonly chooseFolder: () => Promise<string | undefined>;
}

const desktop = (window as { caustic?: DesktopBridge }).caustic;

/** The key to the bench comes in the page's address; it is kept for this tab and taken out of the address. */
function takeToken(): string | undefined {
  const given = /^#token=([A-Za-z0-9_-]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem("caustic.token", given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem("caustic.token") ?? undefined;
}

/** The same over reloads of this tab, so that the bench knows its operator again. */
function windowName(): string {
  const known = sessionStorage.getItem("caustic.window") ?? crypto.randomUUID();
  sessionStorage.setItem("caustic.window", known);
  return known;
}

const token = takeToken();
const socketAddress = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/window`;
const desk = new Desk({
  open: () => (desktop === undefined ? openSocketPort(socketAddress) : openMessagePort(desktop.requestPort)),
  ...(token === undefined ? {} : { token }),
  window: windowName(),
  page: crypto.randomUUID(),
  chooseFolder: desktop?.chooseFolder,
});
desk.showAddressed();
window.addEventListener("hashchange", () => {
  desk.showAddressed();
});
desk.start();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <DeskContext value={desk}>
        <Shell onDesktopCommand={desktop?.onCommand} />
      </DeskContext>
    </StrictMode>,
  );
}
