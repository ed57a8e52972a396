import type { QuestionSuiteHead } from "../../../contract/question.ts";
import { USUAL_ROLES } from "../tool-log.ts";

/** What all questions share: which tool does what, and the words in which a worry may be told. */
export const SUITE_HEAD: QuestionSuiteHead = {
  roles: { ...USUAL_ROLES },
  topics: {
    travel: ["travel", "end of the rail", "beyond the rail", "outside the rail", "out of reach", "cannot be reached", "stage limit", "soft limit"],
    beam_too_large: ["too large", "beam_too_large", "clip", "edge of the sensor", "half the sensor", "larger than the sensor", "wider than"],
    saturation: ["saturat", "overexpos", "full scale"],
    low_signal: ["low signal", "low_signal", "weak signal", "signal is weak", "underexpos", "signal-to-noise", "too dim"],
    stale_dark: ["stale", "background_stale", "background drift", "background has changed", "room light", "ambient light", "dark is old"],
    coverage: ["coverage", "not compliant", "non-compliant", "not iso", "estimate only", "far positions", "near positions", "extrapolat"],
    m2_bound: ["below 1", "below one", "less than 1", "less than one", "smaller than 1", "< 1", "at least 1", "at least one", "unphysical", "cannot be lower"],
    second_spot: ["second spot", "second_spot", "ghost", "reflection", "double spot", "satellite"],
    drift: ["drift", "wander", "is moving", "moves between", "moves with every"],
    one_sided: ["one side", "one-sided", "waist_outside", "waist lies outside", "waist is outside", "not bracket", "extrapolat"],
    keep_out: ["keep-out", "keep out", "forbidden zone", "blocked zone", "may not enter", "not allowed between"],
    no_actuator: ["mirror", "actuator", "cannot steer", "cannot turn", "cannot rotate", "no tool"],
    exposure_limit: ["exposure limit", "limit of", "longest exposure", "maximum exposure", "at most 0.", "exposure is limited", "may not expose"],
    diffraction: ["diffraction", "rayleigh", "divergence", "diverge"],
    no_spectrum: ["spectr", "wavelength cannot", "cannot measure the wavelength", "no wavelength"],
    no_darks: ["dark budget", "no dark", "darks are not", "budget of darks", "dark frames are not", "cannot take dark"],
  },
  hedged_at: 6,
};
