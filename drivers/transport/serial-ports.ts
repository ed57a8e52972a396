import { SerialPort } from "serialport";
import { kernelSerialPorts } from "./kernel-serial-ports.ts";
import type { SerialPortListing } from "./serial-port-listing.ts";

/** The ports that can be opened now. On a Linux without udev, which the library asks, the kernel's own list. */
export async function listSerialPorts(): Promise<SerialPortListing[]> {
  const ports = await SerialPort.list().catch((error: unknown) => {
    if (error instanceof Error && "path" in error && error.path === "udevadm") return undefined;
    throw error;
  });
  if (ports === undefined) return kernelSerialPorts();
  return ports.map((port) => ({
    path: port.path,
    ...(port.manufacturer === undefined ? {} : { manufacturer: port.manufacturer }),
    ...(port.serialNumber === undefined ? {} : { serialNumber: port.serialNumber }),
    ...(port.vendorId === undefined || port.productId === undefined
      ? {}
      : { usbId: `${port.vendorId}:${port.productId}`.toLowerCase() }),
  }));
}
