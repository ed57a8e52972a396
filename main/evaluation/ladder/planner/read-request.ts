import { VERDICTS, type Verdict } from "../../../contract/vocabulary.ts";
import { COUNT, countOf, takeMeasurement, takePlaces, takeTime, Words } from "./phrases.ts";
import type { Condition, MeasurementPhrase, PlacePhrase, TimePhrase, Topic, Wish } from "./wish.ts";

/** A request that says something which is not understood; the rest of it is then not done either. */
export class NotUnderstood extends Error {
  override readonly name = "NotUnderstood";
}

const VERBS =
  "take|record|measure|fit|reject|leave|restore|bring|move|drive|go|put|set|use|suggest|estimate|finish|halve|have|get|again|see";
const THEN = new RegExp(String.raw`,? (?:and )?then |,? and (?=(?:${VERBS})\b)|, (?=(?:${VERBS})\b)`, "i");

/** What a request asks for, in its order. Throws `NotUnderstood` naming the words. */
export function readRequest(request: string): Wish[] {
  // An explanation runs to the end, whatever it says.
  const spoken = /^(.*?\bas \w+): (.+)$/s.exec(request.trim());
  const explanation = spoken?.[2];
  const sentences = (spoken?.[1] ?? request)
    .trim()
    .split(/(?<=[.?!;])\s+/)
    .map((sentence) => sentence.replace(/[.?!;]+$/, "").trim())
    .filter((sentence) => sentence !== "");
  const wishes: Wish[] = [];
  let topic: Topic | undefined;
  for (const sentence of sentences) {
    const last = wishes.at(-1);
    const otherwise = /^otherwise,? (.+)$/i.exec(sentence)?.[1];
    const conditional = /^if (.+?), (.+)$/i.exec(sentence);
    const postponed = /^(.+?) if (.+?), otherwise (.+)$/i.exec(sentence);
    const enough = new RegExp(String.raw`^${COUNT} (?:places|positions) will do$`, "i").exec(sentence);
    if (otherwise !== undefined && last?.do === "if") {
      wishes.splice(-1, 1, { ...last, otherwise: readClauses(otherwise) });
    } else if (enough?.[1] !== undefined && last?.do === "suggest") {
      wishes.splice(-1, 1, { do: "suggest", count: countOf(enough[1].toLowerCase()) });
    } else if (conditional?.[1] !== undefined && conditional[2] !== undefined) {
      wishes.push({
        do: "if",
        condition: readCondition(conditional[1]),
        then: readClauses(conditional[2]),
        otherwise: [],
      });
    } else if (postponed?.[1] !== undefined && postponed[2] !== undefined && postponed[3] !== undefined) {
      const verb = /^\w+/.exec(postponed[1])?.[0] ?? "";
      const whole = /^as\b/i.test(postponed[3]) ? `${verb} ${postponed[3]}` : postponed[3];
      wishes.push({
        do: "if",
        condition: readCondition(postponed[2]),
        then: readClauses(postponed[1]),
        otherwise: readClauses(whole),
      });
    } else if (readTopic(sentence) !== undefined) {
      topic = readTopic(sentence);
    } else if (topic !== undefined && /^(put (it|that) right|see to it|mend it)$/i.test(sentence)) {
      wishes.push({ do: "see-to", topic });
    } else {
      wishes.push(...readClauses(sentence));
    }
  }
  if (wishes.length === 0) throw new NotUnderstood("the request asks for nothing");
  if (explanation === undefined) return wishes;
  return wishes.map((wish) => (wish.do === "finish" ? { ...wish, explanation } : wish));
}

/** What a sentence says is amiss. */
function readTopic(sentence: string): Topic | undefined {
  if (
    /^(something is wrong with the latest measurement|the latest measurement (is poor|cannot be trusted))$/i.test(
      sentence,
    )
  )
    return "latest";
  if (/^a good measurement was left out by mistake$/i.test(sentence)) return "exclusion";
  if (/^there is no m² yet$/i.test(sentence)) return "m2";
  return undefined;
}

function readClauses(text: string): Wish[] {
  const state = /^(?:have|leave|end with) (.+)$/i.exec(text);
  if (state?.[1] !== undefined) {
    const items = state[1].split(
      /, and |, with |, (?!m\d{3}(?:,| and| in))| and (?!m\d{3}(?:,| and| in))| with (?=a measurement)/i,
    );
    const wishes = items.map(readState);
    if (wishes.every((wish) => wish !== undefined)) return [{ do: "have", wishes }];
  }
  return text
    .split(THEN)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")
    .flatMap(readClause);
}

