import { expect, test } from "vitest";
import { OTHER, createFakeBench } from "./fake-bench.ts";

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);

test("a view of a measurement gives a picture, its numbers and the raw frame behind it", async () => {
  const bench = await createFakeBench();
  await bench.call("measure_at", { z_mm: 120 });
  const exposures = bench.camera.labels.length;
  const view = await bench.call("view_frame", { measurement: "m001" }, OTHER);
  expect(view).toMatchObject({ view: "v001", measurement: "m001", z_actual_mm: 120, exposure_ms: 1 });
  expect(view.maximum_counts).toBeGreaterThan(2500);
  const png = bench.session.picture("v001");
  expect([...png.slice(1, 4)].map((code) => String.fromCharCode(code)).join("")).toBe("PNG");
  expect(bench.session.frame("v001")).toBe(bench.session.frame("m001"));
  expect(bench.camera.labels).toHaveLength(exposures);
});

test("a live view exposes one frame that leaves the measurements as they are", async () => {
  const bench = await createFakeBench({ options: { budgets: { exposure_s: 0.006 } } });
  await bench.call("measure_at", { z_mm: 0 });
  const view = await bench.call("view_frame", { live: true }, OTHER);
  expect(view).not.toHaveProperty("measurement");
  expect(view.frame_uri).toMatch(/frame\/v001$/);
  expect(bench.camera.labels.at(-1)).toEqual({ purpose: "live", acquisition: 1, frame: 0 });
  expect(bench.of("control_changed").map((event) => event.holder?.name)).toEqual(["agent"]);
  expect(await bench.refusal("view_frame", { live: true })).toMatchObject({ code: "budget_exhausted" });
});

test("a view takes one of measurement and live, an id that exists and a crop on the sensor", async () => {
  const bench = await createFakeBench();
  await bench.call("measure_at", { z_mm: 0 });
  expect(await bench.refusal("view_frame", {})).toMatchObject({ code: "bad_argument" });
  expect(await bench.refusal("view_frame", { measurement: "m001", live: true })).toMatchObject({
    code: "bad_argument",
  });
  expect(await bench.refusal("view_frame", { measurement: "m002" })).toMatchObject({ code: "unknown_id" });
  const crop = { x_px: 190, y_px: 0, width_px: 11, height_px: 10 };
  expect(await bench.refusal("view_frame", { measurement: "m001", crop })).toMatchObject({
    code: "bad_argument",
    message: text(/leave the sensor of 200 × 160/),
  });
  await bench.call("view_frame", { measurement: "m001", crop: { ...crop, width_px: 10 } });
});

test("frames beyond the memory's bound are dropped oldest first, and said to be", async () => {
  const bench = await createFakeBench({ options: { framesKept_bytes: 2 * 64_000 } });
  for (const z_mm of [0, 1, 2]) await bench.call("measure_at", { z_mm, frames: 1 });
  expect(await bench.refusal("view_frame", { measurement: "m001" })).toMatchObject({
    code: "unknown_id",
    message: text(/no longer in memory/),
  });
  for (const measurement of ["m002", "m003"]) expect(bench.session.frame(measurement).samples).toHaveLength(32_000);
  await bench.call("view_frame", { measurement: "m003" });
});

test("an echoed code confirms the picture, once, in any case; a wrong one is recorded", async () => {
  const bench = await createFakeBench();
  await bench.call("measure_at", { z_mm: 0 });
  await bench.call("view_frame", { measurement: "m001" });
  const code = bench.code(bench.of("view_made")[0]?.seq ?? -1);
  await bench.call("measure_at", { z_mm: 0, image_code: "WRONG" });
  await bench.call("measure_at", { z_mm: 0, image_code: ` ${code.toLowerCase()} ` });
  await bench.call("fit_caustic", { image_code: code });
  expect(bench.of("image_code_unknown")).toHaveLength(1);
  expect(bench.of("image_confirmed")).toMatchObject([{ view: "v001" }]);
  await bench.call("finish", { verdict: "measurement_failed", explanation: "e" });
  expect(bench.of("finished")[0]?.images).toBe("image_confirmed");
});

test("a run that looked and never echoed a code is marked, one that did not look is not", async () => {
  const blind = await createFakeBench();
  await blind.call("measure_at", { z_mm: 0 });
  await blind.call("view_frame", { measurement: "m001" });
  await blind.call("finish", { verdict: "measurement_failed", explanation: "e" });
  expect(blind.of("finished")[0]?.images).toBe("image_not_confirmed");
  const busy = await createFakeBench();
  await busy.call("finish", { verdict: "measurement_failed", explanation: "e" });
  expect(busy.of("finished")[0]?.images).toBe("not_looked");
});

test("the code of the last picture may come with finish itself", async () => {
  const bench = await createFakeBench();
  await bench.call("view_frame", { live: true });
  const image_code = bench.code(bench.of("view_made")[0]?.seq ?? -1);
  await bench.call("finish", { verdict: "measurement_failed", explanation: "e", image_code });
  expect(bench.of("finished")[0]?.images).toBe("image_confirmed");
});
