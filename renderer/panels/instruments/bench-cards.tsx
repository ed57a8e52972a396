import { useState } from "react";
import type { PageOutput } from "../../../main/contract/window-verbs.ts";
import { Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { useWindow } from "../../store/window-store.ts";

type Test = PageOutput<"test_bench">["instruments"];

/** Benches on offer, with a test of their instruments and the facts of the one that is open. */
export function BenchCards() {
  const desk = useDesk();
  const benches = useWindow((state) => state.overview?.benches) ?? [];
  const [tests, setTests] = useState<ReadonlyMap<string, Test>>(new Map());
  const [testing, setTesting] = useState<string>();
  return (
    <Section title="Benches on offer">
      {benches.length === 0 ? (
        <p className="dim">None yet: set up a simulated one at the right, or load a bench file.</p>
      ) : null}
      <ul className="offers">
        {benches.map((bench) => (
          <li key={bench.bench} className="offer">
            <div>
              <strong>{bench.bench}</strong>
              <span className={`badge ${bench.simulated ? "badge-simulated" : "badge-real"}`}>
                {bench.simulated ? "SIMULATED" : "REAL"}
              </span>
              {bench.in_use ? <span className="tone-good">in use</span> : null}
              <p className="dim">{bench.about ?? bench.description}</p>
              {tests.get(bench.bench)?.map((instrument) => (
                <p key={instrument.role} className={instrument.ok ? "tone-good" : "tone-bad"}>
                  {instrument.ok ? "✓" : "✕"} {instrument.role}: {instrument.message}
                </p>
              ))}
            </div>
            <span className="row">
              <button
                type="button"
                disabled={testing !== undefined}
                title="Connects to the instruments and asks who they are; nothing moves"
                onClick={() => {
                  setTesting(bench.bench);
                  void desk
                    .attempt(async () => {
                      const { instruments } = await desk.call("test_bench", { bench: bench.bench });
                      setTests(new Map(tests).set(bench.bench, instruments));
                    })
                    .finally(() => {
                      setTesting(undefined);
                    });
                }}
              >
                {testing === bench.bench ? "Testing …" : "Test"}
              </button>
              <button
                type="button"
                className="primary"
                onClick={() =>
                  void desk.attempt(async () => {
                    await desk.openBench(bench.bench);
                    desk.show("bench");
                  })
                }
              >
                {bench.in_use ? "Join" : "Open"}
              </button>
            </span>
          </li>
        ))}
      </ul>
      <OpenBenchFacts />
    </Section>
  );
}

/** What is known of the bench that is open: limits, zones, rules. They hold for everybody and are set in the bench's file. */
function OpenBenchFacts() {
  const description = useWindow((state) => state.followed?.state.description);
  if (description === undefined) return null;
  const range = ({ min, max }: { min: number; max: number }, unit: string): string => `${min} … ${max} ${unit}`;
  return (
    <dl className="facts">
      <Fact name="Open bench" value={description.bench} />
      <Fact name="Wavelength" value={`${description.wavelength_nm} nm`} />
      <Fact
        name="Sensor"
        value={`${description.sensor_width_px} × ${description.sensor_height_px} px of ${description.pixel_pitch_um} µm, ${description.bit_depth} bit`}
      />
      <Fact name="Travel" value={range(description.stage_travel_mm, "mm")} />
      <Fact name="Soft limits" value={range(description.limits_mm, "mm")} />
      <Fact name="Exposure" value={range(description.exposure_range_ms, "ms")} />
      <Fact
        name="Keep-out zones"
        value={
          description.keep_out_zones.length === 0
            ? "none"
            : description.keep_out_zones
                .map(
                  (zone) =>
                    `${zone.from_mm} … ${zone.to_mm} mm${zone.passing === "allowed" ? ", passing allowed" : ""}${zone.why === undefined ? "" : ` (${zone.why})`}`,
                )
                .join("; ")
        }
      />
      {description.rules.map((rule) => (
        <Fact key={rule} name="Rule" value={rule} />
      ))}
      {description.operator_note === undefined ? null : <Fact name="Note" value={description.operator_note} />}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="dim">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
