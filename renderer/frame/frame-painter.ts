import { type ColourMapName, colourTable, saturatedColour, TABLE_LEVELS } from "../plot/colour-maps.ts";
import type { FrameView } from "./frame-view.ts";

export interface PaintedFrame {
  readonly samples: Uint16Array;
  readonly width_px: number;
  readonly height_px: number;
  readonly fullScale_counts: number;
}

/** How counts become colours. */
export interface Colouring {
  readonly map: ColourMapName;
  readonly log: boolean;
  /** Counts that get the first and the last colour. */
  readonly low_counts: number;
  readonly high_counts: number;
  /** Whether pixels at full scale get the warning colour. */
  readonly showSaturation: boolean;
}

/** Draws frames onto one canvas. */
export interface FramePainter {
  readonly kind: "webgl2" | "canvas2d";
  setFrame(frame: PaintedFrame): void;
  paint(view: FrameView, colouring: Colouring): void;
  close(): void;
}

/** Decades that a logarithmic picture shows. */
const LOG_DECADES = 3;
/** Sensor pixels along one side of a screen pixel that are looked at. */
const MOST_REACH = 4;

/**
 * On the graphics card where there is one, else by the processor; the pictures are the same. WebGL without a card is the processor
 * in disguise, and slower at it.
 */
export function createFramePainter(canvas: HTMLCanvasElement): FramePainter {
  return (hasGraphicsCard() ? createWebGlPainter(canvas) : undefined) ?? createCanvasPainter(canvas);
}

/** Renderers that draw by the processor. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
let graphicsCard: boolean | undefined;

/** Asked on a canvas of its own, once: a canvas keeps the first kind of drawing it was asked for. */
function hasGraphicsCard(): boolean {
  if (graphicsCard !== undefined) return graphicsCard;
  const gl = document.createElement("canvas").getContext("webgl2");
  const named = gl?.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(named === null || named === undefined ? "" : gl?.getParameter(named.UNMASKED_RENDERER_WEBGL));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  graphicsCard = gl !== null && !SOFTWARE.test(renderer);
  return graphicsCard;
}

const VERTEX = `#version 300 es
void main() {
  vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

/*
 * Counts stay integers up to the last step. A screen pixel that covers several sensor pixels shows the largest of up to 4 × 4 of
 * them, so that a bright spot never falls between.
 */
const FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D frame;
uniform sampler2D table;
uniform vec2 frameSize;
uniform vec3 view;
uniform float screenHeight;
uniform int reach;
uniform vec2 range;
uniform float logDecades;
uniform float fullScale;
uniform vec4 saturated;
out vec4 colour;
void main() {
  vec2 screen = vec2(gl_FragCoord.x, screenHeight - gl_FragCoord.y);
  vec2 place = (screen - view.yz) / view.x;
  if (place.x < 0.0 || place.y < 0.0 || place.x >= frameSize.x || place.y >= frameSize.y) { colour = vec4(0.0, 0.0, 0.0, 1.0); return; }
  ivec2 pixel = ivec2(place);
  uint most = texelFetch(frame, pixel, 0).r;
  if (reach > 1) {
    ivec2 first = pixel - (reach - 1) / 2;
    ivec2 last = ivec2(frameSize) - 1;
    for (int y = 0; y < reach; y++) for (int x = 0; x < reach; x++) {
      most = max(most, texelFetch(frame, clamp(first + ivec2(x, y), ivec2(0), last), 0).r);
    }
  }
  float counts = float(most);
  if (saturated.a > 0.0 && counts >= fullScale) { colour = vec4(saturated.rgb, 1.0); return; }
  float share = clamp((counts - range.x) / max(range.y - range.x, 1.0), 0.0, 1.0);
  if (logDecades > 0.0) share = clamp(1.0 + log(max(share, 1e-6)) / (2.302585093 * logDecades), 0.0, 1.0);
  colour = vec4(texture(table, vec2((share * ${TABLE_LEVELS - 1}.0 + 0.5) / ${TABLE_LEVELS}.0, 0.5)).rgb, 1.0);
}`;

