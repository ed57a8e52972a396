import { useState } from "react";
import type { BenchFileListing, PageInput } from "../../../main/contract/window-verbs.ts";
import { NumberField } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";

type Settings = NonNullable<BenchFileListing["settings"]>;
type Edits = PageInput<"edit_bench_file">["edits"];
type Zone = Settings["keep_out_zones"][number];

const LIMITS = [
  { key: "z_min_mm", label: "Lowest position", unit: "mm" },
  { key: "z_max_mm", label: "Highest position", unit: "mm" },
  { key: "exposure_min_ms", label: "Shortest exposure", unit: "ms" },
  { key: "exposure_max_ms", label: "Longest exposure", unit: "ms" },
] as const;

/** What of a bench file is edited field by field: limits, keep-out zones, calibration. Everything else is its text. */
export function BenchFileForm(props: {
  readonly file: string;
  readonly settings: Settings;
  /** Is given the text of the file as it stands after the change. */
  readonly onSaved: (text: string) => void;
}) {
  const { file, settings, onSaved } = props;
  const desk = useDesk();
  const [draft, setDraft] = useState(settings);
  const [busy, setBusy] = useState(false);
  const edits = editsBetween(settings, draft);
  const { calibration } = draft;
  const save = (): void => {
    setBusy(true);
    void desk
      .attempt(async () => {
        const { text } = await desk.call("edit_bench_file", { file, edits });
        onSaved(text);
        desk.tell(`${file} is kept. It holds from the next time that its bench is offered.`, "good");
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <form
      className="stack"
      aria-label={`Settings of ${file}`}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div className="two">
        <NumberField
          label="Wavelength"
          unit="nm"
          value={draft.wavelength_nm}
          onChange={(value) => {
            setDraft({ ...draft, wavelength_nm: value ?? draft.wavelength_nm });
          }}
        />
        {LIMITS.map(({ key, label, unit }) => (
          <NumberField
            key={key}
            label={label}
            unit={unit}
            value={draft.limits[key]}
            onChange={(value) => {
              setDraft({ ...draft, limits: { ...draft.limits, [key]: value } });
            }}
          />
        ))}
      </div>
      {calibration === undefined ? null : (
        <fieldset className="two">
          <legend className="field-label">Bench position = zero + direction · scale · controller</legend>
          <NumberField
            label="Scale"
            value={calibration.scale}
            onChange={(scale) => {
              setDraft({ ...draft, calibration: { ...calibration, scale } });
            }}
          />
          <NumberField
            label="Zero"
            unit="mm"
            value={calibration.zero_mm}
            onChange={(zero_mm) => {
              setDraft({ ...draft, calibration: { ...calibration, zero_mm } });
            }}
          />
          <label className="stack">
            <span className="field-label">Direction</span>
            <select
              value={String(calibration.direction ?? 1)}
              onChange={(event) => {
                setDraft({ ...draft, calibration: { ...calibration, direction: Number(event.currentTarget.value) } });
              }}
            >
              <option value="1">away from the laser (+1)</option>
              <option value="-1">towards the laser (−1)</option>
            </select>
          </label>
        </fieldset>
      )}
      <Zones
        zones={draft.keep_out_zones}
        onChange={(keep_out_zones) => {
          setDraft({ ...draft, keep_out_zones });
        }}
      />
      <div className="row">
        <span className="grow" />
        <button
          type="button"
          disabled={edits.length === 0}
          onClick={() => {
            setDraft(settings);
          }}
        >
          As it was
        </button>
        <button type="submit" className="primary" disabled={busy || edits.length === 0}>
          Save settings
        </button>
      </div>
    </form>
  );
}

function Zones({ zones, onChange }: { readonly zones: readonly Zone[]; readonly onChange: (zones: Zone[]) => void }) {
  const change = (at: number, part: Partial<Zone>): void => {
    onChange(zones.map((zone, index) => (index === at ? { ...zone, ...part } : zone)));
  };
  return (
    <fieldset className="stack">
      <legend className="field-label">Keep-out zones</legend>
      {zones.map((zone, index) => (
        // A zone has no name of its own; its place in the list is what it is known by.
        // biome-ignore lint/suspicious/noArrayIndexKey: zones are edited in place
        <div key={index} className="row wrap">
          <NumberField
            label={`From, zone ${index + 1}`}
            unit="mm"
            value={zone.from_mm}
            onChange={(value) => {
              change(index, { from_mm: value ?? 0 });
            }}
          />
          <NumberField
            label={`To, zone ${index + 1}`}
            unit="mm"
            value={zone.to_mm}
            onChange={(value) => {
              change(index, { to_mm: value ?? 0 });
            }}
          />
          <label className="stack grow">
            <span className="field-label">Why, zone {index + 1}</span>
            <input
              value={zone.why ?? ""}
              onChange={(event) => {
                change(index, { why: event.currentTarget.value });
              }}
            />
          </label>
          <button
            type="button"
            aria-label={`Remove zone ${index + 1}`}
            onClick={() => {
              onChange(zones.filter((_zone, place) => place !== index));
            }}
          >
            Remove
          </button>
        </div>
      ))}
      <div className="row">
        <button
          type="button"
          onClick={() => {
            onChange([...zones, { from_mm: 0, to_mm: 0 }]);
          }}
        >
          Add a zone
        </button>
      </div>
    </fieldset>
  );
}

/** The fields that differ. A field that was emptied is taken away; a list of zones is written anew as a whole. */
function editsBetween(before: Settings, after: Settings): Edits {
  const edits: Edits = [];
  const compare = (path: string[], was: number | undefined, is: number | undefined): void => {
    if (was !== is) edits.push(is === undefined ? { path } : { path, value: is });
  };
  compare(["wavelength_nm"], before.wavelength_nm, after.wavelength_nm);
  for (const { key } of LIMITS) compare(["limits", key], before.limits[key], after.limits[key]);
  for (const key of ["scale", "direction", "zero_mm"] as const) {
    compare(["instruments", "stage", "calibration", key], before.calibration?.[key], after.calibration?.[key]);
  }
  const zones = after.keep_out_zones.map(({ why, ...zone }) =>
    why === undefined || why === "" ? zone : { ...zone, why },
  );
  if (JSON.stringify(zones) !== JSON.stringify(before.keep_out_zones)) {
    edits.push(zones.length === 0 ? { path: ["keep_out_zones"] } : { path: ["keep_out_zones"], value: zones });
  }
  return edits;
}
