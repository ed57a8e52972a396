import { InstrumentError } from "../../protocol/instrument-error.ts";
import { requireGenicam } from "./availability.ts";
import { asInstrumentError } from "./camera-features.ts";
import type { NativeGenicam, NativeListing } from "./native.ts";

/** A camera that answers on this computer's networks and USB. Any of id, serial number and address opens it. */
export interface GenicamDeviceDescription {
  readonly id: string;
  readonly vendor: string;
  readonly model: string;
  readonly serialNumber: string;
  /** IP address of a network camera. */
  readonly address: string;
  readonly protocol: "GigEVision" | "USB3Vision" | "Fake" | "unknown";
}

const PROTOCOLS = ["GigEVision", "USB3Vision", "Fake"] as const;

/** Asks every network interface and USB; takes about a second. Throws `unsupported` where the addon is missing. */
export async function discoverGenicamCameras(): Promise<GenicamDeviceDescription[]> {
  const listed = await list(requireGenicam());
  return listed.map(({ id, vendor, model, serial, address, protocol }) => ({
    id,
    vendor,
    model,
    serialNumber: serial,
    address,
    protocol: PROTOCOLS.find((known) => known === protocol) ?? "unknown",
  }));
}

/**
 * What Aravis opens the camera by. An IP address is taken as it is, since a camera may answer there that is on no list.
 * Throws `not_connected`, naming what is there, when nothing fits.
 */
export async function cameraIdOf(native: NativeGenicam, address: string): Promise<string> {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return address;
  const listed = await list(native);
  const found = listed.find(({ id, physicalId, vendor, serial }) =>
    [id, physicalId, serial, `${vendor}-${serial}`].includes(address),
  );
  if (found !== undefined) return found.id;
  const there = listed.map(({ id, serial, address: at }) => `${id} (serial ${serial}, ${at})`).join("; ");
  throw new InstrumentError(
    "not_connected",
    "GenICam camera",
    `no camera has the id, serial number or address "${address}"; found: ${there || "none"}`,
    { name: "address", value: address },
    "check power, cable and that the camera's address is in this computer's subnet",
  );
}

async function list(native: NativeGenicam): Promise<readonly NativeListing[]> {
  try {
    return await native.listCameras();
  } catch (error) {
    throw asInstrumentError(error, "GenICam camera", "looking for cameras");
  }
}
