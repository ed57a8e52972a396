import { expect, test } from "vitest";
import type { BenchDescription, Measurement } from "../../main/contract/tools.ts";
import { restOfScan, type StartedScan } from "./interrupted-scan.ts";
import { evenPositions } from "./scan-plan.ts";

const bench = { limits_mm: { min: 0, max: 250 }, keep_out_zones: [] as unknown[] } as unknown as BenchDescription;
const scan: StartedScan = {
  run: "r",
  before: 1,
  request: { from_mm: 0, to_mm: 250, count: 9, frames: 5, complete: true },
};
const at = (z_requested_mm: number, use: Measurement["use"] = "used"): Measurement =>
  ({ z_requested_mm, use }) as Measurement;
const restAt = (...measured: Measurement[]) => restOfScan(scan, measured, bench);
const positions = ({ request }: ReturnType<typeof restAt>, where = bench) =>
  evenPositions(request.from_mm, request.to_mm, request.count, where);

test("a scan goes on behind the positions that it measured, not counting what was there before it", () => {
  const rest = restAt(at(125), at(0), at(31.25), at(62.5), at(93.75));
  expect(rest).toMatchObject({ measured: 4, planned: 9, request: { frames: 5, complete: true } });
  expect(positions(rest)).toEqual([125, 156.25, 187.5, 218.75, 250]);
});

test("a scan that came from the far end goes on at the near one", () => {
  expect(positions(restAt(at(0), at(250), at(218.75)))).toEqual([0, 31.25, 62.5, 93.75, 125, 156.25, 187.5]);
});

test("a position whose measurement was rejected is still to be measured", () => {
  expect(positions(restAt(at(0), at(0), at(31.25, "rejected")))[0]).toBe(31.25);
});

test("a scan whose positions are all measured has none left, and completes what ISO asks for", () => {
  const all = evenPositions(0, 250, 9, bench).map((z_mm) => at(z_mm));
  const rest = restAt(at(7), ...all);
  expect(rest).toMatchObject({ measured: 9, planned: 9, request: { count: 0, complete: true } });
  expect(positions(rest)).toEqual([]);
});

test("positions in a keep-out zone are neither planned nor left", () => {
  const zoned = { ...bench, keep_out_zones: [{ from_mm: 120, to_mm: 160, passing: "allowed" }] } as BenchDescription;
  const rest = restOfScan(scan, [at(7), at(0), at(31.25)], zoned);
  expect(rest).toMatchObject({ measured: 2, planned: 7 });
  expect(positions(rest, zoned)).toEqual([62.5, 93.75, 187.5, 218.75, 250]);
});
