import { useState } from "react";
import { SENSOR_SIZES } from "../../../main/contract/window-verbs.ts";
import { NumberField, Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";

const SENSOR_WORDS = { "640x480": "640 × 480", "1280x1024": "1280 × 1024", "2448x2048": "2448 × 2048" } as const;

/** Puts a simulated bench on offer: its light, its noise, its sensor, its limits. */
export function SimulatorSection() {
  const desk = useDesk();
  const scenarios = useWindow((state) => state.overview?.scenarios) ?? [];
  const [scenario, setScenario] = useState("clean");
  const [seed, setSeed] = useState<number | undefined>(1);
  const [sensor, setSensor] = useState<(typeof SENSOR_SIZES)[number]>("640x480");
  const [realTime, setRealTime] = useState(true);
  const [zMin, setZMin] = useState<number>();
  const [zMax, setZMax] = useState<number>();
  const [busy, setBusy] = useState(false);
  const add = (open: boolean): void => {
    setBusy(true);
    void desk
      .attempt(async () => {
        const { bench } = await desk.call("offer_simulator", {
          scenario,
          seed: seed ?? 1,
          sensor,
          real_time: realTime,
          ...(zMin === undefined ? {} : { z_min_mm: zMin }),
          ...(zMax === undefined ? {} : { z_max_mm: zMax }),
        });
        if (!open) return;
        await desk.openBench(bench);
        desk.show("bench");
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <>
      <Section title="Simulated bench">
        <fieldset className="scenarios">
          <legend className="visually-hidden">Scenario</legend>
          {scenarios.map((one) => (
            <label key={one.scenario} className={one.scenario === scenario ? "scenario chosen" : "scenario"}>
              <input
                type="radio"
                name="scenario"
                className="visually-hidden"
                checked={one.scenario === scenario}
                onChange={() => {
                  setScenario(one.scenario);
                }}
              />
              <strong>{one.scenario.replaceAll("_", " ")}</strong>
              <span className="dim">{one.description}</span>
            </label>
          ))}
        </fieldset>
      </Section>
      <Section title="Settings">
        <div className="two">
          <NumberField label="Seed (decides the noise)" value={seed} min={0} step={1} onChange={setSeed} />
          <label className="stack">
            <span className="field-label">Sensor</span>
            <select
              value={sensor}
              onChange={(event) => {
                const chosen = SENSOR_SIZES.find((one) => one === event.currentTarget.value);
                if (chosen !== undefined) setSensor(chosen);
              }}
            >
              {SENSOR_SIZES.map((one) => (
                <option key={one} value={one}>
                  {SENSOR_WORDS[one]}
                </option>
              ))}
            </select>
          </label>
          <NumberField label="Lower limit" unit="mm" value={zMin} onChange={setZMin} />
          <NumberField label="Upper limit" unit="mm" value={zMax} onChange={setZMax} />
        </div>
        <label className="row check">
          <input
            type="checkbox"
            checked={realTime}
            onChange={(event) => {
              setRealTime(event.currentTarget.checked);
            }}
          />
          Moves and exposures last as long as real ones
        </label>
        <div className="row">
          <button
            type="button"
            className="primary grow"
            disabled={busy}
            onClick={() => {
              add(true);
            }}
          >
            Open this bench
          </button>
          <button
            type="button"
            disabled={busy}
            onClick={() => {
              add(false);
            }}
          >
            Only offer it
          </button>
        </div>
      </Section>
    </>
  );
}
