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

/** On the graphics card where there is WebGL 2, else by the processor; the pictures are the same. */
export function createFramePainter(canvas: HTMLCanvasElement): FramePainter {
  return createWebGlPainter(canvas) ?? createCanvasPainter(canvas);
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
uniform vec2 range;
uniform float logDecades;
uniform float fullScale;
uniform vec4 saturated;
out vec4 colour;
void main() {
  vec2 screen = vec2(gl_FragCoord.x, screenHeight - gl_FragCoord.y);
  vec2 place = (screen - view.yz) / view.x;
  if (place.x < 0.0 || place.y < 0.0 || place.x >= frameSize.x || place.y >= frameSize.y) { colour = vec4(0.0); return; }
  int reach = int(clamp(ceil(1.0 / view.x), 1.0, 4.0));
  ivec2 first = ivec2(floor(place - 0.5 * float(reach - 1)));
  ivec2 last = ivec2(frameSize) - 1;
  uint most = 0u;
  for (int y = 0; y < 4; y++) for (int x = 0; x < 4; x++) {
    if (x < reach && y < reach) most = max(most, texelFetch(frame, clamp(first + ivec2(x, y), ivec2(0), last), 0).r);
  }
  float counts = float(most);
  if (saturated.a > 0.0 && counts >= fullScale) { colour = vec4(saturated.rgb, 1.0); return; }
  float share = clamp((counts - range.x) / max(range.y - range.x, 1.0), 0.0, 1.0);
  if (logDecades > 0.0) share = clamp(1.0 + log(max(share, 1e-6)) / (2.302585093 * logDecades), 0.0, 1.0);
  colour = vec4(texture(table, vec2((share * ${TABLE_LEVELS - 1}.0 + 0.5) / ${TABLE_LEVELS}.0, 0.5)).rgb, 1.0);
}`;

function createWebGlPainter(canvas: HTMLCanvasElement): FramePainter | undefined {
  const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, preserveDrawingBuffer: true });
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
      gl.clearColor(0, 0, 0, 0);
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

function createCanvasPainter(canvas: HTMLCanvasElement): FramePainter {
  const context = canvas.getContext("2d");
  const sensor = document.createElement("canvas");
  const sensorContext = sensor.getContext("2d");
  let frame: PaintedFrame | undefined;
  return {
    kind: "canvas2d",
    setFrame(next) {
      frame = next;
    },
    paint(view, colouring) {
      if (context === null || sensorContext === null) return;
      context.clearRect(0, 0, canvas.width, canvas.height);
      if (frame === undefined) return;
      const { samples, width_px, height_px, fullScale_counts } = frame;
      const colours = countColours(fullScale_counts, colouring);
      const image = new ImageData(width_px, height_px);
      const words = new Uint32Array(image.data.buffer);
      for (let index = 0; index < samples.length; index++) words[index] = colours[samples[index] as number] as number;
      sensor.width = width_px;
      sensor.height = height_px;
      sensorContext.putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(sensor, view.offsetX, view.offsetY, width_px * view.scale, height_px * view.scale);
    },
    close() {
      frame = undefined;
    },
  };
}
