import { useState } from "react";
import { Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";

const STATE_TONES = { running: "tone-warning", ended: "tone-good", failed: "tone-bad", stopped: "dim" } as const;

/** Starts scripts and agents, hands them a note, and ends them. */
export function DrivePanel() {
  const desk = useDesk();
  const overview = useWindow((state) => state.overview);
  const run = useWindow((state) => state.run);
  const bench = useWindow((state) => state.followed?.state.description?.bench);
  const paused = useWindow((state) => state.followed?.state.paused);
  const holder = useWindow((state) => state.followed?.state.holder);
  const closed = useWindow((state) => state.followed?.state.closed);
  const [contender, setContender] = useState("scripted");
  const [chosenBench, setChosenBench] = useState<string>();
  const [note, setNote] = useState("");
  const [word, setWord] = useState("");
  if (overview === undefined) return null;
  const target = chosenBench ?? bench ?? overview.benches[0]?.bench;
  const offer = overview.contenders.find((one) => one.contender === contender);
  const start = (): void => {
    if (target === undefined) return;
    void desk.attempt(async () => {
      if (run !== undefined && target === bench && holder?.kind === "operator") await desk.call("give_back", { run });
      await desk.call("start_contender", {
        bench: target,
        contender,
        ...(note.trim() === "" ? {} : { note: note.trim() }),
      });
      setNote("");
    });
  };
  return (
    <>
      <Section title="Start a driver">
        <div className="two">
          <label className="stack">
            <span className="field-label">Who</span>
            <select
              value={contender}
              onChange={(event) => {
                setContender(event.currentTarget.value);
              }}
            >
              {overview.contenders.map((one) => (
                <option key={one.contender} value={one.contender} disabled={one.unavailable !== undefined}>
                  {one.contender} ({one.kind})
                </option>
              ))}
            </select>
          </label>
          <label className="stack">
            <span className="field-label">On</span>
            <select
              value={target ?? ""}
              onChange={(event) => {
                setChosenBench(event.currentTarget.value);
              }}
            >
              {overview.benches.map((one) => (
                <option key={one.bench} value={one.bench}>
                  {one.bench}
                  {one.about === undefined ? "" : ` (${one.about})`}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p className="dim">{offer?.unavailable ?? offer?.description}</p>
        <label className="stack">
          <span className="field-label">Operator's note (scripts cannot read it)</span>
          <textarea
            rows={1}
            value={note}
            onChange={(event) => {
              setNote(event.currentTarget.value);
            }}
          />
        </label>
        <button
          type="button"
          className="primary"
          disabled={target === undefined || offer === undefined || offer.unavailable !== undefined}
          onClick={start}
        >
          Start {contender}
        </button>
      </Section>
      {overview.drives.length === 0 ? null : (
        <Section title="Drivers started here">
          <ul className="drives">
            {[...overview.drives].reverse().map((drive) => (
              <li key={drive.drive} className="row wrap">
                <strong>{drive.contender}</strong>
                <span className="dim">{drive.bench}</span>
                <span className={`drive-state ${STATE_TONES[drive.state]}`} title={drive.message}>
                  {drive.state}
                  {drive.message === undefined ? "" : `: ${drive.message}`}
                </span>
                {drive.model_calls === undefined ? null : (
                  <span className="number dim">
                    {drive.model_calls} answers, {drive.tokens ?? "?"} tokens,{" "}
                    {drive.usd === undefined ? "cost not known" : `$${drive.usd.toFixed(3)}`}
                  </span>
                )}
                {drive.state === "running" ? (
                  <button
                    type="button"
                    className="small"
                    onClick={() => void desk.attempt(() => desk.call("stop_contender", { drive: drive.drive }))}
                  >
                    End it
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {run === undefined || closed === true ? null : (
        <Section title="Control" aside={paused === true ? <strong className="tone-warning">paused</strong> : undefined}>
          <div className="row">
            <button
              type="button"
              className="grow"
              onClick={() => void desk.attempt(() => desk.call("take_over", { run }))}
            >
              Take over
            </button>
            <button
              type="button"
              className="grow"
              onClick={() => void desk.attempt(() => desk.call(paused === true ? "resume" : "pause", { run }))}
            >
              {paused === true ? "Resume" : "Pause"}
            </button>
            <button
              type="button"
              className="grow"
              disabled={holder?.kind !== "operator"}
              onClick={() => void desk.attempt(() => desk.call("give_back", { run }))}
            >
              Give back
            </button>
          </div>
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              if (word.trim() === "") return;
              void desk.attempt(async () => {
                await desk.call("note", { run, text: word.trim() });
                setWord("");
              });
            }}
          >
            <input
              className="grow"
              aria-label="Note for the log"
              placeholder="Note for the log"
              value={word}
              onChange={(event) => {
                setWord(event.currentTarget.value);
              }}
            />
            <button type="submit" disabled={word.trim() === ""}>
              Add
            </button>
          </form>
        </Section>
      )}
    </>
  );
}
