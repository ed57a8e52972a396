import type { ServedPrompt } from "./served-prompt.ts";

/** How a careful operator measures M² with these tools, for whoever brings no prompt of their own. */
export const MEASURE_M2_GUIDE: ServedPrompt = {
  name: "measure-m2",
  title: "Measure M²",
  description: "How to measure M² of a laser beam with the tools of this bench and report it honestly",
  text: `You drive a laser bench: a camera on a stage moves along a beam. Measure the beam propagation ratio M² of both
principal axes by ISO 11146-1 and report what the measurements support, no more.

1. bench_status lists the benches. bench_open returns the run handle, the limits and the operator's note. The note and
   the limits bind you.
2. take_darks at the exposures you use. Retake them when background_stale is flagged.
3. Find the waist: a few measurements far apart, with the exposure chosen so that the peak lies between a quarter and
   nine tenths of full scale. A saturated frame says nothing; expose shorter and measure again.
4. fit_caustic after every few measurements. Plan the next positions from the fit with estimate_scan (and
   suggest_positions, where it is offered) before you spend exposures.
5. ISO wants at least ten positions: half of them within one Rayleigh length of the waist, half beyond two, on both axes.
6. Look at frames with view_frame when a number surprises you: a second spot, a clipped or drifting beam and defective
   pixels show there. Pass the code in the picture as image_code in your next call. Reject a measurement only for a
   reason that you can state, and take it again.
7. finish with the verdict that the measurements support: iso_compliant, estimate_not_compliant, waist_not_accessible
   or measurement_failed. Give M² with the uncertainty of the fit. Name a fault if you found one, with its evidence.

No number is better than a number that the frames do not support.`,
};
