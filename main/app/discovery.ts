import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { UsageError } from "./usage-error.ts";

const RECORD = "host.json";

/** How other processes of the same user find the host that runs. Holds its token, so nobody else may read it. */
const hostRecordSchema = z.object({
  url: z.url().describe("MCP endpoint"),
  token: z.string().min(20),
  pid: z.number().int().positive(),
});
export type HostRecord = z.infer<typeof hostRecordSchema>;

/** Says where the record lies when it is not where every process of the user looks. */
export const RUNTIME_VARIABLE = "CAUSTIC_RUNTIME";

/**
 * The record's place: `CAUSTIC_RUNTIME`, else the user's folder for what lives as long as a login. MCP clients start programs with
 * little more than HOME and PATH, so the usual runtime folder is found without its variable.
 */
export function discoveryFile(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment[RUNTIME_VARIABLE];
  if (given !== undefined && given !== "") return join(given, RECORD);
  const runtime = environment["XDG_RUNTIME_DIR"] ?? `/run/user/${process.getuid?.() ?? ""}`;
  return existsSync(runtime) ? join(runtime, "caustic", RECORD) : join(homedir(), ".local/state/caustic", RECORD);
}

export function announceHost(record: HostRecord, file = discoveryFile()): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkPrivate(folder);
  const partial = `${file}.${record.pid}`;
  rmSync(partial, { force: true });
  writeFileSync(partial, JSON.stringify(record), { mode: 0o600, flag: "wx" });
  chmodSync(partial, 0o600);
  renameSync(partial, file);
}

/** Takes the record away, unless another host has put its own there. */
export function withdrawHost(record: HostRecord, file = discoveryFile()): void {
  try {
    if (findHost(file).token === record.token) rmSync(file, { force: true });
  } catch {
    // There is none to take away.
  }
}

/**
 * The host that announced itself last.
 *
 * @throws UsageError where there is none, it has ended, or others could have written the record.
 */
export function findHost(file = discoveryFile()): HostRecord {
  let text: string;
  try {
    checkPrivate(dirname(file));
    checkPrivate(file);
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`no bench runs here (${file} is missing); start one with caustic serve`);
  }
  const parsed = hostRecordSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new UsageError(`${file} is damaged; start caustic serve again`);
  if (!isAlive(parsed.data.pid))
    throw new UsageError(`the bench announced in ${file} has ended; start caustic serve again`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Refuses what others may write or read: a foreign record could lead a client to a foreign host. */
function checkPrivate(path: string): void {
  const facts = lstatSync(path);
  if (process.platform === "win32") return;
  const own = facts.uid === process.getuid?.();
  if (own && !facts.isSymbolicLink() && (facts.mode & 0o077) === 0) return;
  throw new UsageError(
    `${path} is open to other users; expected it to be yours alone (mode ${facts.isDirectory() ? "0700" : "0600"})`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
