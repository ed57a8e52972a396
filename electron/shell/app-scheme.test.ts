import { expect, test } from "vitest";
import { answerFor } from "./app-scheme.ts";

const FOLDER = "/opt/caustic/page";

test("a file of the page is served with the policy that admits nothing from elsewhere", () => {
  const answer = answerFor(FOLDER, "GET", "app://caustic/assets/index-abc.js");
  expect(answer).toMatchObject({ status: 200, file: `${FOLDER}/assets/index-abc.js` });
  const policy = answer.status === 200 ? answer.headers["content-security-policy"] : "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|ws:|\*/);
});

test("the address without a file is the page itself", () => {
  expect(answerFor(FOLDER, "GET", "app://caustic/")).toMatchObject({ status: 200, file: `${FOLDER}/index.html` });
});

test.each([
  ["app://caustic/../../../etc/passwd"],
  ["app://caustic/%2e%2e/%2e%2e/secret.json"],
  ["app://caustic/..%2f..%2fsecret.json"],
  ["app://caustic/..%5c..%5csecret.json"],
  ["app://caustic/assets/%00.js"],
  ["app://caustic/%"],
  ["app://caustic/notes.txt"],
  ["app://elsewhere/index.html"],
  ["file:///etc/passwd"],
  ["https://caustic/index.html"],
  ["not an address"],
])("%s never leaves the page's folder", (address) => {
  const answer = answerFor(FOLDER, "GET", address);
  if (answer.status === 200) expect(answer.file.startsWith(`${FOLDER}/`)).toBe(true);
  else expect([403, 404]).toContain(answer.status);
  if (answer.status === 200) expect(answer.file).not.toContain("..");
});

test("only reading is allowed", () => {
  for (const method of ["POST", "PUT", "DELETE"]) {
    expect(answerFor(FOLDER, method, "app://caustic/index.html").status).toBe(405);
  }
});
