/**
 * One text for one value, so that texts can be hashed and compared: keys in the order of their UTF-16 code units, no white space,
 * numbers and strings as `JSON.stringify` writes them (the form of RFC 8785). Object members that are undefined are left out.
 *
 * @throws TypeError naming the path of what JSON cannot say: NaN, infinities, undefined in an array, functions, class instances, cycles.
 */
export function canonicalJson(value: unknown): string {
  return write(value, "$", []);
}

function write(value: unknown, path: string, above: readonly object[]): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which JSON cannot say`);
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new TypeError(`${path} is of type ${typeof value}, which JSON cannot say`);
  if (above.includes(value)) throw new TypeError(`${path} contains itself`);
  const inside = [...above, value];
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item, index) => write(item, `${path}[${index}]`, inside)).join(",")}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${path} is not a plain object, so its text is not defined`);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member, `${path}.${key}`, inside)}`);
  return `{${members.join(",")}}`;
}
