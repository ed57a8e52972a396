import { Section } from "../../controls/controls.tsx";
import { saveBase64, saveText } from "../../host/save-file.ts";
import { useDesk } from "../../store/desk.ts";
import { type FollowedRun, useWindow } from "../../store/window-store.ts";
import { causticCsv, runJson } from "./exports.ts";
import { savePlotPng, savePlotSvg } from "./plot-picture.ts";

/** Ways out: conclude the run, close it, take its results along. */
export function RunEnd({ followed, onFinish }: { followed: FollowedRun; onFinish: () => void }) {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const selected = useWindow((state) => state.selected);
  const { state, source } = followed;
  const name = `${state.description?.bench ?? "run"}-caustic`;
  const open = !state.closed && state.finished === undefined;
  return (
    <Section title="Run">
      {open ? (
        <div className="row">
          <button type="button" className="primary grow" disabled={state.measurements.length === 0} onClick={onFinish}>
            Finish …
          </button>
          <button
            type="button"
            title="Ends the run without a verdict"
            onClick={() => {
              if (run !== undefined) void desk.attempt(() => desk.call("close_run", { run }));
            }}
          >
            Abandon
          </button>
        </div>
      ) : (
        <>
          {state.finished === undefined ? null : <p className="explanation">{state.finished.explanation}</p>}
          <button
            type="button"
            onClick={() => {
              if (run === undefined) return;
              void desk.attempt(async () => {
                if (!state.closed) await desk.call("close_run", { run });
                desk.look(undefined);
                desk.show("bench");
              });
            }}
          >
            Close and open another bench
          </button>
        </>
      )}
      <div className="row wrap" role="group" aria-label="Export">
        <span className="dim">Export</span>
        <button
          type="button"
          className="small"
          onClick={() => {
            saveText(`${name}.csv`, "text/csv", causticCsv(followed));
          }}
        >
          CSV
        </button>
        <button
          type="button"
          className="small"
          onClick={() => {
            saveText(`${name}.json`, "application/json", runJson(followed));
          }}
        >
          JSON
        </button>
        <button
          type="button"
          className="small"
          onClick={() => {
            savePlotSvg(`${name}.svg`);
          }}
        >
          SVG
        </button>
        <button type="button" className="small" onClick={() => void desk.attempt(() => savePlotPng(`${name}.png`))}>
          PNG
        </button>
        <button
          type="button"
          className="small"
          disabled={selected === undefined}
          title={selected === undefined ? "Choose a measurement first" : `Raw frame of ${selected}, 16 bit`}
          onClick={() => {
            if (selected === undefined) return;
            void desk.attempt(async () => {
              const { tiff_base64 } = await desk.call("frame_tiff", { source, id: selected });
              saveBase64(`${name}-${selected}.tiff`, "image/tiff", tiff_base64);
            });
          }}
        >
          TIFF
        </button>
        <button
          type="button"
          className="small"
          title="Prints the report; choose “Save as PDF” there"
          onClick={() => {
            window.print();
          }}
        >
          Report
        </button>
      </div>
    </Section>
  );
}
