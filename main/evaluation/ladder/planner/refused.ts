import type { LadderCall } from "../ladder-driver.ts";

/** The request cannot be done as it stands: no tool, no such thing, or several readings. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** The readings, where there are several. */
  readonly candidates: readonly LadderCall[] | undefined;

  constructor(why: string, candidates?: readonly LadderCall[]) {
    super(why);
    this.candidates = candidates;
  }
}
