/**
 * One text for one value, so that texts can be hashed and compared: keys in the order of their UTF-16 code units, no white space,
 * numbers and strings as `JSON.stringify` writes them (the form of RFC 8785). Object members that are undefined are left out.
 *
 * @throws TypeError naming the path of what JSON cannot say: NaN, infinities, undefined in an array, functions, class instances, cycles.
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

/** Where a value stands: the objects and arrays around it, from the outside inwards, and the key or index in each. */
type Place = { readonly inside: object; key: string | number }[];

function write(value: unknown, place: Place): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${path(place)} is ${value}, which JSON cannot say`);
      return String(value);
    case "object":
      if (value === null) return "null";
      if (place.some(({ inside }) => inside === value)) throw new TypeError(`${path(place)} contains itself`);
      return Array.isArray(value) ? writeArray(value, place) : writeObject(value, place);
    default:
      throw new TypeError(`${path(place)} is of type ${typeof value}, which JSON cannot say`);
  }
}

function writeArray(items: readonly unknown[], place: Place): string {
  const step: Place[number] = { inside: items, key: 0 };
  place.push(step);
  let text = "[";
  for (let index = 0; index < items.length; index++) {
    step.key = index;
    text += `${index === 0 ? "" : ","}${write(items[index], place)}`;
  }
  place.pop();
  return `${text}]`;
}

function writeObject(value: object, place: Place): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${path(place)} is not a plain object, so its text is not defined`);
  }
  const step: Place[number] = { inside: value, key: "" };
  place.push(step);
  let text = "{";
  // The order of sort without a comparison is that of the code units.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    step.key = key;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${write(member, place)}`;
  }
  place.pop();
  return `${text}}`;
}

/** The place as a reader writes it. Put together only for an error, since journals are written in passing. */
const path = (place: Place): string =>
  `$${place.map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")}`;
