import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** One planted violation per line of the law that somebody is likely to break. */
const VIOLATIONS: Record<string, string> = {
  "main/loose-file.ts": 'import "./contract/subject.ts";',
  "unknown/folder.ts": 'import "../main/contract/subject.ts";',
  "drivers/instruments/one/reaches-sibling.ts": 'import "../two/subject.ts";',
  "drivers/protocol/reaches-up.ts": 'import "../transport/subject.ts";',
  "main/analysis/knows-the-truth.ts": 'import "../../simulators/world/subject.ts";',
  "simulators/world/knows-the-answer.ts": 'import "../../main/analysis/subject.ts";',
  "simulators/world/uses-node.ts": 'import "node:fs";',
  "main/analysis/uses-zod.ts": 'import "zod";',
  "main/bench/uses-serialport.ts": 'import "serialport";',
  "main/bench/knows-instruments.ts": 'import "../../simulators/instruments/subject.ts";',
  "main/contenders/reaches-the-bench.ts": 'import "../bench/subject.ts";',
  "main/mcp/reaches-the-store.ts": 'import "../store/subject.ts";',
  "main/contract/uses-node.ts": 'import "node:crypto";',
  "renderer/uses-node.ts": 'import "node:fs";',
  "renderer/reaches-the-bench.ts": 'import "../main/bench/subject.ts";',
  "renderer/uses-electron.ts": 'import "electron";',
  "electron/preload/reaches-the-app.ts": 'import "../../main/app/subject.ts";',
  "electron/shell/reaches-the-bench.ts": 'import "../../main/bench/subject.ts";',
  "tasks/reaches-analysis.ts": 'import "../main/analysis/subject.ts";',
  "main/app/imports-a-test.ts": 'import "../../tests/subject.ts";',
  "main/files/cycle-a.ts": 'import "./cycle-b.ts";\nexport const a = 1;',
};

/** The other half of the planted cycle; a cycle is reported once, from where it is first met. */
const CYCLE_CLOSES: Record<string, string> = {
  "main/files/cycle-b.ts": 'import "./cycle-a.ts";\nexport const b = 1;',
};

/** Files that the planted ones import, and legal imports that must not be reported. */
const LEGAL: Record<string, string> = {
  ...Object.fromEntries(
    [
      "main/contract",
      "drivers/instruments/two",
      "drivers/transport",
      "simulators/world",
      "simulators/instruments",
      "main/analysis",
      "main/bench",
      "main/store",
      "main/app",
      "tests",
    ].map((folder) => [`${folder}/subject.ts`, "export const subject = 1;"]),
  ),
  "main/analysis/legal.ts": 'import "../contract/subject.ts";',
  "main/app/legal.ts": 'import "../../simulators/instruments/subject.ts";\nimport "node:fs";',
};

describe("the import law", () => {
  let folder = "";
  let output = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "import-law-"));
    for (const [path, text] of Object.entries({ ...VIOLATIONS, ...CYCLE_CLOSES, ...LEGAL })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    cpSync(join(ROOT, "config/dependency-rules.cjs"), join(folder, "dependency-rules.cjs"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(
      join(folder, "tsconfig.json"),
      '{"compilerOptions":{"module":"NodeNext","moduleResolution":"NodeNext","allowImportingTsExtensions":true,"noEmit":true}}',
    );
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const result = spawnSync(
      process.execPath,
      [
        join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs"),
        "--config",
        "dependency-rules.cjs",
        "--output-type",
        "json",
        "drivers",
        "electron",
        "main",
        "renderer",
        "simulators",
        "tasks",
        "tests",
        "unknown",
      ],
      { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    );
    output = result.stdout;
    if (output === "") throw new Error(result.stderr);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const reported = () => {
    const parsed = JSON.parse(output) as { summary: { violations: { from: string }[] } };
    return new Set(parsed.summary.violations.map((violation) => violation.from));
  };

  it.each(Object.keys(VIOLATIONS))("reports %s", (path) => {
    expect([...reported()]).toContain(path);
  });

  it.each(Object.keys(LEGAL))("lets %s pass", (path) => {
    expect([...reported()]).not.toContain(path);
  });
});

describe("the pure layers", () => {
  it.each([
    ["setTimeout", "setTimeout(() => 0, 1);"],
    ["console", 'console.log("");'],
    ["process", "export const a = process.pid;"],
    ["performance", "export const a = performance.now();"],
    ["window", "export const a = window;"],
    ["Buffer", "export const a = Buffer.alloc(1);"],
  ])("do not know %s", (name, text) => {
    const folder = mkdtempSync(join(tmpdir(), "pure-"));
    try {
      writeFileSync(join(folder, "planted.ts"), `${text}\nexport {};\n`);
      const pure = join(ROOT, "config/tsconfig.pure.json");
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ extends: pure, include: ["planted.ts"], exclude: [] }),
      );
      const result = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder], {
        encoding: "utf8",
      });
      expect(result.stdout).toContain(`'${name}'`);
      expect(result.status).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
