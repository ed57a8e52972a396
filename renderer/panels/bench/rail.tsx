import type { BenchDescription, Measurement } from "../../../main/contract/tools.ts";
import { ticks } from "../../store/format.ts";
import { useSize } from "../../plot/use-size.ts";

const HEIGHT = 40;
const SIDE = 8;

/** The rail from end to end: limits, forbidden zones, what was measured, where the stage is and where it goes. A click sends it. */
export function Rail(props: {
  description: BenchDescription;
  place_mm: number | undefined;
  target_mm: number | undefined;
  measurements: readonly Measurement[];
  onPick: (z_mm: number) => void;
}) {
  const { ref, width } = useSize<HTMLDivElement>();
  const { stage_travel_mm: travel, limits_mm: limits, keep_out_zones: zones } = props.description;
  const x = (z_mm: number): number => SIDE + ((z_mm - travel.min) / (travel.max - travel.min)) * (width - 2 * SIDE);
  return (
    <div ref={ref} className="rail">
      {width === 0 ? null : (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Rail from ${travel.min} to ${travel.max} mm, allowed from ${limits.min} to ${limits.max} mm`}
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const share = (event.clientX - box.left - SIDE) / (width - 2 * SIDE);
            const z_mm = travel.min + share * (travel.max - travel.min);
            props.onPick(Math.min(limits.max, Math.max(limits.min, Math.round(z_mm * 10) / 10)));
          }}
        >
          <line className="rail-travel" x1={x(travel.min)} x2={x(travel.max)} y1={16} y2={16} />
          <line className="rail-allowed" x1={x(limits.min)} x2={x(limits.max)} y1={16} y2={16} />
          {zones.map((zone) => (
            <rect
              key={zone.from_mm}
              className="rail-zone"
              x={x(zone.from_mm)}
              width={Math.max(2, x(zone.to_mm) - x(zone.from_mm))}
              y={10}
              height={12}
            >
              <title>{zone.why ?? "keep out"}</title>
            </rect>
          ))}
          {props.measurements.map((measurement) => (
            <line
              key={measurement.measurement}
              className={measurement.use === "used" && measurement.grade !== "refused" ? "rail-used" : "rail-unused"}
              x1={x(measurement.z_actual_mm)}
              x2={x(measurement.z_actual_mm)}
              y1={11}
              y2={21}
            />
          ))}
          {props.target_mm === undefined ? null : (
            <path className="rail-target" d={`M${x(props.target_mm)} 7l-4 -6h8z`} />
          )}
          {props.place_mm === undefined ? null : <circle className="rail-place" cx={x(props.place_mm)} cy={16} r={5} />}
          {ticks(travel.min, travel.max, 5).map((z_mm) => (
            <text key={z_mm} className="rail-tick" x={x(z_mm)} y={36} textAnchor="middle">
              {z_mm}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}
