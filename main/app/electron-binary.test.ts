import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { desktopChance } from "./electron-binary.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "caustic-electron-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const linux = { platform: "linux", env: { DISPLAY: ":0" }, userId: 1000 } as const;

function install(): string {
  mkdirSync(join(folder, "dist"));
  const binary = join(folder, "dist", "electron");
  writeFileSync(binary, "");
  writeFileSync(join(folder, "path.txt"), "electron");
  return binary;
}

test("with binary and display the window opens", () => {
  const binary = install();
  expect(desktopChance(folder, linux)).toEqual({ binary });
});

test("a package without its binary is no reason to fail: it says what is missing", () => {
  expect(desktopChance(folder, linux)).toEqual({ why: expect.stringContaining("not installed") });
});

test("without a display, and as root, the page is served instead", () => {
  install();
  expect(desktopChance(folder, { ...linux, env: {} })).toEqual({ why: expect.stringContaining("display") });
  expect(desktopChance(folder, { ...linux, userId: 0 })).toEqual({ why: expect.stringContaining("root") });
});

test("a binary elsewhere is found by the variable that Electron's own tools know", () => {
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "electron"), "");
  const chance = desktopChance(folder, { ...linux, env: { DISPLAY: ":0", ELECTRON_OVERRIDE_DIST_PATH: elsewhere } });
  expect(chance).toEqual({ binary: join(elsewhere, "electron") });
});
