import { FileError } from "./file-error.ts";

/** Bytes per value by TIFF field type (TIFF 6.0, section 2; 16 to 18 are BigTIFF's). */
const TYPE_BYTES: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};

interface TiffDirectory {
  readonly pages: number;
  /** Whole-number values of the first page's tags. */
  readonly tags: ReadonlyMap<number, readonly number[]>;
  /** Tag 270, "" where there is none. */
  readonly description: string;
}

/**
 * Reads the tags of the first page and counts the pages. It proves that every offset and length in the header lies
 * inside the file, which decoders of this format take on trust.
 */
export function readTiffDirectory(path: string, bytes: Uint8Array): TiffDirectory {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = bytes[0] === 0x49;
  const need = (offset: number, length: number, what: string): void => {
    if (!(offset >= 0) || offset + length > bytes.length) {
      throw new FileError(path, `truncated TIFF: ${what} at byte ${offset}; the file has ${bytes.length}`);
    }
  };
  need(0, 8, "a header of 8 bytes");
  const big = view.getUint16(2, little) === 43;
  if (big) need(0, 16, "a header of 16 bytes");
  const wide = (offset: number): number => Number(view.getBigUint64(offset, little));
  const pointer = (offset: number): number => (big ? wide(offset) : view.getUint32(offset, little));
  const entryBytes = big ? 20 : 12;
  const countBytes = big ? 8 : 2;

  const tags = new Map<number, readonly number[]>();
  let description = "";
  const seen = new Set<number>();
  for (let start = pointer(big ? 8 : 4); start !== 0; ) {
    if (seen.has(start)) break;
    seen.add(start);
    need(start, countBytes, "a page directory");
    const entries = big ? wide(start) : view.getUint16(start, little);
    const end = start + countBytes + entries * entryBytes;
    if (seen.size === 1) {
      need(start, end - start + (big ? 8 : 4), `a directory of ${entries} tags`);
      for (let i = 0; i < entries; i++) readEntry(start + countBytes + i * entryBytes);
    } else if (end + (big ? 8 : 4) > bytes.length) {
      break;
    }
    start = pointer(end);
    if (seen.size > 1e5) break;
  }
  if (seen.size === 0) throw new FileError(path, "TIFF without a page; expected at least one");
  return { pages: seen.size, tags, description };

  function readEntry(entry: number): void {
    const tag = view.getUint16(entry, little);
    const type = view.getUint16(entry + 2, little);
    const count = big ? wide(entry + 4) : view.getUint32(entry + 4, little);
    const valueBytes = TYPE_BYTES[type];
    if (valueBytes === undefined) throw new FileError(path, `damaged TIFF: tag ${tag} has the unknown type ${type}`);
    const inline = big ? 8 : 4;
    const place = entry + (big ? 12 : 8);
    const offset = count * valueBytes <= inline ? place : pointer(place);
    need(offset, count * valueBytes, `tag ${tag} with ${count} values`);
    if (tag === 270 && type === 2) description = new TextDecoder().decode(bytes.subarray(offset, offset + count));
    const read: Readonly<Record<number, (at: number) => number>> = {
      1: (at) => view.getUint8(at),
      3: (at) => view.getUint16(at, little),
      4: (at) => view.getUint32(at, little),
      16: wide,
    };
    const reader = read[type];
    if (reader !== undefined)
      tags.set(
        tag,
        Array.from({ length: count }, (_, i) => reader(offset + i * valueBytes)),
      );
  }
}
