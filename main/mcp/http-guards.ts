import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";

const validHost = localhostHostValidation();
const validOrigin = localhostOriginValidation();

/**
 * Turns away what did not come from this machine's own programs: a page in a browser that was led here by a rebound name
 * shows a foreign Host or Origin. Answers 403 itself and returns false.
 */
export function fromThisMachine(request: IncomingMessage, response: ServerResponse): boolean {
  return validHost(request, response) && validOrigin(request, response);
}

/** Whether the request carries the token; takes as long for a wrong one as for the right one. */
export function carriesToken(request: IncomingMessage, token: string): boolean {
  const [scheme = "", given = ""] = (request.headers.authorization ?? "").split(" ", 2);
  const same = timingSafeEqual(digest(given), digest(token));
  return same && scheme.toLowerCase() === "bearer";
}

/** Answers 401 in the protocol's own form. */
export function refuseWithoutToken(response: ServerResponse): void {
  response.writeHead(401, { "content-type": "application/json", "www-authenticate": 'Bearer realm="caustic"' });
  response.end(
    JSON.stringify({
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32_001,
        message: "A bearer token is needed; caustic serve prints it with the client configuration",
      },
    }),
  );
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
