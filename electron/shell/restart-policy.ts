/** What to do when a process is gone although nobody asked it to go: the bench's, or the one that draws the page. */
export type RestartDecision = { readonly restart: true; readonly after_ms: number } | { readonly restart: false };

const WITHIN_MS = 60_000;
const MOST = 3;
const FIRST_WAIT_MS = 500;

/**
 * A native driver may take the bench process along; the window stays and the bench starts again, a little later each time. The same
 * holds for the page, which draws by a driver of its own. When a process goes down a fourth time within a minute, starting it again
 * helps nobody: the person is asked.
 *
 * @param ends_ms when it went down, the last one last
 */
export function restartDecision(ends_ms: readonly number[]): RestartDecision {
  const last = ends_ms.at(-1) ?? 0;
  const recent = ends_ms.filter((end_ms) => last - end_ms < WITHIN_MS).length;
  if (recent > MOST) return { restart: false };
  return { restart: true, after_ms: FIRST_WAIT_MS * 2 ** (recent - 1) };
}
