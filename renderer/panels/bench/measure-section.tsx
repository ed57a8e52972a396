import { useState } from "react";
import { NumberField, Progress, Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { plusMinus } from "../../store/format.ts";
import { useScan } from "../../store/scan.ts";
import { useWindow } from "../../store/window-store.ts";

/** One measurement where the stage stands, and the way to a whole caustic. */
export function MeasureSection() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const state = useWindow((one) => one.followed?.state);
  const work = useWindow((one) => one.work);
  const scan = useScan();
  const [frames, setFrames] = useState<number>();
  const [busy, setBusy] = useState(false);
  if (run === undefined || state?.description === undefined) return null;
  const last = state.measurements.at(-1);
  const z_mm = state.zActual_mm;
  return (
    <Section
      title="Measure"
      aside={
        <button
          type="button"
          className="small"
          onClick={() => {
            desk.show("caustic");
          }}
        >
          {state.measurements.length} measured · caustic
        </button>
      }
    >
      <div className="row">
        <span className="measure-frames">
          <NumberField
            label="Frames"
            hideLabel
            unit="frames"
            min={1}
            max={100}
            step={1}
            value={frames ?? state.description.default_frames}
            onChange={setFrames}
          />
        </span>
        <button
          type="button"
          className="primary grow"
          disabled={busy || z_mm === undefined || scan.running}
          title="Averages frames, subtracts the dark, writes the result into the log (M)"
          onClick={() => {
            if (z_mm === undefined) return;
            setBusy(true);
            void desk
              .attempt(() =>
                desk.call("measure_at", {
                  run,
                  z_mm,
                  ...(frames === undefined ? {} : { frames }),
                  reason: "The operator measures here.",
                }),
              )
              .finally(() => {
                setBusy(false);
              });
          }}
        >
          {busy ? "Measuring …" : "Measure here"}
        </button>
      </div>
      {scan.running ? (
        <Progress label={scan.doing} fraction={scan.planned === 0 ? 0 : scan.done / scan.planned} />
      ) : work !== undefined ? (
        <Progress label={work.message} fraction={work.fraction} />
      ) : last === undefined ? null : (
        <p className="last-measured dim">
          <span className="number">{last.measurement}</span>{" "}
          {last.d4sigma_x_um === undefined ? (
            <span className="tone-bad">{last.reasons[0] ?? "refused"}</span>
          ) : (
            <>
              <span className="tone-x number">{plusMinus(last.d4sigma_x_um, last.u_x_um)}</span>{" "}
              <span className="tone-y number">{plusMinus(last.d4sigma_y_um, last.u_y_um)}</span> µm
            </>
          )}
        </p>
      )}
    </Section>
  );
}
