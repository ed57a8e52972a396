import type { ProcedureTier } from "../../../../contract/procedure-task.ts";
import type { Family } from "../draft.ts";
import { COARSE_TO_FINE_LOOPS } from "./coarse-to-fine-loops.ts";
import { CONDITIONAL_RETAKES } from "./conditional-retakes.ts";
import { DARK_LIBRARIES } from "./dark-libraries.ts";
import { DERIVED_TEST } from "./derived-test.ts";
import { DERIVED_TRAIN } from "./derived-train.ts";
import { EXPOSURES_AND_SATURATION } from "./exposures-and-saturation.ts";
import { EXTRACTION } from "./extraction.ts";
import { LENS_AND_PROPAGATION } from "./lens-and-propagation.ts";
import { NAMED_RESULTS } from "./named-results.ts";
import { NEAR_FAR_LAYOUTS } from "./near-far-layouts.ts";
import { POSITIONS_AND_MOVES } from "./positions-and-moves.ts";
import { PROGRAMMATIC } from "./programmatic.ts";

/** Tasks that are kept of each family. */
export const KEPT_OF: Readonly<Record<ProcedureTier, number>> = { core: 4, derived: 5, programmatic: 5, extraction: 3 };

/** Every family, in the order in which its tasks stand in their file. */
export const FAMILIES: readonly Family[] = [
  ...POSITIONS_AND_MOVES,
  ...EXPOSURES_AND_SATURATION,
  ...DARK_LIBRARIES,
  ...COARSE_TO_FINE_LOOPS,
  ...NEAR_FAR_LAYOUTS,
  ...LENS_AND_PROPAGATION,
  ...CONDITIONAL_RETAKES,
  ...NAMED_RESULTS,
  ...DERIVED_TRAIN,
  ...DERIVED_TEST,
  ...PROGRAMMATIC,
  ...EXTRACTION,
];
