import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { announceHost, discoveryFile, findHost, withdrawHost } from "./discovery.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "caustic-discovery-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const record = (token: string) => ({
  url: "http://127.0.0.1:6328/mcp",
  token: token.padEnd(32, "0"),
  pid: process.pid,
});

describe("the record of a running host", () => {
  it("is read back, by nobody else, and goes away with its host alone", () => {
    const file = join(folder, "caustic", "host.json");
    announceHost(record("first"), file);
    expect(findHost(file)).toEqual(record("first"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    announceHost(record("second"), file);
    withdrawHost(record("first"), file);
    expect(findHost(file)).toEqual(record("second"));
    withdrawHost(record("second"), file);
    expect(() => findHost(file)).toThrow(/start one with caustic serve/);
  });

  it("is not believed when its host has ended or it is damaged", () => {
    const file = join(folder, "host.json");
    announceHost({ ...record("gone"), pid: 2 ** 22 + 1 }, file);
    expect(() => findHost(file)).toThrow(/has ended/);
    writeFileSync(file, "{");
    expect(() => findHost(file)).toThrow(/damaged/);
  });

  it.skipIf(process.platform === "win32")("is not believed when others could have put it there", () => {
    const file = join(folder, "caustic", "host.json");
    announceHost(record("mine"), file);
    chmodSync(file, 0o640);
    expect(() => findHost(file)).toThrow(/open to other users/);
    chmodSync(file, 0o600);
    chmodSync(join(folder, "caustic"), 0o777);
    expect(() => findHost(file)).toThrow(/open to other users/);
    expect(() => announceHost(record("mine"), file)).toThrow(/open to other users/);
    const elsewhere = join(folder, "elsewhere.json");
    writeFileSync(elsewhere, readFileSync(file), { mode: 0o600 });
    const link = join(folder, "host.json");
    symlinkSync(elsewhere, link);
    expect(() => findHost(link)).toThrow(/open to other users/);
  });

  it("lies where the variables say, else where a program without them looks too", () => {
    expect(discoveryFile({ CAUSTIC_RUNTIME: folder })).toBe(join(folder, "host.json"));
    expect(discoveryFile({ XDG_RUNTIME_DIR: folder })).toBe(join(folder, "caustic", "host.json"));
    expect(discoveryFile({ XDG_RUNTIME_DIR: join(folder, "missing") })).toBe(
      join(homedir(), ".local/state/caustic/host.json"),
    );
  });
});
