import { useEffect, useState } from "react";
import { SUITE_TITLES, suiteCheckText } from "../../../main/contract/suite-check-text.ts";
import type { SuiteResults, SuiteRow } from "../../../main/contract/suite-results.ts";
import { EmptyState, Section } from "../../controls/controls.tsx";
import { useDesk } from "../../store/desk.ts";
import { Rate } from "./group-results.tsx";

/** The results of a suite as its folder tells them: tasks against contenders, gates, shares, and what failed, in words. */
export function SuiteView({ suiteRun }: { suiteRun: string }) {
  const desk = useDesk();
  const [results, setResults] = useState<SuiteResults>();
  const [row, setRow] = useState<SuiteRow>();
  useEffect(() => {
    let current = true;
    desk.call("suite_results", { suite_run: suiteRun }).then(
      (answer) => {
        if (current) setResults(answer);
      },
      (error: unknown) => {
        desk.tell(error);
      },
    );
    return () => {
      current = false;
    };
  }, [desk, suiteRun]);
  if (results === undefined) return <EmptyState title="Reading the results …" />;
  const groups = [...new Set(results.rows.map((one) => one.group))];
  return (
    <div className="evaluation">
      <header className="evaluation-head">
        <div className="row wrap">
          <strong>{`${SUITE_TITLES[results.suite]}, ${results.stamp}`}</strong>
          <code className="dim" title="SHA-256 of the tasks">
            {results.suite_hash.slice(0, 12)}
          </code>
          <span className="dim">grader {results.grader_version}</span>
        </div>
        {results.notes.map((note) => (
          <p key={note} className="dim">
            {note}
          </p>
        ))}
      </header>
      <div className="evaluation-main scroll" tabIndex={0} role="region" aria-label="Tasks">
        {groups.map((group) => (
          <TaskMatrix key={group} results={results} group={group} onChoose={setRow} />
        ))}
      </div>
      <aside className="evaluation-side scroll" aria-label="Results" tabIndex={-1}>
        {row === undefined ? null : <FailedChecks row={row} />}
        <Gates results={results} />
        <Shares results={results} />
      </aside>
    </div>
  );
}

function TaskMatrix(props: { results: SuiteResults; group: string; onChoose: (row: SuiteRow) => void }) {
  const { results, group, onChoose } = props;
  const rows = results.rows.filter((one) => one.group === group);
  const tasks = [...new Set(rows.map((one) => one.task))];
  const categories = [...new Set(rows.map((one) => one.category))];
  return (
    <section className="group" aria-label={`Group ${group}`}>
      <header>
        <h2>
          {group} {categories.length === 1 ? <span className="dim">{categories[0]}</span> : null}
        </h2>
      </header>
      <table className="matrix">
        <thead>
          <tr>
            <th scope="col">task</th>
            {categories.length === 1 ? null : <th scope="col">category</th>}
            {results.contenders.map((contender) => (
              <th key={contender} scope="col">
                {contender}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task}>
              <th scope="row">{task}</th>
              {categories.length === 1 ? null : (
                <td className="dim">{rows.find((one) => one.task === task)?.category}</td>
              )}
              {results.contenders.map((contender) => {
                const row = rows.find((one) => one.task === task && one.contender === contender);
                return <td key={contender}>{row === undefined ? null : <TaskCell row={row} onChoose={onChoose} />}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Right and wrong are told by a mark and a word, not by colour alone. */
function look({ status, passed }: SuiteRow): { tone: string; text: string } {
  if (status === "failed") return { tone: "failed", text: "! broken" };
  if (status === "not_run") return { tone: "waiting", text: "– not run" };
  return passed ? { tone: "right", text: "✓ passed" } : { tone: "wrong", text: "✕ missed" };
}

function TaskCell({ row, onChoose }: { row: SuiteRow; onChoose: (row: SuiteRow) => void }) {
  const { tone, text } = look(row);
  if (row.status === "graded" && row.passed) return <span className={`cell cell-${tone}`}>{text}</span>;
  return (
    <button
      type="button"
      className={`cell cell-${tone}`}
      aria-label={`${text}. ${row.task}, ${row.contender}. Show why`}
      onClick={() => {
        onChoose(row);
      }}
    >
      {text}
    </button>
  );
}

function FailedChecks({ row }: { row: SuiteRow }) {
  const failed = row.checks.filter((check) => !check.passed);
  return (
    <Section title={`${row.task}, ${row.contender}`}>
      {row.note === undefined ? null : <p>{row.note}</p>}
      <ul className="failed-checks">
        {failed.map((check) => (
          <li key={check.code}>{suiteCheckText(check)}</li>
        ))}
      </ul>
      <p className="dim">
        {row.calls} calls, {row.bad_calls} of them could not be made
      </p>
    </Section>
  );
}

function Gates({ results }: { results: SuiteResults }) {
  if (results.gates.length === 0) return null;
  return (
    <Section title="Gates">
      <ul className="failed-checks">
        {results.gates.map((gate) => (
          <li key={`${gate.group} ${gate.contender}`}>
            <span className={gate.passed ? "tone-good" : "tone-bad"}>{gate.passed ? "✓" : "✕"}</span> {gate.text}
            {results.contenders.length > 1 ? <span className="dim"> {gate.contender}</span> : null}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Shares({ results }: { results: SuiteResults }) {
  if (results.metrics.length === 0) return null;
  return (
    <Section title="Shares, 95 %">
      <table className="rates">
        <tbody>
          {results.metrics.map(({ name, group, contender, successes, trials, low, high }) => (
            <tr key={`${name} ${group} ${contender}`}>
              <th scope="row">
                {group} {name}
                {results.contenders.length > 1 ? <span className="dim"> {contender}</span> : null}
              </th>
              <td>{trials === 0 ? "–" : <Rate {...{ successes, trials, low, high }} rate={successes / trials} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