/** `the stage at 20 mm`: something that is to be so. */
function readState(item: string): Wish | undefined {
  const words = new Words(item);
  const done = (wish: Wish): Wish | undefined => (words.ended ? wish : undefined);
  if (words.take(/^the stage at\b/)) {
    const [place] = takePlaces(words) ?? [];
    return place === undefined ? undefined : done({ do: "go", place });
  }
  if (words.take(/^the exposure at\b/)) {
    const time = takeTime(words);
    return time === undefined ? undefined : done({ do: "expose", time });
  }
  if (words.take(/^(a dark|darks) (for|at)\b/)) {
    const time = takeTime(words);
    return time === undefined ? undefined : done({ do: "darks", time });
  }
  if (words.take(/^a (?=(dark-subtracted )?measurement)/)) return readMeasurement(words);
  const only = words.take(/^only ((?:m\d{3}(?:, | and )?)+) in the fit/);
  if (only?.[1] !== undefined) return done({ do: "keep", ids: only[1].match(/m\d{3}/g) ?? [] });
  if (words.take(/^the run finished as\b/)) {
    const verdict = takeVerdict(words);
    return verdict === undefined ? undefined : done({ do: "finish", verdict, explanation: item });
  }
  const which = takeMeasurement(words);
  if (which !== undefined && words.take(/^rejected\b/)) return done({ do: "reject", which });
  return undefined;
}

const takeVerdict = (words: Words): Verdict | undefined => {
  const found = words.take(new RegExp(`^(${VERDICTS.join("|")})\\b`))?.[1];
  return VERDICTS.find((verdict) => verdict === found);
};

/** `dark-subtracted measurement at 120 mm with 0.8 ms`. */
function readMeasurement(words: Words): Wish | undefined {
  const dark = words.take(/^dark-subtracted\b/) !== undefined;
  if (words.take(/^measurement\b/) === undefined) return undefined;
  return readDetails(words, dark ? { dark: true } : {});
}

interface Details {
  places?: readonly PlacePhrase[];
  time?: TimePhrase;
  frames?: number;
  readonly dark?: boolean;
  readonly usable?: boolean;
}

/** Places, time and frames of a measurement in any order, to the end of the clause. */
function readDetails(words: Words, known: Details): Wish | undefined {
  const details: Details = { ...known };
  while (!words.ended) {
    if (words.take(/^(again|once more)\b/)) continue;
    const frames = words.take(new RegExp(String.raw`^averaging ${COUNT} frames?\b`));
    if (frames?.[1] !== undefined) {
      details.frames = countOf(frames[1]);
      continue;
    }
    words.take(/^(taken|starting)\b/);
    words.take(/^(at|with|for|beginning with)\b/);
    const time = takeTime(words);
    if (time !== undefined) {
      details.time = time;
      continue;
    }
    const places = details.places === undefined ? takePlaces(words) : undefined;
    if (places === undefined) return undefined;
    details.places = places;
  }
  const { places } = details;
  return places === undefined ? undefined : { do: "measure", ...details, places };
}

function readClause(clause: string): Wish[] {
  for (const read of READERS) {
    const words = new Words(clause);
    const wish = read(words, clause);
    if (wish !== undefined && words.ended) return [wish].flat();
  }
  throw new NotUnderstood(`not understood: "${clause}"`);
}

type Reader = (words: Words, clause: string) => Wish | Wish[] | undefined;

const reading =
  (verb: RegExp, then: (words: Words, clause: string) => Wish | Wish[] | undefined): Reader =>
  (words, clause) =>
    words.take(verb) === undefined ? undefined : then(words, clause);

const onMeasurement =
  (make: (which: MeasurementPhrase) => Wish) =>
  (words: Words): Wish | undefined => {
    const which = takeMeasurement(words);
    return which === undefined ? undefined : make(which);
  };

