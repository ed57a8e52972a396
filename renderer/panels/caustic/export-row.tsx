import { useEffect, useState } from "react";
import { createPortal, flushSync } from "react-dom";
import { saveBase64, saveText } from "../../host/save-file.ts";
import { PageError } from "../../host/page-error.ts";
import { useDesk } from "../../store/desk.ts";
import { causticCsv, plotCaption, runJson } from "./exports.ts";
import { savePlotPng, savePlotSvg } from "./plot-picture.ts";
import { type ExportedRun, Report } from "./report.tsx";
import { reportDocument } from "./report-document.ts";

interface ExportRowProps {
  readonly run: ExportedRun;
  readonly selected: string | undefined;
  /** Which frame of the selected measurement, from 0; the last one when absent. */
  readonly index?: number | undefined;
}

/** Takes a run's results along: table, values, pictures, a raw frame, the report. The files have the name of the run. */
export function ExportRow({ run, selected, index }: ExportRowProps) {
  const name = run.kept?.record ?? run.state.description?.bench ?? "run";
  const desk = useDesk();
  const [printing, setPrinting] = useState<AbortController>();
  // The report is there while something is made of it: it has a row for every measurement.
  const [paper, setPaper] = useState(false);
  const show = (shown: boolean): void => {
    flushSync(() => {
      setPaper(shown);
    });
  };
  const onPaper = <Made,>(make: () => Made): Made => {
    show(true);
    try {
      return make();
    } finally {
      show(false);
    }
  };
  useEffect(() => {
    // The browser's own way of printing gives the report too.
    const before = (): void => {
      show(true);
    };
    const after = (): void => {
      show(false);
    };
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, []);
  const saveReport = async ({ signal }: AbortController): Promise<void> => {
    const html = onPaper(() => reportDocument(name));
    try {
      const { pdf_base64 } = await desk.call("print_pdf", { html }, { signal });
      saveBase64(`${name}.pdf`, "application/pdf", pdf_base64);
    } catch (error) {
      if (signal.aborted) {
        desk.tell("The report was not printed: you called it off.", "warning");
        return;
      }
      if (!(error instanceof PageError && error.code === "not_offered")) throw error;
      saveText(`${name}.html`, "text/html", `<!doctype html>${html}`);
      desk.tell("Saved as HTML, ready to be printed: no browser on the bench's machine makes a PDF.", "warning");
    }
  };
  return (
    <div className="row wrap" role="group" aria-label="Export">
      <span className="dim">Export</span>
      <button
        type="button"
        className="small"
        title={
          printing === undefined
            ? "The result, the check list, the plot and every measurement on A4 pages"
            : "The report is being printed; this calls it off"
        }
        onClick={() => {
          if (printing !== undefined) {
            printing.abort();
            return;
          }
          const call = new AbortController();
          setPrinting(call);
          void desk
            .attempt(() => saveReport(call))
            .finally(() => {
              setPrinting(undefined);
            });
        }}
      >
        {printing === undefined ? "PDF" : "Printing … Cancel"}
      </button>
      <button
        type="button"
        className="small"
        title="The measurements as a table that caustic fit reads"
        onClick={() => {
          saveText(`${name}.csv`, "text/csv", causticCsv(run));
        }}
      >
        CSV
      </button>
      <button
        type="button"
        className="small"
        title="Bench, measurements, darks, fit and verdict"
        onClick={() => {
          saveText(`${name}.json`, "application/json", runJson(run));
        }}
      >
        JSON
      </button>
      <button
        type="button"
        className="small"
        title="The plot as a drawing"
        onClick={() =>
          void desk.attempt(async () => {
            onPaper(() => {
              savePlotSvg(`${name}.svg`, plotCaption(run, name));
            });
          })
        }
      >
        SVG
      </button>
      <button
        type="button"
        className="small"
        title="The plot as a picture"
        onClick={() => void desk.attempt(() => onPaper(() => savePlotPng(`${name}.png`, plotCaption(run, name))))}
      >
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
            const { tiff_base64 } = await desk.call("frame_tiff", {
              source: run.source,
              id: selected,
              ...(index === undefined ? {} : { index }),
            });
            const frame = index === undefined ? "" : `-${index}`;
            saveBase64(`${name}-${selected}${frame}.tiff`, "image/tiff", tiff_base64);
          });
        }}
      >
        TIFF
      </button>
      {paper ? createPortal(<Report run={run} />, document.body) : null}
    </div>
  );
}
