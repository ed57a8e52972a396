import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
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
import { ASK_PORT_CHANNEL, COMMAND_CHANNEL, PORT_CHANNEL } from "./channels.ts";
import { LogFile } from "./log-file.ts";
import { menuTemplate } from "./menu.ts";
import { isOwnPage, mayNavigate, newWindowRule } from "./navigation-rules.ts";
import { mayUse } from "./permission-rules.ts";
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
const ends_ms: number[] = [];

crashReporter.start({ uploadToServer: false });
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
    if (
      event.senderFrame !== null &&
      event.senderFrame === event.sender.mainFrame &&
      isOwnPage(event.senderFrame.url)
    ) {
      givePort();
    }
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
    if (details.reason !== "clean-exit") made.reload();
  });
  made.on("unresponsive", () => {
    log.write("the page does not respond");
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
    ends_ms.push(Date.now());
    const decision = restartDecision(ends_ms);
    if (decision.restart) setTimeout(startBench, decision.after_ms);
    else void askForRestart();
  });
}

async function askForRestart(): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: "error",
    title: "Caustic",
    message: "The bench process ended several times in a row.",
    detail: `The log file says why: ${log.path}`,
    buttons: ["Start it again", "Quit"],
    defaultId: 0,
  });
  if (response === 0) {
    ends_ms.length = 0;
    startBench();
  } else app.quit();
}

/** A line between the page and the bench process, past the shell. */
function givePort(): void {
  if (window === undefined || bench === undefined) return;
  const { port1, port2 } = new MessageChannelMain();
  bench.postMessage(PORT_CHANNEL, [port1]);
  window.webContents.postMessage(PORT_CHANNEL, null, [port2]);
}
