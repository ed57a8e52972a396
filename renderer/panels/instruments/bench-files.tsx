import { useState } from "react";
import { Section } from "../../controls/controls.tsx";
import { PageError } from "../../host/page-error.ts";
import { useBenchFileDraft } from "../../store/bench-file-draft.ts";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";
import { BenchFileForm } from "./bench-file-form.tsx";

/** Files that describe benches: instruments, addresses, limits, zones, calibration. */
export function BenchFiles() {
  const desk = useDesk();
  const files = useWindow((state) => state.overview?.bench_files) ?? [];
  const { name, opened, text } = useBenchFileDraft();
  const [refusal, setRefusal] = useState<PageError>();
  const chosen = files.find((file) => file.file === opened);
  const changed = text !== undefined && text !== (chosen?.text ?? TEMPLATE);
  const write = (next: { name: string; opened: string | undefined; text: string }): void => {
    if (changed) {
      desk.tell(
        `${name} has changes that are not kept: keep them, or put the file away, before another one.`,
        "warning",
      );
      return;
    }
    useBenchFileDraft.setState(next);
    setRefusal(undefined);
  };
  const save = async (): Promise<void> => {
    if (text === undefined) return;
    if (name !== opened && files.some((file) => file.file === name)) {
      setRefusal(new PageError("bad_argument", `There is another file ${name}`, "Choose a name that is free."));
      return;
    }
    try {
      await desk.call("save_bench_file", { file: name, text });
      useBenchFileDraft.setState({ opened: name });
      setRefusal(undefined);
      desk.tell(`${name} is kept.`, "good");
    } catch (error) {
      setRefusal(error instanceof PageError ? error : new PageError("internal", String(error), ""));
    }
  };
  return (
    <Section title="Bench files">
      <p className="dim">
        A bench is a YAML file: which stage and camera at which address, wavelength, calibration, limits and keep-out
        zones. Limits live there and nowhere else, so no driver can talk its way past them.
      </p>
      <div className="row wrap">
        {files.map((file) => (
          <span key={file.file} className="file-chip">
            <button
              type="button"
              aria-pressed={file.file === opened && text !== undefined}
              onClick={() => {
                write({ name: file.file, opened: file.file, text: file.text });
              }}
            >
              {file.file}
            </button>
            <button
              type="button"
              disabled={file.problem !== undefined}
              title={file.problem ?? "Puts the bench among those above, where it can be tested and opened"}
              onClick={() =>
                void desk.attempt(async () => {
                  const { bench } = await desk.call("offer_bench_file", { file: file.file });
                  desk.tell(`${bench} is on offer.`, "good");
                })
              }
            >
              Offer
            </button>
          </span>
        ))}
        <button
          type="button"
          onClick={() => {
            write({ name: freeName(files.map((file) => file.file)), opened: undefined, text: TEMPLATE });
          }}
        >
          New file
        </button>
      </div>
      {text === undefined || chosen?.problem === undefined ? null : (
        <p role="alert" className="tone-bad">
          {chosen.problem}
        </p>
      )}
      {chosen?.settings === undefined || text === undefined ? null : changed ? (
        <p className="dim">Limits, zones and calibration can be set field by field again once the text is kept.</p>
      ) : (
        // A file that was saved is another form: its fields start from what stands there now.
        <BenchFileForm
          key={chosen.text}
          file={chosen.file}
          settings={chosen.settings}
          onSaved={(saved) => {
            useBenchFileDraft.setState({ text: saved });
          }}
        />
      )}
      {text === undefined ? null : (
        <>
          <label className="stack">
            <span className="field-label">File name</span>
            <input
              value={name}
              onChange={(event) => {
                useBenchFileDraft.setState({ name: event.currentTarget.value });
              }}
            />
          </label>
          <label className="stack">
            <span className="field-label">Content</span>
            <textarea
              className="number"
              rows={14}
              spellCheck={false}
              value={text}
              onChange={(event) => {
                useBenchFileDraft.setState({ text: event.currentTarget.value });
              }}
            />
          </label>
          {refusal === undefined ? null : (
            <p role="alert" className="tone-bad">
              {refusal.message}. {refusal.hint}
            </p>
          )}
          <div className="row">
            <span className="grow" />
            <button
              type="button"
              onClick={() => {
                useBenchFileDraft.setState({ text: undefined });
                setRefusal(undefined);
              }}
            >
              Put away
            </button>
            <button type="button" className="primary" onClick={() => void save()}>
              Keep
            </button>
          </div>
        </>
      )}
    </Section>
  );
}

function freeName(taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? "my-bench.yaml" : `my-bench-${number}.yaml`;
    if (!taken.includes(name)) return name;
  }
}

const TEMPLATE = `# Limits and zones hold for everybody who drives this bench.
bench: my-bench
wavelength_nm: 632.8
pixel_pitch_um: 3.45
instruments:
  stage:
    driver: zaber-ascii
    address: /dev/ttyUSB0
    microstep_um: 0.047625
    calibration: { scale: 1, direction: 1, zero_mm: 0 }
  camera:
    driver: genicam
  shutter:
    driver: operator
limits:
  z_min_mm: 5
  z_max_mm: 145
keep_out_zones:
  - { from_mm: 90, to_mm: 100, why: lens mount }
`;
