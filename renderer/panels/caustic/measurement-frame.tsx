import { useEffect, useState } from "react";
import type { WindowFrame } from "../../../main/contract/window-frame.ts";
import type { Measurement } from "../../../main/contract/tools.ts";
import { FrameCanvas, type FrameSource } from "../../frame/frame-canvas.tsx";
import { useDesk } from "../../store/desk.ts";
import { PageError } from "../../host/page-error.ts";

type Shown =
  | { readonly kind: "loading" }
  | { readonly kind: "frame"; readonly source: FrameSource }
  | { readonly kind: "none"; readonly why: string };

/** The raw frame behind the chosen measurement. */
export function MeasurementFrame({ source, measurement }: { source: string; measurement: Measurement | undefined }) {
  const desk = useDesk();
  const id = measurement?.measurement;
  const [shown, setShown] = useState<Shown>({ kind: "loading" });
  useEffect(() => {
    if (id === undefined) return;
    let current = true;
    setShown({ kind: "loading" });
    desk.connection.frame(source, id).then(
      (frame) => {
        if (current) setShown({ kind: "frame", source: stillSource(frame) });
      },
      (error: unknown) => {
        if (current) setShown({ kind: "none", why: error instanceof PageError ? error.message : String(error) });
      },
    );
    return () => {
      current = false;
    };
  }, [desk, source, id]);
  if (id === undefined) {
    return <div className="still plot-empty dim">Choose a point or a row to see its frame.</div>;
  }
  return (
    <div className="still">
      {shown.kind === "frame" ? (
        <FrameCanvas source={shown.source} label={`Frame of ${id}`} />
      ) : (
        <div className="plot-empty dim">{shown.kind === "loading" ? "Fetching the frame …" : shown.why}</div>
      )}
    </div>
  );
}

/** One frame that stays. */
export function stillSource(frame: WindowFrame): FrameSource {
  return { latest: frame, subscribe: () => () => undefined };
}
