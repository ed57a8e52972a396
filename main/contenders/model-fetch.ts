/** `fetch` that follows no redirect: the key goes to the address that was given and nowhere else. */
export const directFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "error" });
