/**
 * Memory of a frame that serves other frames once nobody holds this one. Whoever gets the frame from a camera holds it once; the
 * samples are valid until the last holder has let go.
 */
export interface FrameMemory {
  /** One holder more. Throws RangeError when the last one has already let go. */
  hold(): void;
  /** One holder less. Throws RangeError when nobody held it. */
  release(): void;
  /** The samples stay valid for ever: the memory never serves another frame. From then on holding and letting go mean nothing. */
  keep(): void;
}

/** Room for the samples of one frame, held once by whoever got it. */
export interface FrameRoom {
  readonly samples: Uint16Array;
  readonly memory: FrameMemory;
}
