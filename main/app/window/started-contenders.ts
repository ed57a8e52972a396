import { Client } from "@modelcontextprotocol/client";
import { createBenchClient, ToolRefusal } from "../../contenders/bench-client.ts";
import { type Assignment, type Contender, GaveUp } from "../../contenders/contender.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { ModelUsage } from "../../contract/model-usage.ts";
import type { ContenderOffer, Drive, PageInput } from "../../contract/window-verbs.ts";
import type { BenchServer } from "../../mcp/bench-server.ts";
import { connectInMemory } from "../../mcp/serve-connection.ts";
import { Notifier } from "./notifier.ts";
import type { ContenderDesk } from "./shelves.ts";
import { waitingWhilePaused } from "./wait-while-paused.ts";

/** A contender that a window may start. */
export interface StartableContender {
  readonly offer: ContenderOffer;
  /** Made for every start, since an agent has its own budget. */
  readonly create: () => Contender;
}

interface RunningDrive {
  drive: Drive;
  readonly stop: AbortController;
  readonly close: () => Promise<void>;
}

/** Starts contenders as clients of the bench's server: they see its tools and nothing else, like any client from outside. */
export class StartedContenders implements ContenderDesk {
  readonly #contenders: readonly StartableContender[];
  readonly #serverFor: (kind: ContenderOffer["kind"]) => Pick<BenchServer, "factory">;
  readonly #pauseOver: (bench: string, signal: AbortSignal) => Promise<void>;
  readonly #drives = new Map<string, RunningDrive>();
  readonly #changed = new Notifier();
  readonly onChange = this.#changed.onChange;

  /** `serverFor` gives the server whose callers stand in the log as that kind; `pauseOver` resolves when a paused bench goes on. */
  constructor(
    contenders: readonly StartableContender[],
    serverFor: (kind: ContenderOffer["kind"]) => Pick<BenchServer, "factory">,
    pauseOver: (bench: string, signal: AbortSignal) => Promise<void>,
  ) {
    this.#contenders = contenders;
    this.#serverFor = serverFor;
    this.#pauseOver = pauseOver;
  }

  offers(): readonly ContenderOffer[] {
    return this.#contenders.map(({ offer }) => offer);
  }

  drives(): readonly Drive[] {
    return [...this.#drives.values()].map(({ drive }) => drive);
  }

  async start({ bench, contender: name, note }: PageInput<"start_contender">): Promise<Drive> {
    const startable = this.#contenders.find(({ offer }) => offer.contender === name);
    if (startable === undefined) {
      const names = this.#contenders.map(({ offer }) => offer.contender).join(", ");
      throw new BenchError("bad_argument", `there is no contender ${name}`, `On offer: ${names}.`);
    }
    if (startable.offer.unavailable !== undefined) {
      throw new BenchError(
        "not_offered",
        `${name} cannot be started: ${startable.offer.unavailable}`,
        "Start another one.",
      );
    }
    const client = new Client({ name, version: "1" });
    await client.connect(connectInMemory(this.#serverFor(startable.offer.kind)));
    const drive: Drive = {
      drive: `drive-${this.#drives.size + 1}`,
      contender: name,
      bench,
      state: "running",
      ...(note === undefined ? {} : { note }),
    };
    const stop = new AbortController();
    this.#drives.set(drive.drive, { drive, stop, close: () => client.close() });
    this.#changed.tell();
    const { signal } = stop;
    void this.#follow(drive.drive, client, startable.create(), {
      bench,
      ...(note === undefined ? {} : { note }),
      signal,
      onTurn: ({ usage }) => {
        this.#used(drive.drive, usage);
      },
    });
    return drive;
  }

  async stop(id: string): Promise<Drive> {
    const running = this.#drives.get(id);
    if (running === undefined) throw new BenchError("unknown_id", `there is no drive ${id}`, "Look at the list.");
    if (running.drive.state === "running") {
      this.#end(id, { state: "stopped", message: "stopped by the operator" });
      running.stop.abort(new Error("stopped by the operator"));
      await running.close();
    }
    return this.#drives.get(id)?.drive ?? running.drive;
  }

  async #follow(
    id: string,
    client: Client,
    contender: Contender,
    assignment: Assignment & { readonly signal: AbortSignal },
  ): Promise<void> {
    const { bench, signal } = assignment;
    try {
      const patient = waitingWhilePaused(await createBenchClient(client), () => this.#pauseOver(bench, signal));
      await contender.drive(patient, assignment);
      this.#end(id, { state: "ended" });
    } catch (error) {
      this.#end(id, endOf(error));
    } finally {
      await client.close();
    }
  }

  #used(id: string, { model_calls, tokens, usd }: ModelUsage): void {
    const running = this.#drives.get(id);
    if (running === undefined) return;
    const total =
      tokens === undefined ? undefined : tokens.input + tokens.cached_input + tokens.cache_write + tokens.output;
    running.drive = {
      ...running.drive,
      model_calls,
      ...(total === undefined ? {} : { tokens: total }),
      ...(usd === undefined ? {} : { usd }),
    };
    this.#changed.tell();
  }

  #end(id: string, change: Pick<Drive, "state" | "message">): void {
    const running = this.#drives.get(id);
    if (running?.drive.state !== "running") return;
    running.drive = { ...running.drive, ...change };
    this.#changed.tell();
  }
}

/** How a drive ended that did not come to its end by itself. An operator's hand is no failure. */
export function endOf(error: unknown): Pick<Drive, "state" | "message"> {
  if (error instanceof ToolRefusal) {
    if (error.code === "stopped") return { state: "stopped", message: "by STOP" };
    if (error.code === "control_lost" || error.code === "control_held") {
      return { state: "stopped", message: "the operator took over" };
    }
    if (error.code === "run_finished" || error.code === "unknown_run") {
      return { state: "stopped", message: "the run was closed" };
    }
  }
  const message = error instanceof Error ? error.message : String(error);
  return { state: error instanceof GaveUp ? "ended" : "failed", message };
}
