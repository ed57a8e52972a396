import type { Command } from "commander";
import {
  discoverGenicamCameras,
  genicamAvailability,
  type GenicamDeviceDescription,
} from "../../../drivers/instruments/genicam/index.ts";
import { listSerialPorts } from "../../../drivers/transport/serial-ports.ts";
import { likelyController } from "../known-controllers.ts";
import { mayUse } from "../may-use.ts";
import { printJson, printResult } from "../terminal.ts";

interface PortEntry {
  readonly path: string;
  readonly manufacturer?: string;
  readonly serial_number?: string;
  readonly usb_id?: string;
  /** What probably answers there, by the USB id. */
  readonly likely?: string;
  /** Whether this user may open it. */
  readonly accessible: boolean;
}

/** Adds `caustic devices`. */
export function registerDevices(program: Command): void {
  program
    .command("devices")
    .description("serial ports and cameras found on this machine")
    .option("--json", "print the list as JSON")
    .addHelpText(
      "after",
      `
Asks the operating system for serial ports and the networks for cameras; opens none of them. Pseudo-terminals and serial
device servers ("tcp://host:port") are on no list: a bench file names them.

Example:
  $ caustic devices
  $ caustic devices --json`,
    )
    .action(devices);
}

async function devices(options: { readonly json?: true }): Promise<void> {
  const ports = await serialPorts();
  const state = genicamAvailability();
  const missing = state.available ? undefined : { reason: state.reason, why: state.why, mend: state.mend };
  const cameras = state.available ? await discoverGenicamCameras() : [];
  if (options.json) {
    printJson({
      serial_ports: ports,
      cameras: cameras.map(({ serialNumber, ...camera }) => ({ ...camera, serial_number: serialNumber })),
      ...(missing === undefined ? {} : { cameras_missing: missing }),
    });
    return;
  }
  printResult(ports.length === 0 ? "No serial port is plugged in." : "Serial ports:");
  for (const port of ports) printResult(portText(port));
  printResult("");
  if (missing !== undefined) printResult(`Cameras: ${missing.why}\n    ${missing.mend}`);
  else if (cameras.length === 0) printResult("No camera answers.");
  else printResult(["Cameras:", ...cameras.map(cameraText)].join("\n"));
}

async function serialPorts(): Promise<PortEntry[]> {
  const ports = await listSerialPorts();
  return ports.map(({ path, manufacturer, serialNumber, usbId }) => {
    const likely = likelyController(usbId);
    return {
      path,
      ...(manufacturer === undefined ? {} : { manufacturer }),
      ...(serialNumber === undefined ? {} : { serial_number: serialNumber }),
      ...(usbId === undefined ? {} : { usb_id: usbId }),
      ...(likely === undefined ? {} : { likely }),
      accessible: mayUse(path),
    };
  });
}

function portText({ path, manufacturer, serial_number, usb_id, likely, accessible }: PortEntry): string {
  const what = [manufacturer, serial_number === undefined ? undefined : `serial ${serial_number}`, usb_id]
    .filter((part) => part !== undefined)
    .join(", ");
  const lines = [
    `  ${path}${what === "" ? "" : `  ${what}`}`,
    ...(likely === undefined ? [] : [`    probably ${likely}`]),
    ...(accessible ? [] : ["    no permission: sudo usermod -aG dialout $USER (then log in again)"]),
  ];
  return lines.join("\n");
}

function cameraText({ id, vendor, model, serialNumber, address, protocol }: GenicamDeviceDescription): string {
  return `  ${id}  ${vendor} ${model}, serial ${serialNumber}, ${protocol}${address === "" ? "" : ` at ${address}`}`;
}
