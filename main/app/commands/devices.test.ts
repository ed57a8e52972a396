import { describe, expect, test } from "vitest";
import { likelyController } from "../known-controllers.ts";
import { runCaustic } from "../run-caustic.ts";

describe("caustic devices", () => {
  test("lists ports and cameras, or says why there are none", async () => {
    const { status, stdout } = await runCaustic(["devices", "--json"]);
    expect(status).toBe(0);
    const found = JSON.parse(stdout) as Record<string, unknown> & { serial_ports: { path: string }[] };
    expect(found["cameras"]).toBeInstanceOf(Array);
    for (const port of found.serial_ports) expect(port).toMatchObject({ path: expect.any(String) as string });
    const told = await runCaustic(["devices"]);
    expect(told.status).toBe(0);
    expect(told.stdout).toMatch(/serial port/i);
    expect(told.stdout).toMatch(/camera/i);
  });

  test.each([
    ["0403:faf0", /thorlabs-apt/],
    ["104d:3002", /newport-conex-smc/],
    ["1a72:1007", /pi-gcs2/],
    ["2341:0043", /grbl/],
    ["0403:6001", /zaber-ascii/],
  ])("%s is probably %s", (usbId, controller) => {
    expect(likelyController(usbId)).toMatch(controller);
  });

  test.each([["dead:beef"], [undefined]])("%s says nothing", (usbId) => {
    expect(likelyController(usbId)).toBeUndefined();
  });
});
