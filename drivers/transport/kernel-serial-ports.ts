import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SerialPortListing } from "./serial-port-listing.ts";

/**
 * The serial ports that the Linux kernel knows, read from its device tree: for systems without udev, as containers are.
 * Built-in ports (`ttyS…`) are left out where no chip answers (their `type` is 0, serial_core.h PORT_UNKNOWN).
 *
 * @param classFolder `/sys/class/tty`; an argument for tests.
 */
export async function kernelSerialPorts(classFolder = "/sys/class/tty"): Promise<SerialPortListing[]> {
  const names = await readdir(classFolder).catch(() => []);
  const ports: SerialPortListing[] = [];
  for (const name of names.sort()) {
    const folder = join(classFolder, name);
    const driver = await readlink(join(folder, "device", "driver")).catch(() => undefined);
    if (driver === undefined) continue;
    const type = await text(join(folder, "type"));
    if (type === "0") continue;
    ports.push({ path: `/dev/${name}`, ...(await usbFacts(join(folder, "device"))) });
  }
  return ports;
}

/** What the USB device says of itself; it lies some folders above the port. */
async function usbFacts(device: string): Promise<Omit<SerialPortListing, "path">> {
  let folder = await realpath(device).catch(() => undefined);
  for (let level = 0; folder !== undefined && level < 5; level++, folder = dirname(folder)) {
    if (basename(folder) === "devices") break;
    const [vendor, product] = await Promise.all([text(join(folder, "idVendor")), text(join(folder, "idProduct"))]);
    if (vendor === undefined || product === undefined) continue;
    const [manufacturer, serialNumber] = await Promise.all([
      text(join(folder, "manufacturer")),
      text(join(folder, "serial")),
    ]);
    return {
      usbId: `${vendor}:${product}`.toLowerCase(),
      ...(manufacturer === undefined ? {} : { manufacturer }),
      ...(serialNumber === undefined ? {} : { serialNumber }),
    };
  }
  return {};
}

async function text(path: string): Promise<string | undefined> {
  const content = await readFile(path, "utf8").catch(() => undefined);
  return content === undefined || content.trim() === "" ? undefined : content.trim();
}
