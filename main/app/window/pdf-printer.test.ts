import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browserPrinter } from "./pdf-printer.ts";

test.skipIf(process.platform === "win32")("a print that is called off ends with its browser", async () => {
  const folder = mkdtempSync(join(tmpdir(), "caustic-no-print-"));
  try {
    const slow = join(folder, "browser");
    writeFileSync(slow, "#!/bin/sh\nexec sleep 600\n");
    chmodSync(slow, 0o755);
    const print = browserPrinter({
      platform: "linux",
      env: { CAUSTIC_BROWSER: slow },
      exists: (path) => path === slow,
    });
    const call = new AbortController();
    const printed = print?.("<p>report</p>", call.signal);
    call.abort();
    await expect(printed).rejects.toThrow(/abort/);
    await expect(print?.("<p>report</p>", call.signal)).rejects.toThrow(/abort/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
