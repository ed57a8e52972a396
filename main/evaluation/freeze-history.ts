import { dirname, resolve } from "node:path";
import { git } from "./commitment.ts";
import { type Freeze, freezeHash, freezeSchema } from "./freeze.ts";

/** A freeze that some commit holds or held. */
interface CommittedFreeze {
  readonly commit: string;
  /** Of the commit, YYYY-MM-DD. */
  readonly date: string;
  readonly path: string;
  readonly freeze: Freeze;
}

/** Earlier freezes of a plan as far as its repository remembers them, oldest first. */
export interface FreezeHistory {
  readonly freezes: readonly CommittedFreeze[];
  /** Why there may have been others; absent where the repository holds its whole history. */
  readonly incomplete?: string;
}

const FREEZES = ":(top,glob)**/*.freeze.json";

/**
 * Looks for freezes of the plan of that name in all commits that any reference of the repository reaches, under whatever file name, also
 * where the file is gone since. What was never committed, or was made unreachable, cannot be found.
 */
export function freezeHistory(planPath: string, plan: string): FreezeHistory {
  const folder = dirname(resolve(planPath));
  if (git(folder, ["rev-list", "--all", "--max-count=1"]).stdout === "") {
    return { freezes: [], incomplete: "there is no git history here, so earlier freezes cannot be ruled out" };
  }
  const shallow = git(folder, ["rev-parse", "--is-shallow-repository"]).stdout === "true";
  const log = git(folder, [
    ...["-c", "core.quotePath=false", "log", "--all", "--reverse", "--full-history", "--no-renames", "-m"],
    ...["--diff-filter=AM", "--format=%x00%H %cs", "--name-only", "--", FREEZES],
  ]).stdout;
  const found = new Map<string, CommittedFreeze>();
  for (const entry of log.split("\0")) {
    const [head = "", ...paths] = entry.split("\n").filter((line) => line !== "");
    const [commit = "", date = ""] = head.split(" ");
    for (const path of paths) {
      const freeze = parsed(git(folder, ["show", `${commit}:${path}`]).stdout);
      if (freeze?.plan !== plan) continue;
      const hash = freezeHash(freeze);
      if (!found.has(hash)) found.set(hash, { commit, date, path, freeze });
    }
  }
  return {
    freezes: [...found.values()],
    ...(shallow ? { incomplete: "the git history is cut short here, so earlier freezes cannot be ruled out" } : {}),
  };
}

function parsed(text: string): Freeze | undefined {
  try {
    return freezeSchema.parse(JSON.parse(text));
  } catch {
    // Not a freeze, or one of a form that this program never wrote.
    return undefined;
  }
}

const names = (earlier: Freeze["earlier"], { version, plan_sha256 }: Freeze): boolean =>
  earlier.some((one) => one.version === version && one.plan_sha256 === plan_sha256);

/** Committed freezes that this one neither is, nor took the place of, nor was replaced by. */
export function rivalsOf(freeze: Freeze, history: FreezeHistory): CommittedFreeze[] {
  const own = freezeHash(freeze);
  return history.freezes.filter(
    (one) => freezeHash(one.freeze) !== own && !names(freeze.earlier, one.freeze) && !names(one.freeze.earlier, freeze),
  );
}

/** The freeze that a new one has to take the place of: the furthest of those in the history and the one in the file. */
export function latestFreeze(file: Freeze | undefined, history: FreezeHistory): Freeze | undefined {
  return [...history.freezes.map((one) => one.freeze), ...(file === undefined ? [] : [file])].reduce<
    Freeze | undefined
  >(
    (latest, one) =>
      latest === undefined ||
      one.version > latest.version ||
      (one.version === latest.version && one.deviations >= latest.deviations)
        ? one
        : latest,
    undefined,
  );
}
