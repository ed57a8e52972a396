/** A server sent the request elsewhere. The key goes to the address that was given and nowhere else. */
export class Redirected extends Error {
  override readonly name = "Redirected";
}

/** `fetch` that follows no redirect: it throws `Redirected`. */
export const directFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Redirected(`status ${response.status}, to ${response.headers.get("location") ?? "no address"}`);
  }
  return response;
};
