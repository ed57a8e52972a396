/** Arguments that do not fit together. `message` is one sentence with what was expected; the command ends with status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
