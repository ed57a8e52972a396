import { useState } from "react";
import { NumberField, Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { significant } from "../../store/format.ts";
import { useWindow } from "../../store/window-store.ts";

/** Exposure by hand or by itself, and the darks that belong to it. */
export function ExposureSection() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const state = useWindow((one) => one.followed?.state);
  const [typed, setTyped] = useState<number>();
  const [busy, setBusy] = useState<"auto" | "dark">();
  if (run === undefined || state?.description === undefined) return null;
  const { exposure_ms, exposureRequested_ms, darks, description } = state;
  const { min, max } = description.exposure_range_ms;
  const set = (wanted_ms: number): void => {
    void desk.attempt(async () => {
      await desk.call("set_exposure", { run, exposure_ms: wanted_ms, reason: "Set by hand." });
      setTyped(undefined);
    });
  };
  /** A step goes as far as the camera does; a number that was typed in is refused beyond it. */
  const step = (factor: number): void => set(Math.min(max, Math.max(min, exposure_ms * factor)));
  const work = (what: "auto" | "dark", done: () => Promise<unknown>): void => {
    setBusy(what);
    void desk.attempt(done).finally(() => {
      setBusy(undefined);
    });
  };
  const dark = darks.findLast((one) => Math.abs(one.exposure_ms / exposure_ms - 1) < 1e-6);
  return (
    <Section
      title="Exposure"
      aside={
        <span className="number">
          {significant(exposure_ms, 4)} <span className="unit">ms</span>
          {Math.abs(exposureRequested_ms / exposure_ms - 1) > 1e-6 ? (
            <span className="dim"> (asked {significant(exposureRequested_ms, 4)})</span>
          ) : null}
        </span>
      }
    >
      <div className="row">
        <span className="grow">
          <NumberField
            label="Exposure time"
            hideLabel
            unit="ms"
            value={typed ?? exposure_ms}
            min={min}
            max={max}
            onChange={setTyped}
            onEnter={() => {
              if (typed !== undefined) set(typed);
            }}
          />
        </span>
        <button
          type="button"
          disabled={typed === undefined}
          onClick={() => {
            if (typed !== undefined) set(typed);
          }}
        >
          Set
        </button>
        <button
          type="button"
          title="Half"
          aria-label="÷2, half the exposure"
          onClick={() => {
            step(1 / 2);
          }}
        >
          ÷2
        </button>
        <button
          type="button"
          title="Double"
          aria-label="×2, double the exposure"
          onClick={() => {
            step(2);
          }}
        >
          ×2
        </button>
        <button
          type="button"
          title="Looks for an exposure, in powers of two, whose peak lies between 37 and 80 % of full scale (A)"
          disabled={busy !== undefined}
          onClick={() => {
            work("auto", async () => {
              const found = await desk.call("auto_exposure", { run, reason: "The operator asked for it." });
              if (!found.reached) desk.tell(`No better exposure between ${min} and ${max} ms.`, "warning");
            });
          }}
        >
          {busy === "auto" ? "…" : "Auto"}
        </button>
      </div>
      <div className="row">
        <span className="grow dim">
          {dark === undefined ? (
            <span className="tone-warning">No dark at this exposure</span>
          ) : (
            <>
              Dark <span className="number">{dark.dark}</span>, {dark.frames} frames, noise{" "}
              <span className="number">{significant(dark.noise_counts, 2)}</span>
            </>
          )}
        </span>
        <button
          type="button"
          title="With the beam blocked (D)"
          disabled={busy !== undefined}
          onClick={() => {
            work("dark", () => desk.call("take_darks", { run, exposure_ms, reason: "The operator asked for it." }));
          }}
        >
          {busy === "dark" ? "Taking …" : dark === undefined ? "Take dark" : "Retake dark"}
        </button>
      </div>
    </Section>
  );
}
