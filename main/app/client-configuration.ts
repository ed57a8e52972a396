import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { discoveryFile, RUNTIME_VARIABLE } from "./discovery.ts";

/** What goes into the `mcpServers` of a client's configuration. */
export interface ClientConfiguration {
  readonly mcpServers: {
    readonly caustic:
      | {
          readonly command: string;
          readonly args: readonly string[];
          readonly env?: Readonly<Record<string, string>>;
        }
      | { readonly type: "http"; readonly url: string; readonly headers: { readonly Authorization: string } };
  };
}

/** For clients that start a program and talk to its stdin: it joins whatever host runs, and holds no secret. */
export function stdioConfiguration(): ClientConfiguration {
  const program = fileURLToPath(new URL("../../bin/caustic.mjs", import.meta.url));
  const record = discoveryFile();
  const env = record === discoveryFile({}) ? undefined : { [RUNTIME_VARIABLE]: dirname(record) };
  return {
    mcpServers: {
      caustic: { command: process.execPath, args: [program, "mcp", "--attach"], ...(env !== undefined && { env }) },
    },
  };
}

/** For clients that speak HTTP. Good until the host ends. */
export function httpConfiguration(url: string, token: string): ClientConfiguration {
  return { mcpServers: { caustic: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } } };
}
