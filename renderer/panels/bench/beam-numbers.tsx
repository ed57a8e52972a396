import type { FrameHeader } from "../../../main/contract/window-frame.ts";
import { Reading, Section } from "../../controls/controls.tsx";
import { fixed, percent, withUncertainty } from "../../store/format.ts";
import { useWindow } from "../../store/window-store.ts";
import { FlagList } from "../flag-list.tsx";
import { frameWords } from "./frame-words.ts";

const GRADE_WORDS = { good: "Good", usable: "Usable", refused: "Refused" } as const;
const GRADE_TONES = { good: "tone-good", usable: "tone-warning", refused: "tone-bad" } as const;

/** The numbers of the frame on the screen, with uncertainties, and its flags in words. */
export function BeamNumbers() {
  const live = useWindow((state) => state.live);
  const fullScale = useWindow((state) => state.followed?.state.description?.full_scale_counts);
  const darks = useWindow((state) => state.followed?.state.darks) ?? [];
  const widths = live?.widths;
  const x = withUncertainty(widths?.d4sigma_x_um, widths?.u_x_um);
  const y = withUncertainty(widths?.d4sigma_y_um, widths?.u_y_um);
  const round = (widths?.ellipticity ?? 0) > 0.87;
  return (
    <Section
      title="Beam"
      aside={
        widths === undefined ? (
          <span className="dim">no numbers</span>
        ) : (
          <span
            className="row"
            title="Of one raw frame: its background is estimated from around the beam. A measurement averages frames and subtracts the dark of its exposure."
          >
            <span className="dim">{live === undefined ? "" : frameWords(live, darks)}</span>
            <strong className={GRADE_TONES[widths.grade]}>{GRADE_WORDS[widths.grade]}</strong>
          </span>
        )
      }
    >
      <dl className="readings">
        <Reading large label="d4σ x" tone="x" value={x.value} u={x.u} unit="µm" />
        <Reading large label="d4σ y" tone="y" value={y.value} u={y.u} unit="µm" />
        <Reading
          label="Ellipticity"
          value={fixed(widths?.ellipticity, 3)}
          title="Minor over major; above 0.87 the beam counts as round"
        />
        <Reading
          label="Azimuth"
          value={widths?.azimuth_deg === undefined || round ? "–" : fixed(widths.azimuth_deg, 1)}
          unit="°"
          title={round ? "The beam is round: its azimuth means nothing" : "Of the x axis, counter-clockwise"}
        />
        <Reading label="Centre x" value={centre(live, "x")} unit="µm" />
        <Reading label="Centre y" value={centre(live, "y")} unit="µm" />
        <Reading
          label="Peak"
          title="Above the background; the counts under the pointer are those of the camera"
          value={fixed(widths?.peak_counts, 0)}
          unit="counts"
          tone={(widths?.saturated_fraction ?? 0) > 0 ? "bad" : undefined}
        />
        <Reading
          label="Saturated"
          value={percent(widths?.saturated_fraction, 2)}
          tone={(widths?.saturated_fraction ?? 0) > 0 ? "bad" : undefined}
        />
      </dl>
      <PeakBar
        share={widths === undefined || fullScale === undefined ? undefined : widths.peak_counts / fullScale}
        saturated={(widths?.saturated_fraction ?? 0) > 0}
      />
      <div className="live-flags scroll" role="region" aria-label="Flags of the frame" tabIndex={0}>
        {widths !== undefined && widths.flags.length === 0 && widths.reasons.length === 0 ? (
          <p className="dim">No flags.</p>
        ) : (
          <FlagList compact flags={widths?.flags ?? []} reasons={widths?.reasons ?? []} />
        )}
      </div>
    </Section>
  );
}

function centre(live: FrameHeader | undefined, axis: "x" | "y"): string {
  const { outline, pixel_pitch_um = 0 } = live ?? {};
  if (outline === undefined) return "–";
  return fixed((axis === "x" ? outline.centroid_x_px : outline.centroid_y_px) * pixel_pitch_um, 1);
}

/** How much of the camera's range the peak uses; the good stretch is marked. */
function PeakBar({ share, saturated }: { share: number | undefined; saturated: boolean }) {
  const shown = saturated ? 1 : Math.min(1, share ?? 0);
  const words = saturated ? "saturated: full scale" : `${percent(share, 0)} of full scale`;
  const tone = share === undefined ? "" : saturated || share > 0.95 ? "bad" : share < 0.1 ? "warning" : "good";
  return (
    <div className="peak" role="img" aria-label={`Peak: ${words}`}>
      <span className="peak-good" />
      <span className={`peak-fill peak-${tone}`} style={{ width: `${100 * shown}%` }} />
      <span className="peak-text number">{words}</span>
    </div>
  );
}
