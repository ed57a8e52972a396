import { useEffect, useState } from "react";
import type { WindowFrame } from "../../../main/contract/window-frame.ts";
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

/** The raw frame behind the chosen measurement. */
export function MeasurementFrame({ source, measurement }: { source: string; measurement: Measurement | undefined }) {
  const desk = useDesk();
  const id = measurement?.measurement;
  const [attempt, setAttempt] = useState(0);
  const [shown, setShown] = useState<Shown>();
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
      .frame(source, id, { signal: call.signal })
      .then(
        (frame) => {
          show({ kind: "frame", source: stillSource(frame) });
        },
        (error: unknown) => {
          show({ kind: "none", why: error instanceof PageError ? error.message : String(error) });
        },
      )
      .finally(() => {
        clearTimeout(late);
      });
    return end;
  }, [desk, source, id, attempt]);
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
    </div>
  );
}

/** One frame that stays. */
export function stillSource(frame: WindowFrame): FrameSource {
  return { latest: frame, subscribe: () => () => undefined };
}
