import { constant } from "./constant.ts";
import type { Contender } from "./contender.ts";
import { naive } from "./naive.ts";
import { scripted } from "./scripted.ts";

/** The contenders that need nothing but the bench. */
export const SCRIPTS: Readonly<Record<string, Contender>> = { scripted, naive, constant };
