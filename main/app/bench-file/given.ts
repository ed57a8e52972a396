type WithoutUndefined<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/** Leaves out what was not given, which is not the same as giving undefined. */
export function given<Value extends object>(value: Value): WithoutUndefined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, entry]) => entry !== undefined),
  ) as WithoutUndefined<Value>;
}
