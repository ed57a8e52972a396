import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  type IpcMainEvent,
  Menu,
  MessageChannelMain,
  protocol,
  screen,
  session,
  shell,
  type UtilityProcess,
  utilityProcess,
} from "electron";
import { answerFor, APP_ORIGIN, APP_SCHEME } from "./app-scheme.ts";
import { ASK_PORT_CHANNEL, COMMAND_CHANNEL, FOLDER_CHANNEL, PORT_CHANNEL } from "./channels.ts";
import { LogFile } from "./log-file.ts";
import { menuTemplate } from "./menu.ts";
import { isOwnPage, mayNavigate, newWindowRule } from "./navigation-rules.ts";
import { mayUse } from "./permission-rules.ts";
import { printRequest } from "./print-messages.ts";
import { restartDecision } from "./restart-policy.ts";
import { placeFrom, placeText } from "./window-place.ts";
import { windowOptions } from "./window-preferences.ts";

// The host of the window and nothing more: what a bench is and does lives in the bench process, which is plain Node.

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PAGE = join(HERE, "..", "page");
const PRELOAD = join(HERE, "preload.cjs");
const BENCH = join(HERE, "desktop.js");

const log = new LogFile(join(app.getPath("logs"), "caustic.log"));
const placeFile = join(app.getPath("userData"), "window.json");
const runsFolder = process.env["CAUSTIC_RUNS"] ?? join(app.getPath("documents"), "Caustic", "runs");

let window: BrowserWindow | undefined;
let bench: UtilityProcess | undefined;
let quitting = false;
const benchEnds_ms: number[] = [];
const pageEnds_ms: number[] = [];

crashReporter.start({ uploadToServer: false });
process.on("uncaughtException", (error) => {
  log.write(`a fault of the shell: ${error.stack ?? error.message}`);
});
process.on("unhandledRejection", (reason) => {
  log.write(`a fault of the shell: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
});
protocol.registerSchemesAsPrivileged([
  { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
]);
app.enableSandbox();

if (app.requestSingleInstanceLock()) {
  app.on("second-instance", () => {
    if (window?.isMinimized() === true) window.restore();
    window?.focus();
  });
  app.on("window-all-closed", () => {
    app.quit();
  });
  app.on("before-quit", () => {
    quitting = true;
  });
  app.on("will-quit", () => {
    bench?.kill();
  });
  app.on("child-process-gone", (_, details) => {
    if (details.reason !== "clean-exit") log.write(`a process ended: ${details.type}, ${details.reason}`);
  });
  app.on("web-contents-created", (_, contents) => {
    contents.on("will-navigate", (event, address) => {
      if (!mayNavigate(address)) event.preventDefault();
    });
    contents.on("will-redirect", (event, address) => {
      if (!mayNavigate(address)) event.preventDefault();
    });
    contents.on("will-attach-webview", (event) => {
      event.preventDefault();
    });
    contents.setWindowOpenHandler(({ url }) => {
      if (newWindowRule(url) === "browser") void shell.openExternal(url);
      return { action: "deny" };
    });
  });
  void app.whenReady().then(start);
} else app.quit();

function start(): void {
  log.write(`started, version ${app.getVersion()}, Electron ${process.versions.electron}`);
  servePage();
  guardSession();
  startBench();
  ipcMain.on(ASK_PORT_CHANNEL, (event) => {
    if (comesFromPage(event)) givePort();
  });
  ipcMain.handle(FOLDER_CHANNEL, async (event) => {
    if (window === undefined || !comesFromPage(event)) return undefined;
    const { filePaths } = await dialog.showOpenDialog(window, {
      title: "Open the folder of a run",
      defaultPath: runsFolder,
      properties: ["openDirectory"],
    });
    return filePaths[0];
  });
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate(
        {
          command: (name) => {
            window?.webContents.send(COMMAND_CHANNEL, name);
          },
          openRunsFolder: () => void shell.openPath(runsFolder),
          openLogFile: () => void shell.openPath(log.path),
        },
        process.platform,
      ),
    ),
  );
  openWindow();
}

/** Whether a message comes from the window's own page and from no frame inside it. */
function comesFromPage({ senderFrame, sender }: Pick<IpcMainEvent, "senderFrame" | "sender">): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && isOwnPage(senderFrame.url);
}

function servePage(): void {
  protocol.handle(APP_SCHEME, async (request) => {
    const answer = answerFor(PAGE, request.method, request.url);
    if (answer.status !== 200) return new Response(null, { status: answer.status });
    try {
      return new Response(new Uint8Array(await readFile(answer.file)), { headers: answer.headers });
    } catch {
      return new Response(null, { status: 404 });
    }
  });
}

function guardSession(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((contents, permission, answer) => {
    answer(mayUse(permission, contents.getURL()));
  });
  defaultSession.setPermissionCheckHandler((_, permission, origin) => mayUse(permission, origin));
  defaultSession.setDevicePermissionHandler(() => false);
  // The page needs no network at all: what is not its own scheme is refused before it leaves.
  defaultSession.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !/^(app|blob|data|devtools):/.test(details.url) });
  });
  defaultSession.on("will-download", (_, item) => {
    item.setSaveDialogOptions({ title: "Save", defaultPath: join(app.getPath("documents"), item.getFilename()) });
  });
}

function openWindow(): void {
  const place = placeFrom(
    keptPlace(),
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const made = new BrowserWindow(windowOptions(PRELOAD, place));
  window = made;
  if (place.maximized) made.maximize();
  made.once("ready-to-show", () => {
    made.show();
  });
  made.on("close", () => {
    writeFileSync(placeFile, placeText(made.getNormalBounds(), made.isMaximized()));
  });
  made.on("closed", () => {
    window = undefined;
  });
  made.webContents.on("render-process-gone", (_, details) => {
    log.write(`the page's process ended: ${details.reason}, ${details.exitCode}`);
    if (quitting || details.reason === "clean-exit") return;
    pageEnds_ms.push(Date.now());
    const decision = restartDecision(pageEnds_ms);
    const reload = (): void => {
      if (!made.isDestroyed()) made.reload();
    };
    // The bench goes on meanwhile: the page finds its run again, with everything that happened.
    if (decision.restart) setTimeout(reload, decision.after_ms);
    else void askForRestart("The page ended several times in a row.", pageEnds_ms, reload);
  });
  made.on("unresponsive", () => {
    log.write("the page does not respond");
    void askWhetherToWait(made);
  });
  void made.loadURL(`${APP_ORIGIN}/index.html`);
}

