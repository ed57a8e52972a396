import { useEffect, useState } from "react";
import type { FrameHeader, WindowFrame } from "../../../main/contract/window-frame.ts";
import type { Measurement } from "../../../main/contract/tools.ts";
import { FrameCanvas, type FrameSource } from "../../frame/frame-canvas.tsx";
import { useDesk } from "../../store/desk.ts";
import { PageError } from "../../host/page-error.ts";

type Shown =
  | { readonly kind: "loading"; readonly long: boolean; readonly cancel: () => void }
  | { readonly kind: "frame"; readonly source: FrameSource }
  | { readonly kind: "none"; readonly why: string };

/** What takes longer can be called off. */
const LONG_MS = 2500;

interface MeasurementFrameProps {
  readonly source: string;
  readonly measurement: Measurement | undefined;
  /** Which of its frames, from 0; the last one when absent. */
  readonly index?: number | undefined;
  /** Chooses another frame of the measurement. Without it the last one alone is shown. */
  readonly onIndex?: (index: number) => void;
}

/** A raw frame behind the chosen measurement. */
export function MeasurementFrame({ source, measurement, index, onIndex }: MeasurementFrameProps) {
  const desk = useDesk();
  const id = measurement?.measurement;
  const [attempt, setAttempt] = useState(0);
  const [shown, setShown] = useState<Shown>();
  /** The frame that came last, so that the way to its neighbours stays while the next one is fetched. */
  const [came, setCame] = useState<{ readonly id: string; readonly header: FrameHeader }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks for the same frame again
  useEffect(() => {
    if (id === undefined) return;
    const call = new AbortController();
    let current = true;
    const show = (next: Shown): void => {
      if (current) setShown(next);
    };
    const end = (): void => {
      current = false;
      clearTimeout(late);
      call.abort();
    };
    const cancel = (): void => {
      show({ kind: "none", why: "Called off." });
      end();
    };
    show({ kind: "loading", long: false, cancel });
    const late = setTimeout(() => {
      show({ kind: "loading", long: true, cancel });
    }, LONG_MS);
    desk.connection
      .frame(source, id, index, { signal: call.signal })
      .then(
        (frame) => {
          show({ kind: "frame", source: stillSource(frame) });
          if (current) setCame({ id, header: frame.header });
        },
        (error: unknown) => {
          show({ kind: "none", why: error instanceof PageError ? error.message : String(error) });
        },
      )
      .finally(() => {
        clearTimeout(late);
      });
    return end;
  }, [desk, source, id, index, attempt]);
  if (id === undefined || shown === undefined) {
    return <div className="still plot-empty dim">Choose a point or a row to see its frame.</div>;
  }
  const again = (): void => {
    setAttempt((before) => before + 1);
  };
  return (
    <div className="still">
      {shown.kind === "frame" ? (
        <FrameCanvas source={shown.source} label={`Frame of ${id}`} />
      ) : shown.kind === "none" ? (
        <div className="plot-empty dim">
          <p>{shown.why}</p>
          <button type="button" className="small" onClick={again}>
            Fetch it again
          </button>
        </div>
      ) : (
        <div className="plot-empty dim">
          <p>
            {shown.long ? `Still fetching the frame of ${id}: the bench's computer is busy.` : "Fetching the frame …"}
          </p>
          {shown.long ? (
            <span className="row">
              <button type="button" className="small" onClick={again}>
                Ask again
              </button>
              <button type="button" className="small" onClick={shown.cancel}>
                Cancel
              </button>
            </span>
          ) : null}
        </div>
      )}
      {onIndex === undefined || came?.id !== id ? null : (
        <FrameSteps index={index ?? came.header.index} count={came.header.count} onIndex={onIndex} />
      )}
    </div>
  );
}

interface FrameStepsProps {
  readonly index: number | undefined;
  readonly count: number | undefined;
  readonly onIndex: (index: number) => void;
}

/** From one frame of a measurement to the next; nothing where there is one alone. */
function FrameSteps({ index, count, onIndex }: FrameStepsProps) {
  if (index === undefined || count === undefined || count < 2) return null;
  return (
    <div className="frame-steps" role="group" aria-label="Frames of the measurement">
      <button
        type="button"
        className="small"
        aria-label="Frame before"
        title="Frame before"
        disabled={index === 0}
        onClick={() => {
          onIndex(index - 1);
        }}
      >
        ‹
      </button>
      <span className="number">
        frame {index + 1} of {count}
      </span>
      <button
        type="button"
        className="small"
        aria-label="Next frame"
        title="Next frame"
        disabled={index === count - 1}
        onClick={() => {
          onIndex(index + 1);
        }}
      >
        ›
      </button>
    </div>
  );
}

/** One frame that stays. */
export function stillSource(frame: WindowFrame): FrameSource {
  return { latest: frame, subscribe: () => () => undefined };
}
