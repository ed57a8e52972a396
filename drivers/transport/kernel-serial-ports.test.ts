import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { kernelSerialPorts } from "./kernel-serial-ports.ts";

const root = mkdtempSync(join(tmpdir(), "tty-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A port as the kernel shows it: its class entry points at a device, below the USB device that carries it. */
function plant(name: string, usb: Record<string, string>, more: Record<string, string> = {}): void {
  const device = join(root, "devices", "usb1", name, "1-1:1.0", name);
  const entry = join(root, "class", name);
  mkdirSync(device, { recursive: true });
  mkdirSync(entry, { recursive: true });
  symlinkSync(device, join(entry, "device"));
  symlinkSync(join(root, "drivers", "ftdi_sio"), join(device, "driver"));
  for (const [file, value] of Object.entries(usb)) {
    writeFileSync(join(root, "devices", "usb1", name, file), `${value}\n`);
  }
  for (const [file, value] of Object.entries(more)) writeFileSync(join(entry, file), `${value}\n`);
}

test("a USB port with what its maker says, a built-in one that answers, and none that is only a name", async () => {
  plant("ttyUSB0", { idVendor: "0403", idProduct: "FAF0", manufacturer: "Thorlabs", serial: "27000001" });
  plant("ttyS0", {}, { type: "4" });
  plant("ttyS1", {}, { type: "0" });
  mkdirSync(join(root, "class", "tty7"));

  expect(await kernelSerialPorts(join(root, "class"))).toEqual([
    { path: "/dev/ttyS0" },
    { path: "/dev/ttyUSB0", usbId: "0403:faf0", manufacturer: "Thorlabs", serialNumber: "27000001" },
  ]);
});

test("without the folder there is no port, and no error", async () => {
  expect(await kernelSerialPorts(join(root, "nowhere"))).toEqual([]);
});
