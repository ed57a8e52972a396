import type { AxisResult, DeterminedAxis } from "../../../main/contract/axis-result.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { Section } from "../../controls/controls.tsx";
import { fixed, withUncertainty } from "../../store/format.ts";
import type { RunState } from "../../store/run-state.ts";
import { FIT_FLAG_WORDS, VERDICT_WORDS } from "../../store/words.ts";

interface Quantity {
  readonly label: string;
  readonly unit: string;
  readonly title: string;
  readonly value: (axis: DeterminedAxis) => readonly [number, number | undefined];
}

const QUANTITIES: readonly Quantity[] = [
  { label: "z₀", unit: "mm", title: "Waist position", value: (axis) => [axis.z0_mm, axis.u_z0_mm] },
  { label: "d₀", unit: "µm", title: "Waist width, d4σ", value: (axis) => [axis.d0_um, axis.u_d0_um] },
  {
    label: "Θ",
    unit: "mrad",
    title: "Divergence, full angle",
    value: (axis) => [axis.divergence_mrad, axis.u_divergence_mrad],
  },
  { label: "zR", unit: "mm", title: "Rayleigh length", value: (axis) => [axis.rayleigh_mm, axis.u_rayleigh_mm] },
];

/** What the fit says of both axes; after `finish`, the run's own result. */
export function ResultCard({ state, caustic }: { state: RunState; caustic: CausticDrawing | undefined }) {
  const x = state.finished?.x ?? caustic?.x.result;
  const y = state.finished?.y ?? caustic?.y.result;
  return (
    <Section
      title="Result"
      aside={
        state.finished === undefined ? (
          <span className="dim">
            {caustic === undefined ? "" : `${caustic.used.length} used, ${caustic.left_out.length} left out`}
          </span>
        ) : (
          <strong className={state.finished.verdict === "iso_compliant" ? "tone-good" : "tone-warning"}>
            {VERDICT_WORDS[state.finished.verdict]}
          </strong>
        )
      }
    >
      <dl className="result-m2">
        <M2 axis={x} name="x" />
        <M2 axis={y} name="y" />
      </dl>
      <table className="result">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Quantity</span>
            </th>
            <th scope="col" className="tone-x">
              x
            </th>
            <th scope="col" className="tone-y">
              y
            </th>
            <th scope="col">
              <span className="visually-hidden">Unit</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {QUANTITIES.map((quantity) => (
            <tr key={quantity.label}>
              <th scope="row" title={quantity.title}>
                {quantity.label}
              </th>
              <QuantityCell axis={x} quantity={quantity} />
              <QuantityCell axis={y} quantity={quantity} />
              <td className="unit">{quantity.unit}</td>
            </tr>
          ))}
          <tr>
            <th scope="row" title="Scatter of the points over their uncertainties; near 1 is right">
              χ²/ν
            </th>
            <td className="number">{x?.determined === true ? fixed(x.chi2_ndf, 2) : "–"}</td>
            <td className="number">{y?.determined === true ? fixed(y.chi2_ndf, 2) : "–"}</td>
            <td />
          </tr>
        </tbody>
      </table>
      <Why axis={x} name="x" />
      <Why axis={y} name="y" />
    </Section>
  );
}

/** The result itself, large: it is what one looks at from the other end of the bench. */
function M2({ axis, name }: { axis: AxisResult | undefined; name: "x" | "y" }) {
  const known = axis?.determined === true ? withUncertainty(axis.m2, axis.u_m2) : undefined;
  return (
    <div title="Beam propagation ratio">
      <dt className={`tone-${name}`}>M² {name}</dt>
      {known === undefined ? (
        <dd className="number dim">–</dd>
      ) : (
        <dd>
          <span className="number m2">{known.value}</span> <span className="uncertainty">± {known.u ?? "?"}</span>
        </dd>
      )}
    </div>
  );
}

function QuantityCell({ axis, quantity }: { axis: AxisResult | undefined; quantity: Quantity }) {
  if (axis?.determined !== true) return <td className="number">–</td>;
  const { value, u } = withUncertainty(...quantity.value(axis));
  return (
    <td className="number">
      {value}
      {u === undefined ? null : <span className="uncertainty"> ± {u}</span>}
    </td>
  );
}

/** Why an axis has no result, and the flags of one that has. */
function Why({ axis, name }: { axis: AxisResult | undefined; name: string }) {
  if (axis === undefined) return null;
  const flags = axis.flags.map(({ code }) => FIT_FLAG_WORDS[code]);
  const words = axis.determined ? flags : [`not determined: ${axis.why}`, ...flags];
  if (words.length === 0) return null;
  return (
    <ul className="flags">
      {words.map((text) => (
        <li key={text}>
          <strong className={name === "x" ? "tone-x" : "tone-y"}>{name}</strong> {text}
        </li>
      ))}
    </ul>
  );
}
