import type { BeamFault, PrincipalAxis, Scenario } from "./scenario.ts";

/** Counts per ms that give the clean beam a peak of 2800 counts at its waist in 1 ms. */
export const USUAL_POWER_counts_per_ms = 6.5e5;

const CLEAN_X: PrincipalAxis = { w0_um: 65, m2: 1.2, z0_mm: 130 };
const CLEAN_Y: PrincipalAxis = { w0_um: 68, m2: 1.3, z0_mm: 128 };

function clean(name: string, changes: Partial<Scenario> = {}): Scenario {
  return {
    name,
    x: CLEAN_X,
    y: CLEAN_Y,
    azimuth_deg: 0,
    power_counts_per_ms: USUAL_POWER_counts_per_ms,
    profile: "gaussian",
    faults: [],
    ...changes,
  };
}

const ROOM_LIGHT: BeamFault = { kind: "room_light", counts_per_ms: 0.05, counts_per_ms_per_measurement: 0.03 };

/** The known scenarios. The two with ghosts are for development: no held-out case has their parameters. */
export const SCENARIOS = {
  clean: clean("clean"),
  partial_saturation: clean("partial_saturation", { power_counts_per_ms: 3.2e6 }),
  background_drift: clean("background_drift", { faults: [ROOM_LIGHT] }),
  beam_too_large: clean("beam_too_large", {
    x: { w0_um: 42, m2: 1.5, z0_mm: 128 },
    y: { w0_um: 44, m2: 1.6, z0_mm: 131 },
  }),
  waist_outside_range: clean("waist_outside_range", {
    x: { ...CLEAN_X, z0_mm: 300 },
    y: { ...CLEAN_Y, z0_mm: 296 },
  }),
  different_waists: clean("different_waists", {
    x: { ...CLEAN_X, z0_mm: 90 },
    y: { ...CLEAN_Y, z0_mm: 165 },
  }),
  ghost_everywhere: clean("ghost_everywhere", {
    faults: [{ kind: "ghost", relative_power: 0.15, offset_x_m: 0.25e-3, offset_y_m: 0.3e-3 }],
  }),
  ghost_in_range: clean("ghost_in_range", {
    faults: [
      { kind: "ghost", relative_power: 0.1, offset_x_m: -0.15e-3, offset_y_m: 0.45e-3, z_min_m: 0.02, z_max_m: 0.095 },
    ],
  }),
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

/** The scenario of that name; undefined when there is none. `random_scenario` is made from a seed instead. */
export function scenarioNamed(name: string): Scenario | undefined {
  return Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name as ScenarioName] : undefined;
}
