/** Edits that turn one word into the other: insertions, deletions, replacements (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_\s]/g, "");

/** The known name that was probably meant; undefined where none is near. Of equally near ones, the first. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const wanted = plain(written);
  let best: { name: string; edits: number } | undefined;
  for (const name of known) {
    const candidate = plain(name);
    // A name with its unit (`z_mm`), or the beginning of one, is near however long the rest is.
    const begins = candidate.length >= 2 && (wanted.startsWith(candidate) || candidate.startsWith(wanted));
    const edits = Math.min(distance(wanted, candidate), begins ? 2 : Number.POSITIVE_INFINITY);
    if (best === undefined || edits < best.edits) best = { name, edits };
  }
  const most = Math.max(1, Math.min(3, Math.floor(wanted.length / 2)));
  return best !== undefined && best.edits <= most ? best.name : undefined;
}

/** `z, exposure, frames; did you mean "exposure"?` */
export function namesWithGuess(written: string, known: readonly string[]): string {
  const guess = nearestName(written, known);
  return `${known.join(", ")}${guess === undefined ? "" : `; did you mean "${guess}"?`}`;
}
