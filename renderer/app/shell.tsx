import { useEffect } from "react";
import { pressStop, StopButton } from "../controls/stop-button.tsx";
import { AgentView } from "../panels/agent/agent-view.tsx";
import { BenchView } from "../panels/bench/bench-view.tsx";
import { CausticView } from "../panels/caustic/caustic-view.tsx";
import { EvaluationPanel } from "../panels/evaluation/evaluation-panel.tsx";
import { InstrumentsView } from "../panels/instruments/instruments-view.tsx";
import { RunsView } from "../panels/runs/runs-view.tsx";
import { useDesk } from "../store/desk.ts";
import { usePreferences } from "../store/preferences.ts";
import { useWindow, type ViewName } from "../store/window-store.ts";
import { COMMANDS, handleKey } from "./commands.ts";
import { Help } from "./help.tsx";
import { LostNotice } from "./lost-notice.tsx";
import { Messages } from "./messages.tsx";
import { Tour } from "./tour.tsx";

const TABS: readonly { readonly view: ViewName; readonly label: string }[] = [
  { view: "bench", label: "Bench" },
  { view: "caustic", label: "Caustic" },
  { view: "agent", label: "Agent" },
  { view: "evaluation", label: "Evaluation" },
  { view: "runs", label: "Runs" },
  { view: "instruments", label: "Instruments" },
];

/** The whole window: the bar with STOP, the view under it, messages over it. */
export function Shell(props: { onDesktopCommand: ((listener: (command: string) => void) => void) | undefined }) {
  const desk = useDesk();
  const view = useWindow((state) => state.view);
  const theme = usePreferences((state) => state.theme);
  const help = useWindow((state) => state.help);
  const { onDesktopCommand } = props;
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      handleKey(event, desk);
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => {
      window.removeEventListener("keydown", onKey, { capture: true });
    };
  }, [desk]);
  useEffect(() => {
    onDesktopCommand?.((name) => {
      if (name === "stop") void pressStop(desk);
      else COMMANDS.find((command) => command.name === name)?.run(desk);
    });
  }, [desk, onDesktopCommand]);
  return (
    <div className="shell">
      <Bar />
      <LostNotice />
      <main className="view" aria-label={TABS.find((tab) => tab.view === view)?.label}>
        <CurrentView view={view} />
      </main>
      <Tour />
      <Messages />
      {help ? <Help /> : null}
    </div>
  );
}

function CurrentView({ view }: { view: ViewName }) {
  switch (view) {
    case "bench":
      return <BenchView />;
    case "caustic":
      return <CausticView />;
    case "agent":
      return <AgentView />;
    case "evaluation":
      return <EvaluationPanel />;
    case "runs":
      return <RunsView />;
    case "instruments":
      return <InstrumentsView />;
  }
}

function Bar() {
  const desk = useDesk();
  const view = useWindow((state) => state.view);
  return (
    <header className="bar">
      <h1 className="brand">
        <Mark />
        Caustic
      </h1>
      <nav className="tabs" aria-label="Views">
        {TABS.map((tab, index) => (
          <button
            key={tab.view}
            type="button"
            aria-current={tab.view === view ? "page" : undefined}
            title={`${tab.label} (key ${index + 1})`}
            onClick={() => {
              desk.show(tab.view);
            }}
          >
            {tab.label}
          </button>
        ))}
      </nav>
      <div className="bar-state">
        <Driver />
        <Provenance />
        <ConnectionDot />
        <button
          type="button"
          className="quiet"
          aria-label="Keys and help"
          title="Keys and help (?)"
          onClick={() => {
            useWindow.setState({ help: true });
          }}
        >
          ?
        </button>
        <StopButton />
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <path
        d="M3 7C12 14 20 14 29 7M3 25C12 18 20 18 29 25"
        fill="none"
        stroke="var(--y)"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="16" cy="16" r="2.4" fill="var(--x)" />
    </svg>
  );
}

const KIND_WORDS = { operator: "operator", script: "script", agent: "agent" } as const;

/** Who drives, and the operator's ways to change that. */
function Driver() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const state = useWindow((one) => one.followed?.state);
  const yours = useWindow((one) => one.yours);
  if (run === undefined || state?.description === undefined || state.closed) return null;
  const { holder, paused } = state;
  // Until the host has answered, an operator who drives is taken for this one.
  const foreign = holder !== undefined && (holder.kind !== "operator" || yours === false);
  const elsewhere = foreign && holder.kind === "operator";
  return (
    <span className="driver">
      <span className={`dot ${holder === undefined ? "" : foreign ? "dot-warning" : "dot-good"}`} aria-hidden="true" />
      {holder === undefined ? (
        <span className="driver-kind">Nobody drives</span>
      ) : (
        <span title={`${elsewhere ? "Another window" : `${holder.name} (${KIND_WORDS[holder.kind]})`} drives`}>
          <span className="driver-kind">{foreign && !elsewhere ? `${KIND_WORDS[holder.kind]} ` : ""}</span>
          <span className="name">{elsewhere ? "Another window drives" : foreign ? holder.name : "You drive"}</span>
        </span>
      )}
      {holder !== undefined && !foreign ? (
        <button
          type="button"
          className="small"
          onClick={() => void desk.attempt(() => desk.call("give_back", { run }))}
        >
          Give back
        </button>
      ) : null}
      {foreign ? (
        <button
          type="button"
          className="small primary"
          title="Stops what it does and gives you control (T)"
          onClick={() => void desk.attempt(() => desk.call("take_over", { run }))}
        >
          Take over
        </button>
      ) : null}
      {foreign || paused ? (
        <button
          type="button"
          className={paused ? "small paused" : "small"}
          title={
            paused ? "The run is paused: nobody acts on the bench until it is resumed (P)" : "Pause who drives (P)"
          }
          onClick={() => void desk.attempt(() => desk.call(paused ? "resume" : "pause", { run }))}
        >
          {paused ? "Paused · Resume" : "Pause"}
        </button>
      ) : null}
    </span>
  );
}

/** Simulated light must never look real. */
function Provenance() {
  const description = useWindow((state) => state.followed?.state.description);
  const simulated = useWindow((state) => state.followed?.state.simulated);
  if (description === undefined) return null;
  return simulated === true ? (
    <span className="badge badge-simulated" title="No real instrument is involved">
      SIMULATED
    </span>
  ) : (
    <span className="badge badge-real" title="Real instruments move">
      REAL BENCH
    </span>
  );
}

function ConnectionDot() {
  const { kind } = useWindow((state) => state.connection);
  const words = { connecting: "Connecting", open: "Connected", lost: "Connection lost", refused: "Not admitted" }[kind];
  const tone = { connecting: "", open: "dot-good", lost: "dot-warning", refused: "dot-bad" }[kind];
  return <span className={`dot ${tone}`} role="img" aria-label={words} title={words} />;
}
