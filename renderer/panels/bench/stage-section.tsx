import { useState } from "react";
import { NumberField, Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { fixed } from "../../store/format.ts";
import { useWindow } from "../../store/window-store.ts";
import { Rail } from "./rail.tsx";

const JOGS_mm = [-10, -1, -0.1, 0.1, 1, 10] as const;

/** Where the stage is and was sent, and the ways to send it. */
export function StageSection() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const state = useWindow((one) => one.followed?.state);
  const moving = useWindow((one) => one.stage);
  const [typed, setTyped] = useState<number>();
  if (run === undefined || state?.description === undefined) return null;
  const { description, zActual_mm, zRequested_mm } = state;
  const { min, max } = description.limits_mm;
  const place_mm = moving?.z_mm ?? zActual_mm;
  const target_mm = moving?.target_mm ?? zRequested_mm;
  const go = (z_mm: number): void => {
    void desk.attempt(async () => {
      await desk.call("move_to", { run, z_mm: Number(z_mm.toFixed(4)), reason: "Moved by hand." });
      setTyped(undefined);
    });
  };
  return (
    <Section
      title="Stage"
      aside={
        <span className={state.moving ? "tone-warning" : "dim"}>
          {state.moving
            ? "moving"
            : state.limitState === "inside"
              ? "at rest"
              : state.limitState === "at_lower_limit"
                ? "at the lower limit"
                : "at the upper limit"}
        </span>
      }
    >
      <div className="stage-place">
        <span className="number stage-actual">{fixed(place_mm, 3)}</span>
        <span className="unit">mm</span>
        <span className="stage-requested dim">
          asked <span className="number">{fixed(target_mm, 3)}</span>
        </span>
      </div>
      <Rail
        description={description}
        place_mm={place_mm}
        target_mm={target_mm}
        measurements={state.measurements}
        onPick={go}
      />
      <div className="row">
        <span className="grow">
          <NumberField
            label="Go to position"
            hideLabel
            unit="mm"
            value={typed}
            min={min}
            max={max}
            onChange={setTyped}
            onEnter={() => {
              if (typed !== undefined) go(typed);
            }}
          />
        </span>
        <button
          type="button"
          disabled={typed === undefined}
          onClick={() => {
            if (typed !== undefined) go(typed);
          }}
        >
          Go
        </button>
        <button
          type="button"
          title="Find the stage's reference"
          onClick={() => void desk.attempt(() => desk.call("home", { run }))}
        >
          Home
        </button>
      </div>
      <div className="jogs" role="group" aria-label="Jog">
        {JOGS_mm.map((step_mm) => (
          <button
            key={step_mm}
            type="button"
            className="number"
            aria-label={`Jog ${step_mm} millimetres`}
            disabled={zActual_mm === undefined}
            onClick={() => {
              if (zActual_mm !== undefined) go(Math.min(max, Math.max(min, zActual_mm + step_mm)));
            }}
          >
            {step_mm > 0 ? "+" : "−"}
            {Math.abs(step_mm)}
          </button>
        ))}
      </div>
    </Section>
  );
}
