import { defineConfig } from "vitest/config";

const project = (name: string, include: string[], timeout_ms = 60_000) => ({
  test: {
    name,
    include,
    environment: "node",
    testTimeout: timeout_ms,
    hookTimeout: timeout_ms,
    expect: { poll: { timeout: timeout_ms } },
  },
});

export default defineConfig({
  test: {
    reporters: ["default"],
    maxWorkers: 2,
    projects: [
      project("unit", ["{drivers,electron,main,renderer,simulators,tasks}/**/*.test.ts"]),
      project("physics", ["tests/physics/**/*.test.ts"], 300_000),
      project("contract", ["tests/contract/**/*.test.ts"], 120_000),
      project("conformance", ["tests/conformance/**/*.test.ts"], 300_000),
      project("evaluation", ["tests/evaluation/**/*.test.ts"], 300_000),
      project("boundaries", ["tests/boundaries/**/*.test.ts"], 120_000),
      project("end-to-end", ["tests/end-to-end/**/*.test.ts"], 300_000),
    ],
  },
});
