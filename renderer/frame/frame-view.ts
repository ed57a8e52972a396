import type { FrameRegion } from "../../main/contract/window-frame.ts";

/** Which part of the sensor is on the screen: `scale` screen pixels per sensor pixel, the sensor's top left corner at the offset. */
export interface FrameView {
  readonly scale: number;
  readonly offsetX: number;
  readonly offsetY: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const LARGEST_SCALE = 40;
/** Beyond each edge of the screen, as a share of it. */
const SHOWN_MARGIN = 0.1;
const SHOWN_STEP_px = 16;

/** The whole sensor, centred. */
export function wholeFrame(sensor: Size, screen: Size): FrameView {
  const scale = Math.min(screen.width / sensor.width, screen.height / sensor.height);
  return {
    scale,
    offsetX: (screen.width - sensor.width * scale) / 2,
    offsetY: (screen.height - sensor.height * scale) / 2,
  };
}

/** Larger or smaller by `factor` around a place on the screen; never smaller than the whole frame. */
export function zoomed(view: FrameView, factor: number, x: number, y: number, sensor: Size, screen: Size): FrameView {
  const whole = wholeFrame(sensor, screen);
  const scale = Math.min(LARGEST_SCALE, view.scale * factor);
  if (scale <= whole.scale) return whole;
  const change = scale / view.scale;
  return kept(
    { scale, offsetX: x - (x - view.offsetX) * change, offsetY: y - (y - view.offsetY) * change },
    sensor,
    screen,
  );
}

export function panned(view: FrameView, dx: number, dy: number, sensor: Size, screen: Size): FrameView {
  return kept({ ...view, offsetX: view.offsetX + dx, offsetY: view.offsetY + dy }, sensor, screen);
}

/** So much of the region (sensor pixels) that it fills the screen with a margin. */
export function around(
  centre: { readonly x: number; readonly y: number },
  region: Size,
  sensor: Size,
  screen: Size,
): FrameView {
  const whole = wholeFrame(sensor, screen);
  const scale = Math.min(
    LARGEST_SCALE,
    Math.max(whole.scale, Math.min(screen.width / region.width, screen.height / region.height)),
  );
  return kept(
    {
      scale,
      offsetX: screen.width / 2 - (centre.x + 0.5) * scale,
      offsetY: screen.height / 2 - (centre.y + 0.5) * scale,
    },
    sensor,
    screen,
  );
}

/** The sensor never leaves the screen: where it is larger it covers it, where it is smaller it is centred. */
function kept(view: FrameView, sensor: Size, screen: Size): FrameView {
  const hold = (offset: number, length: number, room: number): number =>
    length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, offset));
  return {
    scale: view.scale,
    offsetX: hold(view.offsetX, sensor.width * view.scale, screen.width),
    offsetY: hold(view.offsetY, sensor.height * view.scale, screen.height),
  };
}

/** The part of the sensor on the screen, with a margin into which it may be moved before the next frame; undefined where all is shown. */
export function shownRegion(view: FrameView, sensor: Size, screen: Size): FrameRegion | undefined {
  const part = (offset: number, length: number, room: number): readonly [from: number, to: number] => {
    const margin = SHOWN_MARGIN * room;
    // In steps, so that a small movement asks for nothing new.
    const from = Math.floor((-offset - margin) / view.scale / SHOWN_STEP_px) * SHOWN_STEP_px;
    const to = Math.ceil((room - offset + margin) / view.scale / SHOWN_STEP_px) * SHOWN_STEP_px;
    return [Math.min(Math.max(0, from), length - 1), Math.max(1, Math.min(length, to))];
  };
  const [left, right] = part(view.offsetX, sensor.width, screen.width);
  const [top, bottom] = part(view.offsetY, sensor.height, screen.height);
  if (left === 0 && top === 0 && right === sensor.width && bottom === sensor.height) return undefined;
  return { left_px: left, top_px: top, width_px: right - left, height_px: bottom - top };
}

/** Column and row under a place on the screen; the centre of the first pixel is at its middle. */
export function pixelAt(view: FrameView, x: number, y: number): { readonly column: number; readonly row: number } {
  return { column: Math.floor((x - view.offsetX) / view.scale), row: Math.floor((y - view.offsetY) / view.scale) };
}

/** Where a place on the sensor (pixel centres at integers) is on the screen. */
export function toScreen(view: FrameView, x_px: number, y_px: number): { readonly x: number; readonly y: number } {
  return { x: view.offsetX + (x_px + 0.5) * view.scale, y: view.offsetY + (y_px + 0.5) * view.scale };
}

/** A round length in µm that takes at most `room` screen pixels. */
export function scaleBar(
  view: FrameView,
  pixelPitch_um: number,
  room: number,
): { readonly um: number; readonly length: number } {
  const most_um = (room / view.scale) * pixelPitch_um;
  const power = 10 ** Math.floor(Math.log10(most_um));
  const um = power * (most_um / power >= 5 ? 5 : most_um / power >= 2 ? 2 : 1);
  return { um, length: (um / pixelPitch_um) * view.scale };
}
