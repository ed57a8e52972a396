import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { ToolInput } from "../contract/tools.ts";
import { COLOUR_MAP_NAME } from "./colour-map.ts";
import type { Eventually } from "./frame-work.ts";
import type { Picture } from "./picture.ts";
import type { Body, Call, Workplace } from "./workplace.ts";

interface Shown {
  readonly frame: Frame;
  readonly z_actual_mm: number;
}

/** Draws a stored frame or a new one, with a code that shows later whether the picture arrived. */
export async function viewFrame(
  place: Workplace,
  input: ToolInput<"view_frame">,
  call: Call,
): Promise<Body<"view_frame">> {
  const { measurement: id, live = false, crop, log_scale = false } = input;
  const { views, log, budgets, frames } = place;
  if ((id !== undefined) === live) {
    throw new BenchError("bad_argument", "view_frame takes either a measurement or live: true", "Give one of the two.");
  }
  place.operations.checkBudget("views");
  const { width_px, height_px } = place.options.instruments.camera.info;
  if (crop !== undefined && (crop.x_px + crop.width_px > width_px || crop.y_px + crop.height_px > height_px)) {
    throw new BenchError(
      "bad_argument",
      `crop: ${crop.width_px} × ${crop.height_px} pixels from (${crop.x_px}, ${crop.y_px}) leave the sensor of ${width_px} × ${height_px}`,
      "Choose a crop inside the sensor.",
    );
  }
  const shown = id === undefined ? await liveFrame(place, call) : storedFrame(place, id);
  // The picture of a live frame may be asked for again.
  shown.frame.memory?.keep();
  budgets.spend("views", 1);
  const facts = { z_actual_mm: shown.z_actual_mm, exposure_ms: shown.frame.exposure_ms };
  const { view, code, picture } = await drawn(place, (coming) =>
    place.frameWork.picture(shown.frame, {
      ...(crop === undefined ? {} : { crop }),
      logScale: log_scale,
      pixelPitch_um: place.pixelPitch_um,
      caption: `${id ?? "live"}  z = ${facts.z_actual_mm.toFixed(3)} mm  ${Number(facts.exposure_ms.toPrecision(6))} ms`,
      code: coming,
      simulated: place.simulated || shown.frame.simulated,
    }),
  );
  views.add(view, code, picture.png);
  frames.put(view, shown.frame);
  const of = id === undefined ? {} : { measurement: id };
  log.emit("view_made", { call: call.seq, view, ...of, ...facts, log_scale });
  return {
    view,
    ...of,
    ...facts,
    colour_map: COLOUR_MAP_NAME,
    minimum_counts: picture.minimum_counts,
    maximum_counts: picture.maximum_counts,
    scale_um_per_picture_px: picture.scale_um_per_picture_px,
    frame_uri: `bench://run/${place.handle}/frame/${id ?? view}`,
  };
}

/** The picture with the code of the event that records it: drawn again where another event came first. */
async function drawn({ views, log }: Workplace, draw: (code: string) => Eventually<Picture>) {
  for (;;) {
    const seq = log.nextSeq;
    const view = views.next();
    const code = views.code(seq);
    const picture = await draw(code);
    if (log.nextSeq === seq && views.next() === view) return { view, code, picture };
  }
}

function storedFrame({ measurements, frames }: Workplace, id: string): Shown {
  const { z_actual_mm } = measurements.get(id);
  return { frame: frames.get(id), z_actual_mm };
}

async function liveFrame(place: Workplace, call: Call): Promise<Shown> {
  const { operations, views, measurements } = place;
  return place.act(
    call,
    async (action) => {
      operations.checkExposure(operations.exposure_ms, 1);
      const z_actual_mm = await operations.locate();
      if (z_actual_mm === undefined) {
        throw new InstrumentError("not_homed", operations.stageName, "the position is unknown");
      }
      const index = views.live++;
      const before = measurements.count;
      const [frame] = await operations.acquire("live", before, 1, action, call.seq, call.report, index);
      if (frame === undefined) throw new RangeError("one frame was asked for");
      return { frame, z_actual_mm };
    },
    true,
  );
}
