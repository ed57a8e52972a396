import { useEffect } from "react";
import { useDesk } from "../store/desk.ts";
import { usePreferences } from "../store/preferences.ts";
import { useScan } from "../store/scan.ts";
import { useWindow, type WindowState } from "../store/window-store.ts";

interface Step {
  readonly title: string;
  readonly text: string;
  /** The step is over by itself when this holds. */
  readonly reached: (state: WindowState, scanning: boolean) => boolean;
}

/** Ends in a finished M² run: every step waits for what it asks for. */
const STEPS: readonly Step[] = [
  {
    title: "Open a bench",
    text: "Choose a bench in the bench view. A simulated one is a good start: nothing can break, and it says SIMULATED everywhere.",
    // A run that somebody has finished before is no beginning.
    reached: ({ followed }) =>
      followed?.state.description !== undefined && followed.state.finished === undefined && !followed.state.closed,
  },
  {
    title: "Look at the beam",
    text: "The live frame shows the beam with its d4σ ellipse; its numbers stand at the right. Press Auto (A) to find an exposure whose peak is bright and not saturated.",
    reached: ({ followed }) => followed?.events.some((event) => event.type === "exposure_set") === true,
  },
  {
    title: "Take a dark",
    text: "Widths are only as good as the background. Take a dark (D): frames with the beam blocked at this exposure. Measurements at it subtract their mean.",
    reached: ({ followed }) => (followed?.state.darks.length ?? 0) > 0,
  },
  {
    title: "Measure once",
    text: "Press Measure here (M). It averages frames, subtracts the dark and writes the widths with their uncertainties into the log.",
    reached: ({ followed }) => (followed?.state.measurements.length ?? 0) > 0,
  },
  {
    title: "Scan the caustic",
    text: "In the caustic view (2), start the scan. It measures along the rail, finds the waist, and goes on until both axes have what ISO 11146 asks for. STOP or Esc ends it at any moment.",
    reached: ({ followed }, scanning) =>
      !scanning &&
      [followed?.caustic?.x.result, followed?.caustic?.y.result].every(
        (axis) => axis?.determined === true && axis.iso_coverage,
      ),
  },
  {
    title: "Finish",
    text: "M² with its uncertainty stands in the result card, the check list is complete. Press Finish, choose the verdict, and the run is concluded; the log keeps every step of it.",
    reached: ({ followed }) => followed?.state.finished !== undefined,
  },
  {
    title: "Done",
    text: "That is a whole M² run. You find it among the runs, where it can be replayed event by event. An agent or a script may do the same from the agent view while you watch and can take over.",
    reached: () => false,
  },
];

/** Walks a first-time operator through one run, beside the work and not in front of it. */
export function Tour() {
  const desk = useDesk();
  const tour = useWindow((state) => state.tour);
  const tourDone = usePreferences((state) => state.tourDone);
  const ready = useWindow((state) => state.overview !== undefined);
  useEffect(() => {
    if (!tourDone && ready && useWindow.getState().tour === undefined) useWindow.setState({ tour: 0 });
  }, [tourDone, ready]);
  useEffect(() => {
    const advance = (): void => {
      const state = useWindow.getState();
      if (state.tour === undefined) return;
      if (STEPS[state.tour]?.reached(state, useScan.getState().running) === true)
        useWindow.setState({ tour: state.tour + 1 });
    };
    const ends = [useWindow.subscribe(advance), useScan.subscribe(advance)];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const step = tour === undefined ? undefined : STEPS[tour];
  if (tour === undefined || step === undefined) return null;
  const close = (): void => {
    usePreferences.getState().change({ tourDone: true });
    useWindow.setState({ tour: undefined });
  };
  const last = tour === STEPS.length - 1;
  return (
    <aside className="tour" aria-label="First run" aria-live="polite">
      <header className="row">
        <strong>{step.title}</strong>
        <span className="dim number">
          {tour + 1}/{STEPS.length}
        </span>
      </header>
      <p>{step.text}</p>
      <div className="row">
        {tour === 4 ? (
          <button
            type="button"
            className="small"
            onClick={() => {
              desk.show("caustic");
            }}
          >
            Go to the caustic
          </button>
        ) : null}
        {last ? null : (
          <button
            type="button"
            className="small"
            onClick={() => {
              useWindow.setState({ tour: tour + 1 });
            }}
          >
            Skip step
          </button>
        )}
        <button type="button" className={last ? "small primary" : "small"} onClick={close}>
          {last ? "Done" : "Close tour"}
        </button>
      </div>
    </aside>
  );
}
