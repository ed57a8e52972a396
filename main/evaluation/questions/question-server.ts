import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectProcess, type HandshakeLimits, type ProcessConnection } from "../../contenders/connect-process.ts";
import type { BenchWorld } from "../../contract/bench-world.ts";
import type { Question } from "../../contract/question.ts";

/** How a server is started: `{world}` in a word stands for a file that describes its benches, `{data}` for a folder of its own. */
export interface ServerChoice {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a process needs to run at all; the transport adds the shell, the terminal and the user by name. No key, no cloud account and no home reach a server. */
const INHERITED = ["PATH", "LANG", "LC_ALL", "TZ", "SystemRoot", "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR"];

/** A running server with the benches of its questions. */
export interface QuestionServer {
  readonly connection: ProcessConnection;
  /** The name of a question's bench on this server; undefined where it has no bench. */
  benchOf(question: Question): string | undefined;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

/**
 * Starts a server in a folder of its own with a clean environment. The benches of the questions are described in a file that is gone
 * as soon as the server has read it, so that no tool of the server can come across it.
 */
export async function startQuestionServer(
  choice: ServerChoice,
  questions: readonly Question[],
  name: string,
  limits: HandshakeLimits = {},
): Promise<QuestionServer> {
  const data = mkdtempSync(join(tmpdir(), "caustic-question-"));
  const names = new Map(
    questions.filter(({ world }) => world !== undefined).map(({ id }, i) => [id, `bench-${i + 1}`] as const),
  );
  const file = join(data, "world.json");
  const remove = (): void => rmSync(data, { recursive: true, force: true });
  try {
    const benches = Object.fromEntries(
      questions.flatMap(({ id, world }) => (world === undefined ? [] : [[names.get(id) ?? id, world]])),
    );
    if (choice.command.some((word) => word.includes("{world}"))) {
      writeFileSync(file, JSON.stringify({ benches } satisfies BenchWorld), { mode: 0o600 });
    }
    const [command = "", ...args] = choice.command.map((word) =>
      word.replaceAll("{world}", file).replaceAll("{data}", data),
    );
    const process = { command, args, env: environment(choice.env, data), cwd: data };
    const connection = await connectProcess(name, process, limits);
    rmSync(file, { force: true });
    return {
      connection,
      benchOf: ({ id }) => names.get(id),
      async close() {
        await connection.client.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The whole environment of a server. */
export function environment(added: Readonly<Record<string, string>>, data: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: data,
    TMPDIR: data,
    XDG_RUNTIME_DIR: data,
    // Compiled modules are shared between servers, so that each starts in half the time.
    NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
    ...added,
  };
}
