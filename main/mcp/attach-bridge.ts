import { SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";

export interface AttachOptions {
  /** Of the running host's endpoint. */
  readonly url: URL;
  readonly token: string;
  /** Where the client talks: stdin and stdout. */
  readonly local: Transport;
}

type Message = JSONRPCMessage & {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly requestId?: unknown; readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: { readonly protocolVersion?: unknown };
};

/**
 * Carries messages between a client on stdio and a running host, as they are, in whichever era the client speaks. Resolves when
 * either side has ended; everything that was under way is cancelled then.
 */
export async function attach({ url, token, local }: AttachOptions): Promise<void> {
  const remote = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  /** Requests that have no answer yet, with what breaks off their stream. */
  const open = new Map<RequestId, AbortController>();
  const ended = Promise.withResolvers<undefined>();
  let handshake: RequestId | undefined;

  const toLocal = (message: Message): void => {
    if (message.id !== undefined && message.method === undefined) {
      open.delete(message.id);
      const version = message.result?.protocolVersion;
      if (message.id === handshake && typeof version === "string") remote.setProtocolVersion(version);
    }
    local.send(message).catch(() => ended.resolve(undefined));
  };
  remote.onmessage = (message) => toLocal(message as Message);

  const toRemote = async (message: Message): Promise<void> => {
    const { id, method } = message;
    const cancelled = message.params?.requestId;
    const under = method === "notifications/cancelled" ? open.get(cancelled as RequestId) : undefined;
    if (under !== undefined && (typeof cancelled === "string" || typeof cancelled === "number")) {
      // In the 2026 protocol closing the stream is what cancels; a 2025 session wants the notification, and gets both.
      open.delete(cancelled);
      if (remote.sessionId !== undefined) await remote.send(message).catch(() => undefined);
      under.abort();
      return;
    }
    if (id === undefined || method === undefined) {
      await remote.send(message).catch(() => undefined);
      return;
    }
    if (method === "initialize" && message.params?._meta?.[PROTOCOL_VERSION_META_KEY] === undefined) handshake = id;
    const stream = new AbortController();
    open.set(id, stream);
    try {
      await remote.send(message, {
        requestSignal: stream.signal,
        onRequestStreamEnd: () => {
          if (open.has(id)) toLocal(failure(id, "the bench closed the stream before it answered"));
        },
      });
    } catch (error) {
      if (!stream.signal.aborted)
        toLocal(answerIn(error, id) ?? failure(id, "the bench cannot be reached; is caustic serve running?"));
    }
  };

  local.onmessage = (message) => void toRemote(message as Message);
  local.onclose = () => ended.resolve(undefined);
  await remote.start();
  await local.start();
  await ended.promise;
  for (const stream of open.values()) stream.abort();
  await remote.terminateSession().catch(() => undefined);
  await remote.close();
  await local.close();
}

/** The protocol's own error that came with a bad HTTP status. */
function answerIn(error: unknown, id: RequestId): Message | undefined {
  if (!(error instanceof SdkHttpError)) return undefined;
  const { text } = error.data as { readonly text?: unknown };
  try {
    const body = JSON.parse(String(text)) as Message;
    return "error" in body ? { ...body, id } : undefined;
  } catch {
    return undefined;
  }
}

function failure(id: RequestId, message: string): Message {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message } };
}
