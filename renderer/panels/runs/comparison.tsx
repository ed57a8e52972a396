import { EmptyState } from "../../controls/controls.tsx";
import type { AxisResult } from "../../../main/contract/axis-result.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import { clockTime, fixed, percent, plusMinus } from "../../store/format.ts";
import { useRuns } from "../../store/runs-store.ts";
import { VERDICT_WORDS } from "../../store/words.ts";
import type { RunState } from "../../store/run-state.ts";
import { CausticPlot } from "../caustic/caustic-plot.tsx";
import { union, zRange } from "../caustic/caustic-points.ts";
import { DifferencePlot } from "./difference-plot.tsx";
import { useCausticAt, useRecord } from "./use-record.ts";

interface Side {
  readonly state: RunState;
  readonly caustic: CausticDrawing | undefined;
}

/** Two kept runs in one plot, how far apart their caustics lie along z, and the difference of their results in standard uncertainties. */
export function Comparison({ first, second }: { first: string; second: string }) {
  const one = useRecord(first);
  const two = useRecord(second);
  const oneCaustic = useCausticAt(one, (one?.events.length ?? 0) - 1);
  const twoCaustic = useCausticAt(two, (two?.events.length ?? 0) - 1);
  if (one === undefined || two === undefined || one.loading || two.loading)
    return <EmptyState title="Reading both runs …" />;
  const failure = one.failure ?? two.failure;
  if (failure !== undefined)
    return (
      <EmptyState title="A run cannot be read">
        <p>{failure}</p>
      </EmptyState>
    );
  const left: Side = { state: one.at(one.events.length - 1), caustic: oneCaustic };
  const right: Side = { state: two.at(two.events.length - 1), caustic: twoCaustic };
  return (
    <div className="comparison">
      <header className="row">
        <strong className="grow">Two runs compared</strong>
        <button
          type="button"
          onClick={() => {
            useRuns.setState({ compared: undefined });
          }}
        >
          Back to one run
        </button>
      </header>
      <table className="compare">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Quantity</span>
            </th>
            <th scope="col">{first}</th>
            <th scope="col">{second}</th>
            <th scope="col" title="Difference over its standard uncertainty, for independent runs">
              difference
            </th>
          </tr>
        </thead>
        <tbody>
          <Row label="M² x" left={left} right={right} read={({ caustic }) => m2(caustic?.x.result)} />
          <Row label="M² y" left={left} right={right} read={({ caustic }) => m2(caustic?.y.result)} />
          <Row label="d₀ x / µm" left={left} right={right} read={({ caustic }) => d0(caustic?.x.result)} />
          <Row label="d₀ y / µm" left={left} right={right} read={({ caustic }) => d0(caustic?.y.result)} />
          <Row label="z₀ x / mm" left={left} right={right} read={({ caustic }) => z0(caustic?.x.result)} />
          <Row label="z₀ y / mm" left={left} right={right} read={({ caustic }) => z0(caustic?.y.result)} />
          <Row label="Θ x / mrad" left={left} right={right} read={({ caustic }) => divergence(caustic?.x.result)} />
          <Row label="Θ y / mrad" left={left} right={right} read={({ caustic }) => divergence(caustic?.y.result)} />
          <Row label="zR x / mm" left={left} right={right} read={({ caustic }) => rayleigh(caustic?.x.result)} />
          <Row label="zR y / mm" left={left} right={right} read={({ caustic }) => rayleigh(caustic?.y.result)} />
          <Words label="Verdict" left={verdict(left)} right={verdict(right)} />
          <Words
            label="Measurements"
            left={String(left.state.measurements.length)}
            right={String(right.state.measurements.length)}
          />
          <Words label="Calls" left={String(left.state.calls)} right={String(right.state.calls)} />
          <Words label="Bench time" left={clockTime(left.state.t_ms)} right={clockTime(right.state.t_ms)} />
        </tbody>
      </table>
      <div className="compare-plots">
        <CausticPlot
          state={left.state}
          caustic={left.caustic}
          selected={undefined}
          onSelect={nothing}
          title={first}
          beside={{ state: right.state, caustic: right.caustic, title: second }}
        />
        <DifferencePlot
          first={left.caustic}
          second={right.caustic}
          xRange={union(zRange(left.state), zRange(right.state))}
        />
      </div>
    </div>
  );
}

const nothing = (): void => undefined;

type Value = readonly [value: number, u: number] | undefined;
const m2 = (axis: AxisResult | undefined): Value => (axis?.determined === true ? [axis.m2, axis.u_m2] : undefined);
const d0 = (axis: AxisResult | undefined): Value =>
  axis?.determined === true ? [axis.d0_um, axis.u_d0_um] : undefined;
const z0 = (axis: AxisResult | undefined): Value =>
  axis?.determined === true ? [axis.z0_mm, axis.u_z0_mm] : undefined;
const divergence = (axis: AxisResult | undefined): Value =>
  axis?.determined === true ? [axis.divergence_mrad, axis.u_divergence_mrad] : undefined;
const rayleigh = (axis: AxisResult | undefined): Value =>
  axis?.determined === true ? [axis.rayleigh_mm, axis.u_rayleigh_mm] : undefined;

function verdict({ state }: Side): string {
  return state.finished === undefined ? "none" : VERDICT_WORDS[state.finished.verdict];
}

function Row(props: { label: string; left: Side; right: Side; read: (side: Side) => Value }) {
  const left = props.read(props.left);
  const right = props.read(props.right);
  return (
    <tr>
      <th scope="row">{props.label}</th>
      <td className="number">{plusMinus(left?.[0], left?.[1])}</td>
      <td className="number">{plusMinus(right?.[0], right?.[1])}</td>
      <td className="number">{difference(left, right)}</td>
    </tr>
  );
}

function difference(left: Value, right: Value): string {
  if (left === undefined || right === undefined) return "–";
  const change = right[0] - left[0];
  const u = Math.hypot(left[1], right[1]);
  return `${percent(change / left[0], 2)}${u > 0 ? `, ${fixed(change / u, 1)} u` : ""}`;
}

function Words({ label, left, right }: { label: string; left: string; right: string }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{left}</td>
      <td>{right}</td>
      <td />
    </tr>
  );
}
