import { EmptyState, Segments, Toggle } from "../../controls/controls.tsx";
import { Hands } from "../../controls/hands.tsx";
import { FrameCanvas } from "../../frame/frame-canvas.tsx";
import { COLOUR_MAP_NAMES, type ColourMapName } from "../../plot/colour-maps.ts";
import { useDesk } from "../../store/desk.ts";
import { fixed } from "../../store/format.ts";
import { type Overlays, usePreferences } from "../../store/preferences.ts";
import { useWindow } from "../../store/window-store.ts";
import { BeamNumbers } from "./beam-numbers.tsx";
import { BenchStart } from "./bench-start.tsx";
import { ExposureSection } from "./exposure-section.tsx";
import { MeasureSection } from "./measure-section.tsx";
import { ProfilePlot } from "./profile-plot.tsx";
import { StageSection } from "./stage-section.tsx";
import { StripCharts } from "./strip-charts.tsx";

/** The live frame, what is measured in it, and the hands on exposure and stage. */
export function BenchView() {
  const desk = useDesk();
  const run = useWindow((state) => state.run);
  const closed = useWindow((state) => state.followed?.state.closed);
  if (run === undefined) return <BenchStart />;
  return (
    <div className="bench">
      <div className="bench-frame">
        <FrameToolbar />
        <FrameCanvas
          source={desk.frames}
          label="Live frame"
          onShown={(number) => {
            desk.connection.frameShown(number);
          }}
          onDetail={(detail) => {
            desk.showsDetail(detail);
          }}
        />
        <NoFrame />
      </div>
      <aside className="bench-side scroll" aria-label="Numbers and controls" tabIndex={-1}>
        <BeamNumbers />
        {closed === true ? (
          <EmptyState title="This run is closed">
            <p>Its result is in the caustic view and among the runs.</p>
            <button
              type="button"
              className="primary"
              onClick={() => {
                desk.look(undefined);
              }}
            >
              Open a bench
            </button>
          </EmptyState>
        ) : (
          <Hands>
            <ExposureSection />
            <StageSection />
            <MeasureSection />
          </Hands>
        )}
      </aside>
      <div className="bench-strip">
        <ProfilePlot axis="x" />
        <ProfilePlot axis="y" />
        <StripCharts />
      </div>
    </div>
  );
}

/** Why the frame is empty, where it is. */
function NoFrame() {
  const live = useWindow((state) => state.live);
  const work = useWindow((state) => state.work);
  if (live !== undefined) return null;
  return <p className="frame-waiting">{work === undefined ? "Waiting for the first frame …" : work.message}</p>;
}

const MAP_WORDS: Readonly<Record<ColourMapName, string>> = {
  inferno: "Inferno",
  viridis: "Viridis",
  grey: "Grey",
  thermal: "Thermal",
};

const OVERLAYS: readonly { readonly key: keyof Overlays; readonly label: string; readonly title: string }[] = [
  { key: "ellipse", label: "Ellipse", title: "d4σ ellipse" },
  { key: "axes", label: "Axes", title: "Principal axes through the centroid" },
  { key: "area", label: "Area", title: "Integration area, three widths across" },
  { key: "cross", label: "Cross", title: "Cross-hair at the middle of the sensor" },
  { key: "saturation", label: "Saturation", title: "Saturated pixels in a colour of their own" },
];

function FrameToolbar() {
  const desk = useDesk();
  const { colourMap, logScale, overlays, change } = usePreferences();
  const frozen = useWindow((state) => state.frozen);
  return (
    <div className="frame-bar">
      <label className="row">
        <span className="visually-hidden">Colour map</span>
        <select
          value={colourMap}
          onChange={(event) => {
            const name = COLOUR_MAP_NAMES.find((one) => one === event.currentTarget.value);
            if (name !== undefined) change({ colourMap: name });
          }}
        >
          {COLOUR_MAP_NAMES.map((name) => (
            <option key={name} value={name}>
              {MAP_WORDS[name]}
            </option>
          ))}
        </select>
      </label>
      <Segments
        label="Scale of the colours"
        value={logScale ? "log" : "linear"}
        onChange={(value) => {
          change({ logScale: value === "log" });
        }}
        options={[
          { value: "linear", label: "Lin" },
          { value: "log", label: "Log", title: "Three decades (L)" },
        ]}
      />
      <span className="row" role="group" aria-label="Drawn over the frame">
        {OVERLAYS.map(({ key, label, title }) => (
          <Toggle
            key={key}
            title={title}
            pressed={overlays[key]}
            onChange={(pressed) => {
              change({ overlays: { ...overlays, [key]: pressed } });
            }}
          >
            {label}
          </Toggle>
        ))}
      </span>
      <span className="grow" />
      <FrameFacts />
      <Toggle
        pressed={frozen}
        title="Keep this frame on the screen (Space)"
        onChange={(pressed) => {
          desk.freeze(pressed);
        }}
      >
        {frozen ? "Frozen" : "Freeze"}
      </Toggle>
    </div>
  );
}

const PURPOSE_WORDS = { live: "Live", measurement: "Measuring", dark: "Dark" } as const;

/** What the frame on the screen is. Shows again with every frame, since the numbers do. */
function FrameFacts() {
  const desk = useDesk();
  const live = useWindow((state) => state.live);
  if (live === undefined) return null;
  return (
    <span className="frame-facts number dim">
      {PURPOSE_WORDS[live.purpose]} {fixed(live.exposure_ms, live.exposure_ms < 1 ? 2 : 1)} ms · {desk.frames.rate_hz}{" "}
      fps
    </span>
  );
}
