import type { BenchOffer } from "../bench/benches.ts";
import { createBenches } from "../bench/benches.ts";
import { createBenchClient } from "../contenders/bench-client.ts";
import { connectClient } from "../contenders/connect-client.ts";
import type { Assignment, Contender } from "../contenders/contender.ts";
import type { ToolName } from "../contract/tools.ts";
import { createBenchServer } from "../mcp/bench-server.ts";
import type { ServedPrompt } from "../mcp/served-prompt.ts";
import { createHttpEndpoint } from "../mcp/http-endpoint.ts";

export interface DriveOptions extends Pick<Assignment, "note" | "signal" | "onTurn"> {
  readonly offer: BenchOffer;
  readonly contender: Contender;
  readonly tools?: readonly ToolName[];
  readonly prompts?: readonly ServedPrompt[];
}

/**
 * Lets a contender drive a bench over Streamable HTTP, the transport that an agent uses, with the sockets left out.
 * Resolves when the contender is done; the run is closed by then. What the contender throws is thrown here, and the reason of `signal`
 * once that is aborted: the stage is stopped and the run closed at once, whether the contender heeds the signal or not.
 */
export async function driveBench({ offer, contender, tools, prompts, ...told }: DriveOptions): Promise<void> {
  const { signal } = told;
  signal?.throwIfAborted();
  const benches = createBenches([offer]);
  const server = createBenchServer({
    benches,
    callerKind: contender.kind ?? "script",
    ...(tools === undefined ? {} : { offered: tools }),
    ...(prompts === undefined ? {} : { prompts }),
  });
  const endpoint = createHttpEndpoint({ factory: server.factory });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= server.close();
    return closing;
  };
  const calledOff = Promise.withResolvers<never>();
  const callOff = (): void => {
    const reason: unknown = signal?.reason;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    // What keeps the stage from being stopped weighs more than why it had to be.
    close().then(() => calledOff.reject(error), calledOff.reject);
  };
  signal?.addEventListener("abort", callOff, { once: true });
  try {
    const client = await connectClient(contender.name, endpoint.fetch);
    try {
      const drive = contender.drive(await createBenchClient(client), { ...told, bench: offer.bench });
      await Promise.race([drive.catch((error: unknown) => afterCallOff(error)), calledOff.promise]);
    } finally {
      await client.close();
    }
  } finally {
    signal?.removeEventListener("abort", callOff);
    calledOff.promise.catch(() => undefined);
    await endpoint.close();
    await close();
  }

  /** A contender whose bench was closed under it fails because of that: what counts is why the bench was closed. */
  function afterCallOff(error: unknown): Promise<never> {
    if (signal?.aborted === true) return calledOff.promise;
    throw error;
  }
}
