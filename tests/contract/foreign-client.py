"""A client that shares no code with the drivers: python3-serial and the documented byte examples.

Usage: foreign-client.py zaber|apt PORT    Ends with status 0 when every answer is as the maker's manual says.
"""

import sys
import time

import serial


def expect(name, got, wanted):
    if got != wanted:
        sys.exit(f"{name}: got {got!r}, expected {wanted!r}")


def zaber(port):
    def ask(command):
        port.write(command)
        return port.read_until(b"\r\n")

    # The columns that fixed-width clients read: address, flag, status, warning, data.
    reply = ask(b"/1 get device.id\n")
    expect("address", reply[1:3], b"01")
    expect("flag", reply[6:8], b"OK")
    expect("status", reply[9:13], b"IDLE")
    expect("warning", reply[14:16], b"WR")
    expect("data", reply[17:].strip(), b"50081")
    expect("peripheral", ask(b"/1 get peripheralid\n"), b"@01 0 RJ IDLE WR BADCOMMAND\r\n")
    expect("not homed", ask(b"/1 move abs 10000:91\n")[6:8], b"RJ")
    expect("home", ask(b"/1 home\n"), b"@01 0 OK BUSY WR 0\r\n")
    while ask(b"/1\n")[9:13] == b"BUSY":
        time.sleep(0.05)
    expect("homed", ask(b"/1 get pos\n"), b"@01 0 OK IDLE -- 0\r\n")
    expect("move", ask(b"/1 move abs 10000:91\n"), b"@01 0 OK BUSY -- 0\r\n")
    while ask(b"/1\n")[9:13] == b"BUSY":
        time.sleep(0.05)
    expect("position", ask(b"/1 get pos\n"), b"@01 0 OK IDLE -- 10000\r\n")
    expect("with a number", ask(b"/1 1 42 get pos\n"), b"@01 1 42 OK IDLE -- 10000\r\n")


def apt(port):
    def ask(command, length):
        port.write(bytes.fromhex(command))
        return port.read(length)

    info = ask("05 00 00 00 50 01", 90)
    expect("info", info[:18], bytes.fromhex("06 00 54 00 81 50 80 87 b0 02") + b"LTS150\0\0")
    expect("enabled", ask("11 02 01 00 50 01", 6), bytes.fromhex("12 02 01 01 01 50"))
    port.timeout = 60
    expect("homed", ask("43 04 01 00 50 01", 6), bytes.fromhex("44 04 01 00 01 50"))
    completed = bytes.fromhex("64 04 0e 00 81 50 01 00 00 80 3e 00 00 80 3e 00 00 05 00 90")
    expect("move to 10 mm", ask("53 04 06 00 d0 01 01 00 00 80 3e 00", 20), completed)
    expect("position", ask("11 04 01 00 50 01", 12), bytes.fromhex("12 04 06 00 81 50 01 00 00 80 3e 00"))


def main():
    kind, path = sys.argv[1:]
    with serial.serial_for_url(path, baudrate=115200, timeout=5) as port:
        {"zaber": zaber, "apt": apt}[kind](port)


main()
