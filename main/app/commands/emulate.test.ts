import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TcpLink } from "../../../drivers/transport/tcp-link.ts";
import { CAUSTIC, runCaustic } from "../run-caustic.ts";

const HAS_SOCAT = spawnSync("socat", ["-V"]).status === 0;

function emulate(...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [CAUSTIC, "emulate", ...args]);
}

describe("caustic emulate", () => {
  test("prints the address and serves the controller there until it is told to end", async () => {
    const child = emulate("zaber-ascii", "--tcp", "0");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { port } = new URL(line.toString().trim());
    const link = new TcpLink({ host: "127.0.0.1", port: Number(port) });
    await link.open();
    const reply = new Promise<Uint8Array>((resolve) => link.onData(resolve));
    await link.write(new TextEncoder().encode("/1 get system.axiscount\n"));
    expect(new TextDecoder().decode(await reply)).toBe("@01 0 OK IDLE WR 1\r\n");
    await link.close();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test.skipIf(!HAS_SOCAT)("ends with status 3 when the pseudo-terminal goes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "caustic-pty-"));
    const child = emulate("zaber-ascii", "--pty", join(folder, "stage"));
    let stderr = "";
    child.stderr.on("data", (bytes: Buffer) => {
      stderr += bytes.toString();
    });
    await once(child.stdout, "data");
    const socat = execFileSync("pgrep", ["-P", String(child.pid), "socat"], { encoding: "utf8" });
    // It has no time to take its link away.
    process.kill(Number(socat), "SIGKILL");
    expect(await once(child, "exit")).toEqual([3, null]);
    expect(stderr).toMatch(/socat has ended, so .* is gone/);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test.each([
    [["toaster"], '"toaster" cannot be emulated'],
    [["grbl", "--tcp", "99999"], "is not a port"],
    [["grbl", "--tcp", "1", "--pty", "/tmp/x"], "exclude each other"],
    [["grbl", "--pty", CAUSTIC], "exists already"],
    [["camera", "--scenario", "clean"], "needs --scenario and --seed"],
    [["camera", "--scenario", "nowhere", "--seed", "1"], 'no scenario "nowhere"'],
    [["camera", "--scenario", "clean", "--seed", "1", "--serial", "no spaces"], "expected 1 to 15 letters"],
    [["camera", "--scenario", "clean", "--seed", "1", "--tcp", "0"], "--tcp does not belong to emulate camera"],
    [["grbl", "--seed", "1"], "--seed does not belong to emulate grbl"],
    [["grbl", "--pty", ""], "expected the path of the pseudo-terminal"],
    [["grbl", "--tcp", ""], "is not a port"],
    [["bench", "--scenario", "clean", "--seed", "1"], "needs --stage"],
    [["bench", "--scenario", "clean", "--seed", "1", "--stage", "toaster"], '"toaster" cannot be emulated'],
  ])("%j ends with status 2 and one sentence", async (args, words) => {
    const { status, stderr } = await runCaustic(["emulate", ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