/** The sentences that are understood, by their verbs. */
const READERS: readonly Reader[] = [
  reading(/^(what is the status of the bench|where does the stage stand)\b/, () => ({ do: "status" })),
  reading(/^(bring this run to its proper end|conclude this run)\b/, () => ({ do: "see-to", topic: "end" })),
  reading(/^(make this run ready to be called compliant|complete the iso coverage( of both axes)?)\b/, () => ({
    do: "see-to",
    topic: "coverage",
  })),
  reading(/^do what has to come before the first measurement at\b/, (words) => {
    const time = takeTime(words);
    return time === undefined ? undefined : { do: "have", wishes: [{ do: "darks", time }] };
  }),
  reading(/^(get m² on both axes|determine m²)\s*/, () => ({ do: "determine" })),
  reading(/^(fit the caustic|fit again|what is m² at the moment)\s*/, () => ({ do: "fit" })),
  reading(
    /^(what would m² be without|fit the caustic without)\b/,
    onMeasurement((without) => ({ do: "fit", without })),
  ),
  reading(/^(estimate|how long would) a scan (of|at)\b/, (words) => {
    const places = takePlaces(words);
    words.take(/^take\b/);
    return places === undefined ? undefined : { do: "estimate", places };
  }),
  reading(/^(where should i measure next)\b/, () => ({ do: "suggest", count: 5 })),
  reading(/^(suggest|get suggestions for)\b/, (words) => {
    const count = words.take(new RegExp(String.raw`^${COUNT} (?:more |further )?positions?\b`))?.[1];
    return count === undefined ? undefined : { do: "suggest", count: countOf(count) };
  }),
  reading(
    /^reject\b/,
    onMeasurement((which) => ({ do: "reject", which })),
  ),
  reading(/^leave it$/, () => []),
  reading(/^leave\b/, (words) => {
    const before = words.take(/^out\b/) !== undefined;
    const which = takeMeasurement(words);
    const after = words.take(/^out( of the fits?)?\b/) !== undefined;
    return which === undefined || before === after ? undefined : { do: "reject", which };
  }),
  reading(
    /^restore\b/,
    onMeasurement((which) => ({ do: "restore", which })),
  ),
  reading(/^bring\b/, (words) => {
    const which = takeMeasurement(words);
    return which === undefined || words.take(/^back\b/) === undefined ? undefined : { do: "restore", which };
  }),
  reading(/^(take|record)\b/, (words) => {
    const frames = words.take(new RegExp(String.raw`^${COUNT}(?= dark)`))?.[1];
    if (words.take(/^(the )?(dark frames?|darks?|background)\b/) === undefined) return undefined;
    if (words.take(/^(at|with|for)\b/) === undefined) return undefined;
    const time = takeTime(words);
    return time === undefined
      ? undefined
      : { do: "darks", time, ...(frames === undefined ? {} : { frames: countOf(frames) }) };
  }),
  reading(/^(set|use) (the|an) exposure (of|to)\b/, (words) => {
    const time = takeTime(words);
    words.take(/^from now on\b/);
    return time === undefined ? undefined : { do: "expose", time };
  }),
  reading(/^set it to (\d+(?:\.\d+)?)$/, (_words, clause) => ({
    do: "set",
    value: Number(/[\d.]+$/.exec(clause)?.[0]),
  })),
  reading(/^(move|drive|go|put)( the stage| the camera| it)?( back)?( to)?\b/, (words) => {
    const [place, ...more] = takePlaces(words) ?? [];
    return place === undefined || more.length > 0 ? undefined : { do: "go", place };
  }),
  reading(/^halve the exposure until nothing is saturated$/, () => ({ do: "scale", factor: 0.5, flag: "saturated" })),
  reading(/^(how wide is the beam|measure|again)\b/, (words) => readDetails(words, {})),
  reading(/^i want a\b/, (words) => readMeasurement(words)),
  reading(/^get a usable width\b/, (words) => readDetails(words, { usable: true })),
  reading(/^finish( the run)? as\b/, (words, clause) => {
    const verdict = takeVerdict(words);
    return verdict === undefined ? undefined : { do: "finish", verdict, explanation: clause };
  }),
];

function readCondition(text: string): Condition {
  const words = new Words(text);
  const condition = ((): Condition | undefined => {
    if (words.take(/^it is saturated$/)) return { kind: "flag", flag: "saturated" };
    if (words.take(/^the signal is low$/)) return { kind: "flag", flag: "low_signal" };
    if (words.take(/^m² is determined on both axes$/)) return { kind: "fact", fact: "determined" };
    if (words.take(/^both axes are covered$/)) return { kind: "fact", fact: "covered" };
    const side = words.take(/^the stage stands (beyond|below)\b/)?.[1];
    const [place] = side === undefined ? [] : (takePlaces(words) ?? []);
    if (place?.kind !== "mm") return undefined;
    return { kind: "stands", side: side === "beyond" ? "beyond" : "below", z_mm: place.z_mm };
  })();
  if (condition === undefined || !words.ended) throw new NotUnderstood(`not understood: "if ${text}"`);
  return condition;
}
