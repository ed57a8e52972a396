import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { linkForAddress } from "./link-for-address.ts";
import { listSerialPorts } from "./serial-ports.ts";
import { SerialLink, serialOpenError } from "./serial-link.ts";
import { TcpLink } from "./tcp-link.ts";
import { formatTraceEntry, parseTrace } from "./trace.ts";

describe("serial ports that cannot be opened say why", () => {
  test.each([
    ["Error: No such file or directory, cannot open /dev/ttyNOPE", "not_connected", "no such serial port"],
    ["Opening COM9: File not found", "not_connected", "no such serial port"],
    ["Error: Permission denied, cannot open /dev/pts/2", "not_connected", "may not open"],
    ["Error Resource temporarily unavailable Cannot lock port", "busy", "another program"],
    ["Opening COM3: Access is denied", "busy", "another program"],
    ["Error: Inappropriate ioctl for device setting custom baud rate of 9600", "not_connected", "not a serial port"],
    ["something else", "not_connected", "something else"],
  ])("%s", (message, code, words) => {
    const error = serialOpenError("/dev/x", message);
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(words);
    expect(error.detail.reply).toBe(message);
  });

  test("a port that does not exist, and a file that is no port", async () => {
    await expect(new SerialLink({ path: "/dev/ttyNOPE", baudRate: 9600 }).open()).rejects.toMatchObject({
      code: "not_connected",
    });
    await expect(new SerialLink({ path: import.meta.filename, baudRate: 9600 }).open()).rejects.toMatchObject({
      code: "not_connected",
    });
  });

  test("a write to a port that was never opened fails at once", async () => {
    const link = new SerialLink({ path: "/dev/ttyNOPE", baudRate: 9600 });
    await expect(link.write(Uint8Array.of(1))).rejects.toMatchObject({ code: "connection_lost" });
    await link.close();
  });
});

test("the list of serial ports holds paths that can be opened, whatever this machine has", async () => {
  const ports = await listSerialPorts();
  expect(Array.isArray(ports)).toBe(true);
  for (const port of ports) {
    expect(linkForAddress(port.path, { baudRate: 9600 }).name).toBe(port.path);
  }
});

describe("TCP", () => {
  test("a port where nobody listens, and a host without a name", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const link = new TcpLink({ host: "127.0.0.1", port });
    await expect(link.open()).rejects.toMatchObject({
      code: "not_connected",
      message: expect.stringContaining("nothing listens") as string,
    });
    expect(link.isOpen).toBe(false);
  });

  test("bytes there and back; the other side's end is noticed; closing twice does no harm", async () => {
    const server = createServer((socket) => {
      socket.on("data", (bytes) => {
        socket.write(bytes);
        if (bytes.includes(0x04)) {
          socket.end();
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const link = linkForAddress(`tcp://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, {
      baudRate: 9600,
    });
    await link.open();
    const echo = new Promise<Uint8Array>((resolve) => link.onData(resolve));
    const reason = new Promise<string>((resolve) => link.onClose(resolve));
    await link.write(Uint8Array.of(1, 2, 255, 4));
    expect(await echo).toEqual(Uint8Array.of(1, 2, 255, 4));
    expect(await reason).toContain("other side");
    await expect(link.write(Uint8Array.of(1))).rejects.toMatchObject({ code: "connection_lost" });
    await link.close();
    await link.close();
    server.close();
  });
});

describe("addresses", () => {
  test.each([
    ["/dev/ttyUSB0", "/dev/ttyUSB0"],
    ["COM3", "COM3"],
    ["tcp://stage.lab:4001", "tcp://stage.lab:4001"],
    ["tcp://[::1]:4001", "tcp://::1:4001"],
  ])("%s", (address, name) => {
    expect(linkForAddress(address, { baudRate: 9600 }).name).toBe(name);
  });

  test.each(["tcp://host", "tcp://host:0", "tcp://host:70000", "http://host:80"])("%s is refused", (address) => {
    expect(() => linkForAddress(address, { baudRate: 9600 })).toThrow(/expected "tcp:\/\/host:port"/);
  });
});

describe("recordings", () => {
  test("are read as they were written", () => {
    const entries = [
      { t_ms: 0, kind: "open" },
      { t_ms: 1.5, kind: "sent", bytes: Uint8Array.of(0x2f, 0x31, 0x0a) },
      { t_ms: 3, kind: "received", bytes: Uint8Array.of(0xff, 0x00) },
      { t_ms: 4, kind: "close", reason: "unplugged" },
    ] as const;
    const text = entries.map(formatTraceEntry).join("\n");
    expect(text.split("\n")[1]).toBe('{"t_ms":1.5,"sent":"2f 31 0a","text":"/1·"}');
    expect(parseTrace(`${text}\n\n`)).toEqual(entries);
  });

  test.each(["{}", "not json", '{"t_ms":1}', '{"t_ms":1,"sent":"zz"}'])("%s is refused with its line", (line) => {
    expect(() => parseTrace(`{"t_ms":0,"open":true}\n${line}`)).toThrow(/line 2 of the recording/);
  });
});
