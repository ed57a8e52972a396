import { expect, test } from "vitest";
import { isOwnPage, mayNavigate, newWindowRule } from "./navigation-rules.ts";
import { mayUse } from "./permission-rules.ts";
import { restartDecision } from "./restart-policy.ts";
import { windowOptions } from "./window-preferences.ts";
import { placeFrom, placeText } from "./window-place.ts";

test("the window stays on its own page", () => {
  expect(mayNavigate("app://caustic/index.html#/runs")).toBe(true);
  for (const address of [
    "https://example.org/",
    "app://caustic.evil/index.html",
    "app://evil@caustic.example/",
    "http://app//caustic/",
    "file:///home/a.html",
    "javascript:alert(1)",
    "data:text/html,x",
    "",
  ]) {
    expect(mayNavigate(address), address).toBe(false);
  }
});

test("no second window opens; known pages go to the browser, everything else nowhere", () => {
  expect(newWindowRule("https://modelcontextprotocol.io/docs")).toBe("browser");
  for (const address of [
    "http://modelcontextprotocol.io/",
    "https://modelcontextprotocol.io.evil.org/",
    "https://modelcontextprotocol.io@evil.org/",
    "https://user@modelcontextprotocol.io/",
    "file:///bin/sh",
    "app://caustic/",
  ]) {
    expect(newWindowRule(address), address).toBe("nothing");
  }
});

test("of the system the page may use the clipboard for text, and nobody else anything", () => {
  expect(mayUse("clipboard-sanitized-write", "app://caustic/index.html")).toBe(true);
  expect(mayUse("clipboard-sanitized-write", "https://example.org/")).toBe(false);
  for (const permission of [
    "media",
    "geolocation",
    "serial",
    "usb",
    "hid",
    "notifications",
    "openExternal",
    "clipboard-read",
  ]) {
    expect(mayUse(permission, "app://caustic/index.html"), permission).toBe(false);
  }
});

test("the window's page has no Node and its own world", () => {
  const { webPreferences } = windowOptions("/preload.cjs", placeFrom(undefined, []));
  expect(webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
  });
});

const SCREEN = { x: 0, y: 0, width: 1920, height: 1080 };

test("the window comes back where it was", () => {
  const kept = placeText({ x: 100, y: 50, width: 1300, height: 800 }, true);
  expect(placeFrom(kept, [SCREEN])).toEqual({ bounds: { x: 100, y: 50, width: 1300, height: 800 }, maximized: true });
});

test("a window on a screen that is gone comes back to the middle of one that is there", () => {
  const kept = placeText({ x: 2500, y: 50, width: 1300, height: 800 }, false);
  expect(placeFrom(kept, [SCREEN]).bounds).toEqual({ width: 1300, height: 800 });
});

test.each([undefined, "", "nonsense", "[]", "null", '{"width":"wide"}', '{"width":1e9.5}'])(
  "what is no place (%s) gives the first one",
  (text) => {
    expect(placeFrom(text, [SCREEN])).toEqual({ bounds: { width: 1440, height: 900 }, maximized: false });
  },
);

test("a bench process that ends is started again, later each time, and not for ever", () => {
  expect(restartDecision([0])).toEqual({ restart: true, after_ms: 500 });
  expect(restartDecision([0, 1000])).toEqual({ restart: true, after_ms: 1000 });
  expect(restartDecision([0, 1000, 3000])).toEqual({ restart: true, after_ms: 2000 });
  expect(restartDecision([0, 1000, 3000, 6000])).toEqual({ restart: false });
  // A quiet hour later it is a first time again.
  expect(restartDecision([0, 1000, 3000, 3_600_000])).toEqual({ restart: true, after_ms: 500 });
});

test("own page is judged by its whole origin", () => {
  expect(isOwnPage("app://caustic")).toBe(true);
  expect(isOwnPage("app://caustic:99")).toBe(false);
});
