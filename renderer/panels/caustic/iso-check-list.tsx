import type { AxisResult } from "../../../main/contract/axis-result.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { Section } from "../../controls/controls.tsx";

/** ISO 11146-1, 9: at least ten positions, half of them within one Rayleigh length, half beyond two. */
const NEEDED = { positions: 10, near: 5, far: 5 } as const;

/** What the standard asks of the positions, and what is still missing, in words. */
export function IsoCheckList({ caustic }: { caustic: CausticDrawing | undefined }) {
  const x = caustic?.x.result;
  const y = caustic?.y.result;
  const complete = [x, y].every((axis) => axis?.determined === true && axis.iso_coverage);
  return (
    <Section
      title="ISO 11146 positions"
      aside={complete ? <strong className="tone-good">complete</strong> : <span className="dim">incomplete</span>}
    >
      <table className="iso">
        <thead>
          <tr>
            <th scope="col">asked for</th>
            <th scope="col" className="tone-x">
              x
            </th>
            <th scope="col" className="tone-y">
              y
            </th>
          </tr>
        </thead>
        <tbody>
          <Row words="positions in all" needed={NEEDED.positions} read={(axis) => axis.positions} x={x} y={y} />
          <Row words="within one zR of the waist" needed={NEEDED.near} read={(axis) => axis.near} x={x} y={y} />
          <Row words="beyond two zR" needed={NEEDED.far} read={(axis) => axis.far} x={x} y={y} />
        </tbody>
      </table>
      <Missing axis={x} name="x" />
      <Missing axis={y} name="y" />
    </Section>
  );
}

function Row(props: {
  words: string;
  needed: number;
  read: (axis: AxisResult) => number;
  x: AxisResult | undefined;
  y: AxisResult | undefined;
}) {
  return (
    <tr>
      <th scope="row">
        at least {props.needed} {props.words}
      </th>
      {[props.x, props.y].map((axis, index) => {
        const count = axis === undefined ? 0 : props.read(axis);
        const enough = count >= props.needed;
        return (
          <td key={index === 0 ? "x" : "y"} className={`number ${enough ? "tone-good" : "dim"}`}>
            {count} {enough ? "✓" : `of ${props.needed}`}
          </td>
        );
      })}
    </tr>
  );
}

function Missing({ axis, name }: { axis: AxisResult | undefined; name: "x" | "y" }) {
  if (axis?.determined !== true || axis.missing.length === 0) return null;
  return (
    <p className="iso-missing">
      <strong className={`tone-${name}`}>{name}</strong> still lacks {axis.missing.join("; ")}.
    </p>
  );
}
