import { spawnSync } from "node:child_process";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ModelKeys } from "./model-keys.ts";

const SECRET = "sk-ant-72c1";

describe("keys of model providers", () => {
  it("are taken out of the environment, so that a child process has none", () => {
    const environment: NodeJS.ProcessEnv = {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: SECRET,
      OPENAI_API_KEY: ` ${SECRET} `,
      ANTHROPIC_AUTH_TOKEN: SECRET,
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    };
    const keys = ModelKeys.takenFrom(environment);
    expect(keys.keyFor("anthropic")).toBe(SECRET);
    expect(keys.keyFor("openai-compatible")).toBe(SECRET);
    const print = "process.stdout.write(JSON.stringify(process.env))";
    const child = spawnSync(process.execPath, ["-e", print], { env: environment, encoding: "utf8" });
    expect(child.stdout).toContain("OPENAI_BASE_URL");
    expect(child.stdout).not.toContain(SECRET);
  });

  it("do not show in print, in JSON or in a copy", () => {
    const keys = ModelKeys.takenFrom({ ANTHROPIC_API_KEY: SECRET });
    for (const text of [inspect(keys, { depth: 9, showHidden: true }), JSON.stringify(keys)]) {
      expect(text).not.toContain(SECRET);
    }
    expect(inspect(Object.assign({}, keys), { depth: 9 })).not.toContain(SECRET);
  });

  it("are absent where they are not set or empty", () => {
    expect(ModelKeys.takenFrom({}).keyFor("anthropic")).toBeUndefined();
    expect(ModelKeys.takenFrom({ OPENAI_API_KEY: " " }).keyFor("openai-compatible")).toBeUndefined();
  });
});
