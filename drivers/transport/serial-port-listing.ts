/** A serial port that the operating system lists. Pseudo-terminals are not listed: their path is typed in. */
export interface SerialPortListing {
  readonly path: string;
  readonly manufacturer?: string;
  readonly serialNumber?: string;
  /** USB vendor and product, four hexadecimal digits each: "0403:faf0". */
  readonly usbId?: string;
}
