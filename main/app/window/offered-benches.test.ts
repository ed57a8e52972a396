import { expect, test } from "vitest";
import { OfferedBenches } from "./offered-benches.ts";

const offered = (limits: { z_min_mm?: number; z_max_mm?: number }) => {
  const benches = new OfferedBenches({ runsFolder: "runs" });
  benches.offerSimulator({ scenario: "clean", seed: 1, ...limits });
  return benches.offers();
};

test.each([
  [{ z_min_mm: 200, z_max_mm: 10 }, /lower limit 200 mm: expected less than the upper limit, 10 mm/],
  [{ z_min_mm: 250 }, /expected less than the upper limit, 250 mm/],
  [{ z_min_mm: -50, z_max_mm: 100 }, /lower limit -50 mm: the simulated stage travels from 0 to 250 mm/],
  [{ z_max_mm: 900 }, /upper limit 900 mm/],
])("a simulated bench with the limits %j is not offered", (limits, message) => {
  expect(() => offered(limits)).toThrow(message);
});

test("an offer says which limits were chosen", () => {
  expect(offered({ z_min_mm: 20, z_max_mm: 180 })).toMatchObject([{ about: "clean, seed 1, 20 to 180 mm" }]);
  expect(offered({ z_max_mm: 180 })).toMatchObject([{ about: "clean, seed 1, 0 to 180 mm" }]);
  expect(offered({})).toMatchObject([{ about: "clean, seed 1" }]);
});
