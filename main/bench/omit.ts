/** A copy without some members. */
export function omit<Whole extends object, Key extends PropertyKey>(
  whole: Whole,
  ...keys: readonly Key[]
): Omit<Whole, Key> {
  return Object.fromEntries(Object.entries(whole).filter(([key]) => !keys.includes(key as Key))) as Omit<Whole, Key>;
}
