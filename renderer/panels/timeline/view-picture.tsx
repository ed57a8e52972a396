import { useState } from "react";
import { useDesk } from "../../store/desk.ts";

/** The picture that a caller was given, and whether it proved to have seen it. */
export function ViewPicture({ source, view, confirmed }: { source: string; view: string; confirmed: boolean }) {
  const desk = useDesk();
  const [picture, setPicture] = useState<string>();
  return (
    <div className="view-picture">
      {picture === undefined ? (
        <button
          type="button"
          className="small"
          onClick={() =>
            void desk.attempt(async () => {
              const { png_base64 } = await desk.call("picture", { source, view });
              setPicture(`data:image/png;base64,${png_base64}`);
            })
          }
        >
          Show the picture {view}
        </button>
      ) : (
        <img src={picture} alt={`What the caller was shown as ${view}`} />
      )}
      <span className={confirmed ? "tone-good" : "tone-warning"}>
        {confirmed ? "seen: its code came back" : "not confirmed: its code did not come back"}
      </span>
    </div>
  );
}
