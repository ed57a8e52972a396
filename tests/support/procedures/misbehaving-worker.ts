import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

/*
 * A worker whose programs say how it misbehaves: `hang FILE` starts a process of its own, writes both numbers into the file and never answers;
 * `exit 7` ends the worker; anything else is answered with the number of the worker's process as its only call.
 */
process.on("message", ({ run: { program } }: { readonly run: { readonly program: string } }) => {
  const [word, rest = ""] = program.split(" ");
  if (word === "hang") {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => undefined, 300_000)"], { stdio: "ignore" });
    writeFileSync(rest, `${process.pid} ${child.pid ?? 0}`);
    for (;;);
  }
  if (word === "exit") process.exit(Number(rest));
  const judged = { ok: true, verdicts: [], results: {}, calls: process.pid, steps: 0 };
  process.send?.({ type: "done", judged });
});
process.on("disconnect", () => process.exit());
