/**
 * A file that cannot be read or written as asked. `message` is one sentence that names the file, the place in it where
 * there is one, and what was expected; the command line ends with status 2 on it.
 */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.path = path;
  }
}
