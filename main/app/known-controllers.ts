/**
 * Controllers by the USB id of their port, for a hint in lists. The ids of Thorlabs, Newport and PI are those of the Linux
 * driver ftdi_sio (drivers/usb/serial/ftdi_sio_ids.h); boards with GRBL carry those of Arduino's Uno and of the serial
 * chips of its copies. A plain FTDI chip, which Zaber and many device servers use, says nothing of what is behind it.
 */
const BY_USB_ID: readonly (readonly [pattern: RegExp, controller: string])[] = [
  [/^0403:faf0$/, "Thorlabs APT (driver thorlabs-apt)"],
  [/^104d:3002$/, "Newport CONEX-CC (driver newport-conex-smc)"],
  [/^104d:300[068]$/, "Newport Agilis or CONEX-AGP (no driver)"],
  [/^1a72:1007$/, "PI C-863 (driver pi-gcs2)"],
  [/^1a72:/, "PI controller (driver pi-gcs2 where it speaks GCS 2)"],
  [/^(2341:00(01|43)|2a03:0043|1a86:7523)$/, "Arduino or a copy, perhaps with GRBL (driver grbl)"],
  [/^0403:60(01|14|15)$/, "FTDI adapter: Zaber (driver zaber-ascii), SMC100, or anything else"],
];

/** What probably answers at a port with that USB id ("0403:faf0"); undefined where nothing is known. */
export function likelyController(usbId: string | undefined): string | undefined {
  return usbId === undefined ? undefined : BY_USB_ID.find(([pattern]) => pattern.test(usbId))?.[1];
}