function keptPlace(): string | undefined {
  try {
    return readFileSync(placeFile, "utf8");
  } catch {
    return undefined;
  }
}

function startBench(): void {
  const started = utilityProcess.fork(BENCH, ["--runs", runsFolder], { serviceName: "Caustic bench", stdio: "pipe" });
  bench = started;
  started.stderr?.on("data", (data: Buffer) => {
    log.write(`bench: ${data.toString("utf8").trimEnd()}`);
  });
  started.once("exit", (code) => {
    if (quitting) return;
    log.write(`the bench process ended with ${code}`);
    benchEnds_ms.push(Date.now());
    const decision = restartDecision(benchEnds_ms);
    if (decision.restart) setTimeout(startBench, decision.after_ms);
    else void askForRestart("The bench process ended several times in a row.", benchEnds_ms, startBench);
  });
  started.on("message", (message: unknown) => {
    const request = printRequest(message);
    if (request === undefined) return;
    printed(request.html).then(
      (pdf) => {
        started.postMessage({ type: "printed", id: request.id, pdf });
      },
      (error: unknown) => {
        started.postMessage({ type: "printed", id: request.id, error: String(error) });
      },
    );
  });
}

/** A4 pages of a document, drawn in a window that nobody sees, that runs no script and reaches no network. */
async function printed(html: string): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "caustic-print-"));
  const sheet = new BrowserWindow({
    show: false,
    webPreferences: { sandbox: true, contextIsolation: true, javascript: false, partition: "print" },
  });
  try {
    const file = join(folder, "report.html");
    writeFileSync(file, html);
    await sheet.loadFile(file);
    return await sheet.webContents.printToPDF({ pageSize: "A4", printBackground: true, preferCSSPageSize: true });
  } finally {
    sheet.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function askWhetherToWait(made: BrowserWindow): Promise<void> {
  const { response } = await dialog.showMessageBox(made, {
    type: "warning",
    title: "Caustic",
    message: "The page does not respond.",
    detail: "The bench goes on without it. Loading the page again loses nothing that was measured.",
    buttons: ["Load it again", "Wait"],
    defaultId: 1,
    cancelId: 1,
  });
  if (response !== 0 || made.isDestroyed()) return;
  made.webContents.forcefullyCrashRenderer();
}

async function askForRestart(message: string, ends_ms: number[], again: () => void): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: "error",
    title: "Caustic",
    message,
    detail: `The log file says why: ${log.path}`,
    buttons: ["Start it again", "Quit"],
    defaultId: 0,
  });
  if (response === 0) {
    ends_ms.length = 0;
    again();
  } else app.quit();
}

/** A line between the page and the bench process, past the shell. */
function givePort(): void {
  if (window === undefined || bench === undefined) return;
  const { port1, port2 } = new MessageChannelMain();
  bench.postMessage(PORT_CHANNEL, [port1]);
  window.webContents.postMessage(PORT_CHANNEL, null, [port2]);
}
