import type { Verdict } from "../../../contract/vocabulary.ts";

/*
 * What a request asks for, before anything in it is looked up: phrases stand for places, times and measurements that the state of the
 * bench must fill in.
 */

export type Axis = "x" | "y";

export type PlacePhrase =
  | { readonly kind: "mm"; readonly z_mm: number }
  /** So many Rayleigh lengths beyond the waist of an axis; without an axis, whichever was meant. */
  | { readonly kind: "waist"; readonly axis?: Axis; readonly rayleighs: number }
  | { readonly kind: "suggested"; readonly place: number | "all" }
  | { readonly kind: "end"; readonly side?: "lower" | "upper" }
  | { readonly kind: "middle" }
  /** The places spoken of last. */
  | { readonly kind: "there" }
  | { readonly kind: "further"; readonly by_mm: number }
  /** Where the stage was before the latest measurement. */
  | { readonly kind: "before" };

export type MeasurementPhrase =
  | { readonly kind: "id"; readonly id: string }
  /** The one spoken of last. */
  | { readonly kind: "it" }
  | {
      readonly kind: "described";
      /** From 1; −1 is the latest. Absent: the only one that fits. */
      readonly ordinal?: number;
      readonly every?: boolean;
      readonly use?: "used" | "rejected";
      readonly flag?: string;
      readonly z_mm?: number;
      readonly widest?: true;
    };

export type TimePhrase =
  | { readonly kind: "ms"; readonly exposure_ms: number }
  | { readonly kind: "of"; readonly measurement: MeasurementPhrase };

export type Condition =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "fact"; readonly fact: "determined" | "covered" }
  | { readonly kind: "stands"; readonly side: "beyond" | "below"; readonly z_mm: number };

/** What somebody says is amiss, or wants to have come about, without saying what to do. */
export type Topic = "latest" | "exclusion" | "m2" | "coverage" | "end";

export type Wish =
  | { readonly do: "status" }
  | { readonly do: "go"; readonly place: PlacePhrase }
  | { readonly do: "expose"; readonly time: TimePhrase }
  | { readonly do: "darks"; readonly time: TimePhrase; readonly frames?: number }
  | {
      readonly do: "measure";
      readonly places: readonly PlacePhrase[];
      readonly time?: TimePhrase;
      readonly frames?: number;
      /** With a dark of its exposure. */
      readonly dark?: boolean;
      /** Until the frame can be used, at whatever exposure. */
      readonly usable?: boolean;
    }
  | { readonly do: "scale"; readonly factor: number; readonly flag: string }
  | { readonly do: "reject" | "restore"; readonly which: MeasurementPhrase }
  | { readonly do: "fit"; readonly without?: MeasurementPhrase }
  | { readonly do: "estimate"; readonly places: readonly PlacePhrase[] }
  | { readonly do: "suggest"; readonly count: number }
  | { readonly do: "finish"; readonly verdict: Verdict; readonly explanation: string }
  | { readonly do: "determine" }
  | { readonly do: "keep"; readonly ids: readonly string[] }
  /** A number without a unit, for something that was not named. */
  | { readonly do: "set"; readonly value: number }
  | { readonly do: "have"; readonly wishes: readonly Wish[] }
  | {
      readonly do: "if";
      readonly condition: Condition;
      readonly then: readonly Wish[];
      readonly otherwise: readonly Wish[];
    }
  | { readonly do: "see-to"; readonly topic: Topic };
