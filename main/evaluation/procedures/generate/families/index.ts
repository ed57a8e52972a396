import type { ProcedureTier } from "../../../../contract/procedure-task.ts";
import type { Family } from "../draft.ts";
import { POSITIONS_AND_MOVES } from "./positions-and-moves.ts";

/** Tasks that are kept of each family. */
export const KEPT_OF: Readonly<Record<ProcedureTier, number>> = { core: 4, derived: 5, programmatic: 5, extraction: 4 };

export const FAMILIES: readonly Family[] = [...POSITIONS_AND_MOVES];
