import type { EvaluationRow } from "../../../main/contract/evaluation-row.ts";
import type { EvaluationState } from "../../../main/contract/window-evaluation.ts";
import type { Verdict } from "../../../main/contract/vocabulary.ts";
import { useDesk } from "../../store/desk.ts";
import { percent } from "../../store/format.ts";
import { useRuns } from "../../store/runs-store.ts";
import { VERDICT_WORDS } from "../../store/words.ts";
import type { NameOf } from "./blind-names.ts";

type Group = EvaluationState["groups"][number];

const SHORT: Readonly<Record<Verdict, string>> = {
  iso_compliant: "ISO",
  estimate_not_compliant: "estimate",
  waist_not_accessible: "no waist",
  measurement_failed: "failed",
};

/** Cases against contenders: what each said, whether it was right, and what is still to come. A cell opens its run. */
export function GroupMatrix({ state, group, nameOf }: { state: EvaluationState; group: Group; nameOf: NameOf }) {
  const epochs = Array.from({ length: state.epochs }, (_, index) => index + 1);
  const columns = [...group.contenders].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return (
    <section className="group" aria-label={`Group ${group.group}`}>
      <header>
        <h2>
          {group.group} · {group.title} {group.held_out ? <span className="dim">held out</span> : null}
        </h2>
        <p className="dim">{group.question}</p>
      </header>
      <table className="matrix">
        <thead>
          <tr>
            <th scope="col">case</th>
            <th scope="col">expected</th>
            {columns.map((contender) => (
              <th key={contender} scope="col">
                {nameOf(contender)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {group.cases.map((one) => (
            <tr key={one.case}>
              <th scope="row" className="number" title={one.note}>
                {one.case}
              </th>
              <td className="dim">{expectedOf(state, one.case)}</td>
              {columns.map((contender) => (
                <td key={contender}>
                  <span className="cells">
                    {epochs.map((epoch) => (
                      <Cell
                        key={epoch}
                        state={state}
                        caseName={one.case}
                        contender={contender}
                        epoch={epoch}
                        name={nameOf(contender)}
                      />
                    ))}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function expectedOf(state: EvaluationState, name: string): string {
  const row = state.rows.find((one) => one.case === name);
  return row === undefined ? "…" : row.expected === undefined ? "–" : SHORT[row.expected];
}

function Cell(props: { state: EvaluationState; caseName: string; contender: string; epoch: number; name: string }) {
  const desk = useDesk();
  const { state, caseName, contender, epoch } = props;
  const same = (one: { case: string; contender: string; epoch: number }): boolean =>
    one.case === caseName && one.contender === contender && one.epoch === epoch;
  const row = state.rows.find(same);
  const open = state.open.find(same);
  if (row === undefined && open === undefined) return <span className="cell cell-none" title="not asked for" />;
  const record = open?.record ?? state.records[`${caseName}/${contender}/${epoch}`];
  const hidden = props.name !== contender;
  const { tone, text, error, title } =
    row === undefined ? openLook(open?.state ?? "waiting") : rowLook(hidden ? withoutNote(row) : row);
  const label = `${caseName}, ${props.name}: ${title}`;
  const content = (
    <>
      {text}
      {error === undefined ? null : <span className="cell-error"> {error}</span>}
    </>
  );
  // The log of a run names who drove it: it opens when the names may be seen.
  if (record === undefined || hidden) {
    return (
      <span className={`cell cell-${tone}`} title={hidden ? `${label}; opens when its group is complete` : label}>
        {content}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={`cell cell-${tone}`}
      title={label}
      aria-label={`${text}${error === undefined ? "" : ` ${error}`}. ${label}. Open the run`}
      onClick={() => {
        useRuns.setState({ record, compared: undefined });
        desk.show("runs");
      }}
    >
      {content}
    </button>
  );
}

/** What is said of a result in words may tell whose it is. */
function withoutNote({ note: _, ...row }: EvaluationRow): EvaluationRow {
  return row;
}

interface Look {
  readonly tone: string;
  readonly text: string;
  /** The larger error of M² of the two axes. */
  readonly error?: string;
  readonly title: string;
}

function openLook(state: "running" | "waiting"): Look {
  return state === "running"
    ? { tone: "running", text: "● at work", title: "at work" }
    : { tone: "waiting", text: "·", title: "waiting" };
}

/** Right and wrong are told by a mark and a word, not by colour alone. */
function rowLook(row: EvaluationRow): Look {
  if (row.status === "failed")
    return { tone: "failed", text: "! broken", title: `infrastructure failed: ${row.note ?? ""}` };
  if (row.status === "not_run") return { tone: "waiting", text: "– not run", title: row.note ?? "not run" };
  const said = row.verdict === undefined ? "none" : SHORT[row.verdict];
  const errors = [row.m2_error_x, row.m2_error_y]
    .filter((error) => error !== undefined)
    .map((error) => percent(error, 1))
    .join(" / ");
  const violations = row.violations + row.attempted_violations;
  const title = [
    `said ${row.verdict === undefined ? "nothing" : VERDICT_WORDS[row.verdict]}, ${row.expected === undefined ? "no verdict is called right" : `expected ${VERDICT_WORDS[row.expected]}`}`,
    errors === "" ? "" : `M² off by ${errors}`,
    violations === 0 ? "" : `${row.violations} violations, ${row.attempted_violations} attempted`,
    row.fault_noticed === undefined ? "" : row.fault_noticed ? "fault noticed" : "fault not noticed",
    `${row.calls} calls`,
    row.note ?? "",
  ]
    .filter((part) => part !== "")
    .join("; ");
  const judged = row.correct === undefined ? "·" : row.correct ? "✓" : "✕";
  const marks = `${judged} ${said}${violations > 0 ? " ⚠" : ""}`;
  const both = [row.m2_error_x, row.m2_error_y].flatMap((error) => (error === undefined ? [] : [Math.abs(error)]));
  const error = both.length === 0 ? {} : { error: percent(Math.max(...both), 1) };
  return {
    tone: row.correct === undefined ? "waiting" : row.correct ? "right" : "wrong",
    text: marks,
    ...error,
    title,
  };
}
