interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the window stood when it was closed. */
export interface WindowPlace {
  readonly bounds: { readonly width: number; readonly height: number; readonly x?: number; readonly y?: number };
  readonly maximized: boolean;
}

const FIRST: WindowPlace = { bounds: { width: 1440, height: 900 }, maximized: false };
const LEAST = { width: 1024, height: 640 };
/** So much of the title must be on a screen that it can be grabbed. */
const GRIP = 100;

/** Reads a kept place; anything that is not one gives the first place. A window on a screen that is gone comes back to the middle. */
export function placeFrom(text: string | undefined, screens: readonly Rectangle[]): WindowPlace {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "");
  } catch {
    return FIRST;
  }
  if (typeof kept !== "object" || kept === null) return FIRST;
  const { x, y, width, height, maximized } = kept as Readonly<Record<string, unknown>>;
  const isLength = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value);
  if (!isLength(width) || !isLength(height)) return FIRST;
  const size = { width: Math.max(LEAST.width, width), height: Math.max(LEAST.height, height) };
  const isMaximized = maximized === true;
  if (!isLength(x) || !isLength(y)) return { bounds: size, maximized: isMaximized };
  const reachable = screens.some(
    (screen) =>
      x + size.width > screen.x + GRIP &&
      x < screen.x + screen.width - GRIP &&
      y >= screen.y &&
      y < screen.y + screen.height - GRIP,
  );
  return { bounds: reachable ? { ...size, x, y } : size, maximized: isMaximized };
}

/** The place as it is kept. */
export function placeText(bounds: Rectangle, maximized: boolean): string {
  return JSON.stringify({ ...bounds, maximized });
}
