import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { PixelFormat } from "./pixel-formats.ts";

/** A camera that is open, or a server that runs; only the addon can look inside. */
export type NativeHandle = object;

/** A camera as Aravis lists it. */
export interface NativeListing {
  /** Aravis' own name for it, "Vendor-Model-Serial". */
  readonly id: string;
  /** MAC address of a network camera, GUID of a USB one. */
  readonly physicalId: string;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  /** IP address of a network camera; for USB whatever Aravis says. */
  readonly address: string;
  /** "GigEVision", "USB3Vision" or "Fake". */
  readonly protocol: string;
}

/** A node of the camera's feature tree. Bounds and step are absent where the camera does not tell them. */
export type NativeFeature =
  | { readonly kind: "command"; readonly writable: boolean }
  | { readonly kind: "boolean"; readonly writable: boolean; readonly value: boolean }
  | { readonly kind: "string"; readonly writable: boolean; readonly value: string }
  | {
      readonly kind: "enumeration";
      readonly writable: boolean;
      readonly value: string;
      readonly entries: readonly string[];
    }
  | NativeNumber;

export interface NativeNumber {
  readonly kind: "integer" | "float";
  readonly writable: boolean;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  readonly step?: number;
}

/** What every maker has under another name: exposure in µs, gain and black level in the camera's own unit, frames/s. */
export type NativeQuantity = "exposure" | "gain" | "blackLevel" | "frameRate";

/** What came out of the stream. Everything but `status` and `frameId` is there for "success" alone. */
export type NativeFrame =
  | {
      readonly status: "success";
      readonly frameId: number;
      readonly width: number;
      readonly height: number;
      /** Number of the Pixel Format Naming Convention. */
      readonly pixelFormat: number;
      /** On the camera's clock. Makers stamp the begin or the end of the exposure. */
      readonly timestamp_ms: number;
      /** How long ago the first packet of the frame arrived. */
      readonly age_ms: number;
      /** Bytes of its pixels. */
      readonly bytes: number;
    }
  | { readonly status: Exclude<BufferStatus, "success">; readonly frameId: number };

/** Aravis' words for what became of a buffer. */
export type BufferStatus =
  | "success"
  | "cleared"
  | "timeout"
  | "missing_packets"
  | "wrong_packet_id"
  | "size_mismatch"
  | "filling"
  | "aborted"
  | "payload_not_supported"
  | "unknown";

/** What an emulated camera is asked for: one frame, with the settings that its client made. */
export interface NativeFrameRequest {
  readonly id: number;
  readonly exposure_us: number;
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
  readonly pixelFormat: number;
  /** Bytes of the frame. */
  readonly payload: number;
}

export interface NativeServerOptions {
  /** Address of a network interface of this machine, or its name. */
  readonly interface: string;
  readonly serial: string;
  /** Path of the GenICam description (XML). */
  readonly description: string;
  readonly vendor: string;
  readonly model: string;
}

/**
 * What `src/addon.cpp` exports. Promises are rejected with an Error whose `code` is "not_found", "not_controller",
 * "not_connected", "timeout", "transfer", "no_genicam", "refused", "closed", "taken", "no_interface" or "other" and whose
 * message is Aravis' own. One camera does one thing at a time, whoever asks.
 */
export interface NativeGenicam {
  /** Looks for cameras on every interface; takes about a second. */
  listCameras(): Promise<readonly NativeListing[]>;
  /** @param id what `listCameras` calls it, or an IP address that need not be on the list */
  openCamera(id: string): Promise<NativeHandle>;
  closeCamera(camera: NativeHandle): Promise<void>;
  /** True from when the camera stopped answering, or gave control to another program. */
  controlLost(camera: NativeHandle): boolean;
  /** Lists libaravis' camera without hardware too; for tests. */
  enableFakeInterface(enable: boolean): void;
  /** Undefined when the camera has no such feature, or not at present. */
  readFeature(camera: NativeHandle, name: string): Promise<NativeFeature | undefined>;
  writeFeature(camera: NativeHandle, name: string, value: string | number | boolean): Promise<void>;
  executeFeature(camera: NativeHandle, name: string): Promise<void>;
  readQuantity(camera: NativeHandle, quantity: NativeQuantity): Promise<NativeNumber | undefined>;
  writeQuantity(camera: NativeHandle, quantity: NativeQuantity, value: number): Promise<void>;
  /**
   * Starts the acquisition into so many buffers and resolves to the bytes of one frame.
   * @param packetBytes of network cameras; 0 leaves the choice to Aravis
   */
  startStream(camera: NativeHandle, buffers: number, packetBytes: number): Promise<number>;
  stopStream(camera: NativeHandle): Promise<void>;
  /**
   * The oldest frame that waits, or undefined when none came in time. Where it has the format, as many pixels as `samples` has room for,
   * and their bytes, its samples are there, low-aligned; of any other frame nothing is written. Nobody else may use `samples` until the
   * promise is settled.
   */
  takeFrame(
    camera: NativeHandle,
    patience_ms: number,
    format: PixelFormat,
    samples: Uint16Array,
  ): Promise<NativeFrame | undefined>;
  /** Throws away what waits, and says how many of each kind. */
  discardFrames(camera: NativeHandle): Promise<Partial<Record<BufferStatus, number>>>;
  /** Serves a GigE Vision camera on port 3956 of the interface. `ask` is called for each frame. */
  startServer(options: NativeServerOptions, ask: (request: NativeFrameRequest) => void): Promise<NativeHandle>;
  stopServer(server: NativeHandle): Promise<void>;
  /** @param shift_ms is added to the time stamp of the frame */
  answerFrame(server: NativeHandle, id: number, bytes: Uint8Array, shift_ms: number): void;
  /** @param ratio 0…1 of the stream's packets that are not sent */
  setLostPacketRatio(server: NativeHandle, ratio: number): void;
  readRegister(server: NativeHandle, address: number): number;
  writeRegister(server: NativeHandle, address: number, value: number): void;
}

/** The addon, or why there is none. */
type Loaded =
  | { readonly loaded: true; readonly addon: NativeGenicam }
  | { readonly loaded: false; readonly reason: "genicam_not_built" | "genicam_not_loadable"; readonly detail: string };

const require = createRequire(import.meta.url);
const FOLDER = dirname(fileURLToPath(import.meta.url));

let loaded: Loaded | undefined;

/** The compiled addon, found by node-gyp-build in `build/Release` or `prebuilds/`; nothing is downloaded. */
export function loadNativeGenicam(): Loaded {
  loaded ??= load();
  return loaded;
}

function load(): Loaded {
  try {
    return { loaded: true, addon: (require("node-gyp-build") as (folder: string) => NativeGenicam)(FOLDER) };
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const notBuilt = detail.startsWith("No native build was found");
    return { loaded: false, reason: notBuilt ? "genicam_not_built" : "genicam_not_loadable", detail };
  }
}
