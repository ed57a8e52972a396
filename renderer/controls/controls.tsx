import { type ReactNode, useId, useState } from "react";

/** A titled block of a side panel. `aside` stands at the right end of its title. */
export function Section(props: { title: string; aside?: ReactNode; children: ReactNode; className?: string }) {
  const id = useId();
  return (
    <section className={`section ${props.className ?? ""}`} aria-labelledby={id}>
      <header className="section-title">
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

/** One label and one value in tabular figures, with its uncertainty and unit. */
export function Reading(props: {
  label: ReactNode;
  value: string;
  u?: string | undefined;
  unit?: string;
  tone?: "x" | "y" | "bad" | "warning" | undefined;
  large?: boolean;
  title?: string;
}) {
  return (
    <div className={`reading ${props.large === true ? "reading-large" : ""}`} title={props.title}>
      <dt className={props.tone === undefined ? "" : `tone-${props.tone}`}>{props.label}</dt>
      <dd>
        <span className="number">{props.value}</span>
        {props.u === undefined ? null : <span className="uncertainty">± {props.u}</span>}
        {props.unit === undefined ? null : <span className="unit">{props.unit}</span>}
      </dd>
    </div>
  );
}

/**
 * A number that a person types. Empty is `undefined`; where its owner keeps the last number then, the field stays empty until it is
 * left, so that another one can be typed. Arrow keys change it by `step`.
 */
export function NumberField(props: {
  label: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  onEnter?: () => void;
  unit?: string;
  step?: number;
  min?: number | undefined;
  max?: number | undefined;
  disabled?: boolean;
  hideLabel?: boolean;
}) {
  const id = useId();
  const [emptied, setEmptied] = useState(false);
  return (
    <span className="field">
      <label htmlFor={id} className={props.hideLabel === true ? "visually-hidden" : "field-label"}>
        {props.label}
      </label>
      <span className="field-box">
        <input
          id={id}
          type="number"
          inputMode="decimal"
          className="number"
          value={emptied ? "" : (props.value ?? "")}
          step={props.step ?? "any"}
          min={props.min}
          max={props.max}
          disabled={props.disabled}
          onChange={(event) => {
            const { value, valueAsNumber } = event.currentTarget;
            setEmptied(value === "");
            props.onChange(value === "" || !Number.isFinite(valueAsNumber) ? undefined : valueAsNumber);
          }}
          onBlur={() => {
            setEmptied(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || props.onEnter === undefined) return;
            props.onEnter();
            // The number is given: keys are commands again.
            event.currentTarget.blur();
          }}
        />
        {props.unit === undefined ? null : <span className="unit">{props.unit}</span>}
      </span>
    </span>
  );
}

/** A choice of one of a few, shown side by side. */
export function Segments<Value extends string>(props: {
  label: string;
  options: readonly { readonly value: Value; readonly label: string; readonly title?: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{props.label}</legend>
      {props.options.map((option) => (
        <label key={option.value} title={option.title} className={option.value === props.value ? "chosen" : ""}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={option.value === props.value}
            onChange={() => {
              props.onChange(option.value);
            }}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

/** A button that stays pressed. */
export function Toggle(props: {
  pressed: boolean;
  onChange: (pressed: boolean) => void;
  title?: string;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="toggle"
      aria-pressed={props.pressed}
      title={props.title}
      onClick={() => {
        props.onChange(!props.pressed);
      }}
    >
      {props.children}
    </button>
  );
}

/** What stands where nothing is yet: why, and what to do. */
export function EmptyState(props: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** How far long work has come. */
export function Progress(props: { label: string; fraction: number }) {
  return (
    <div className="progress">
      <progress value={props.fraction} max={1} aria-label={props.label} />
      <span>{props.label}</span>
    </div>
  );
}