function createWebGlPainter(canvas: HTMLCanvasElement): FramePainter | undefined {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false });
  if (gl === null) return undefined;
  const program = linked(gl);
  if (program === undefined) return undefined;
  const frameTexture = gl.createTexture();
  const tableTexture = gl.createTexture();
  const at = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(program, name);
  const places = {
    frame: at("frame"),
    table: at("table"),
    frameSize: at("frameSize"),
    view: at("view"),
    screenHeight: at("screenHeight"),
    reach: at("reach"),
    range: at("range"),
    logDecades: at("logDecades"),
    fullScale: at("fullScale"),
    saturated: at("saturated"),
  };
  const nearest = (unit: number, texture: WebGLTexture): void => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  };
  nearest(0, frameTexture);
  nearest(1, tableTexture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 2);
  gl.useProgram(program);
  gl.uniform1i(places.frame, 0);
  gl.uniform1i(places.table, 1);
  let size: Pick<PaintedFrame, "width_px" | "height_px" | "fullScale_counts"> | undefined;
  let map: ColourMapName | undefined;
  return {
    kind: "webgl2",
    setFrame(frame) {
      const { samples, width_px, height_px } = frame;
      gl.activeTexture(gl.TEXTURE0);
      if (size?.width_px === width_px && size.height_px === height_px) {
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width_px, height_px, gl.RED_INTEGER, gl.UNSIGNED_SHORT, samples);
      } else {
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.R16UI, width_px, height_px, 0, gl.RED_INTEGER, gl.UNSIGNED_SHORT, samples);
      }
      size = frame;
    },
    paint(view, colouring) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (size === undefined) return;
      if (map !== colouring.map) {
        map = colouring.map;
        gl.activeTexture(gl.TEXTURE1);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, TABLE_LEVELS, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, colourTable(map));
      }
      const [red, green, blue] = saturatedColour(colouring.map);
      gl.uniform2f(places.frameSize, size.width_px, size.height_px);
      gl.uniform3f(places.view, view.scale, view.offsetX, view.offsetY);
      gl.uniform1f(places.screenHeight, canvas.height);
      gl.uniform1i(places.reach, reachOf(view));
      gl.uniform2f(places.range, colouring.low_counts, colouring.high_counts);
      gl.uniform1f(places.logDecades, colouring.log ? LOG_DECADES : 0);
      gl.uniform1f(places.fullScale, size.fullScale_counts);
      gl.uniform4f(places.saturated, red / 255, green / 255, blue / 255, colouring.showSaturation ? 1 : 0);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    },
    close() {
      gl.deleteTexture(frameTexture);
      gl.deleteTexture(tableTexture);
      gl.deleteProgram(program);
    },
  };
}

function linked(gl: WebGL2RenderingContext): WebGLProgram | undefined {
  const program = gl.createProgram();
  for (const [type, text] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) return undefined;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) === true ? program : undefined;
}

/** Colours of a range of counts, as little-endian RGBA words indexed by the count. */
export function countColours(fullScale_counts: number, colouring: Colouring): Uint32Array {
  const { low_counts, high_counts, log, showSaturation } = colouring;
  const words = new Uint32Array(colourTable(colouring.map).buffer);
  const colours = new Uint32Array(fullScale_counts + 1);
  const span = Math.max(high_counts - low_counts, 1);
  for (let counts = 0; counts <= fullScale_counts; counts++) {
    let share = Math.min(1, Math.max(0, (counts - low_counts) / span));
    if (log) share = Math.min(1, Math.max(0, 1 + Math.log10(Math.max(share, 1e-6)) / LOG_DECADES));
    colours[counts] = words[Math.round(share * (TABLE_LEVELS - 1))] ?? 0;
  }
  if (showSaturation) {
    const [red, green, blue] = saturatedColour(colouring.map);
    colours[fullScale_counts] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  }
  return colours;
}

/** Black, opaque. */
const OUTSIDE = 0xff00_0000;

function createCanvasPainter(canvas: HTMLCanvasElement): FramePainter {
  // Says that the picture is made by the processor, so that it is kept where the processor is.
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  let frame: PaintedFrame | undefined;
  let image: ImageData | undefined;
  return {
    kind: "canvas2d",
    setFrame(next) {
      frame = next;
    },
    paint(view, colouring) {
      const { width, height } = canvas;
      if (context === null || width === 0 || height === 0) return;
      if (image?.width !== width || image.height !== height) image = new ImageData(width, height);
      const words = new Uint32Array(image.data.buffer);
      if (frame === undefined) words.fill(OUTSIDE);
      else paintWords(words, width, height, frame, view, countColours(frame.fullScale_counts, colouring));
      context.putImageData(image, 0, 0);
    },
    close() {
      frame = undefined;
      image = undefined;
    },
  };
}

/** The colour of every screen pixel, row by row: what the shader does. */
export function paintWords(
  words: Uint32Array,
  width: number,
  height: number,
  frame: PaintedFrame,
  view: FrameView,
  colours: Uint32Array,
): void {
  const { samples, width_px, height_px } = frame;
  const reach = reachOf(view);
  const before = Math.floor((reach - 1) / 2);
  const columns = new Int32Array(width);
  for (let x = 0; x < width; x++) {
    const column = Math.floor((x + 0.5 - view.offsetX) / view.scale);
    columns[x] = column >= 0 && column < width_px ? column : -1;
  }
  for (let y = 0; y < height; y++) {
    const line = y * width;
    const row = Math.floor((y + 0.5 - view.offsetY) / view.scale);
    if (row < 0 || row >= height_px) {
      words.fill(OUTSIDE, line, line + width);
      continue;
    }
    for (let x = 0; x < width; x++) {
      const column = columns[x] as number;
      if (column < 0) {
        words[line + x] = OUTSIDE;
        continue;
      }
      let most = samples[row * width_px + column] as number;
      if (reach > 1) {
        const top = Math.max(0, row - before);
        const bottom = Math.min(height_px, row - before + reach);
        const left = Math.max(0, column - before);
        const right = Math.min(width_px, column - before + reach);
        for (let atRow = top; atRow < bottom; atRow++) {
          const start = atRow * width_px;
          for (let at = start + left; at < start + right; at++) {
            const value = samples[at] as number;
            if (value > most) most = value;
          }
        }
      }
      words[line + x] = colours[most] as number;
    }
  }
}

/** Sensor pixels along one side of a screen pixel that are looked at. */
function reachOf(view: FrameView): number {
  return Math.min(MOST_REACH, Math.max(1, Math.round(1 / view.scale)));
}
