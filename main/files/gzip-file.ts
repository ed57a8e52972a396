import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { FileError } from "./file-error.ts";

/** Colour images of 160 million pixels and 16 bits just fit. */
const LIMIT_BYTES = 2 ** 30;

/** Unpacks gzip data; a file that would fill the memory is refused before it does. */
export async function unpackGzip(path: string, packed: Uint8Array, limit_bytes = LIMIT_BYTES): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: limit_bytes });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw new FileError(path, `unpacks to more than ${limit_bytes / 2 ** 20} MiB; expected an image`);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError(path, `truncated or damaged gzip data (${reason}); expected a whole file`);
  }
}
