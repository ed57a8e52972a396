import { spawnSync } from "node:child_process";
import { basename, dirname, resolve } from "node:path";

/** Whether a file stands in a repository's last commit exactly as it is on disk. */
export type Commitment =
  | { readonly committed: true; readonly commit: string; readonly date: string }
  | { readonly committed: false; readonly why: string };

/** The freeze of a large plan is some 100 kB. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs git in a folder; what it prints, trimmed. */
export function git(folder: string, args: readonly string[]): { status: number; stdout: string } {
  // A repository is found from the file, not from whatever a hook has set.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    env,
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  return { status: status ?? 1, stdout: typeof stdout === "string" ? stdout.trim() : "" };
}

/** Asks git about a file; the commit is the last one that touched it, its date is YYYY-MM-DD. */
export function commitmentOf(path: string): Commitment {
  const folder = dirname(resolve(path));
  const name = basename(path);
  if (git(folder, ["rev-parse", "--verify", "HEAD"]).status !== 0) {
    return { committed: false, why: `${path} is in no git repository with a commit` };
  }
  const touched = git(folder, ["log", "-1", "--format=%H %cs", "--", name]).stdout;
  const [commit, date] = touched.split(" ");
  if (
    commit === undefined ||
    commit === "" ||
    date === undefined ||
    git(folder, ["cat-file", "-e", `HEAD:./${name}`]).status !== 0
  ) {
    return { committed: false, why: `${path} is not committed` };
  }
  if (git(folder, ["diff", "--quiet", "HEAD", "--", name]).status !== 0) {
    return { committed: false, why: `${path} has changes that are not committed` };
  }
  return { committed: true, commit, date };
}
