/** Blocks the beam for dark frames. A bench without one asks the operator to block the beam. */
export interface BeamShutter {
  readonly model: string;
  readonly simulated: boolean;
  /** Resolves when the shutter stands open or closed. */
  setOpen(open: boolean): Promise<void>;
  close(): Promise<void>;
}
