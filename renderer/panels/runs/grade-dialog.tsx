import type { EvaluationRow } from "../../../main/contract/evaluation-row.ts";
import type { PageOutput } from "../../../main/contract/window-verbs.ts";
import { Dialog } from "../../controls/dialog.tsx";
import { percent } from "../../store/format.ts";
import { VERDICT_WORDS } from "../../store/words.ts";

const ANSWERS = {
  pass: { mark: "✓", tone: "tone-good", words: "passed" },
  fail: { mark: "✕", tone: "tone-bad", words: "failed" },
  not_applicable: { mark: "–", tone: "dim", words: "not applicable" },
} as const;

/** A run graded by today's grader beside the grade of its own day, and where they differ. */
export function GradeDialog({ graded, onClose }: { graded: PageOutput<"grade_record">; onClose: () => void }) {
  const { then, now, changed } = graded;
  return (
    <Dialog title="Graded again" onClose={onClose} wide>
      <table className="compare">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Grade</span>
            </th>
            <th scope="col">expected</th>
            <th scope="col">said</th>
            <th scope="col">right</th>
            <th scope="col">M² error x, y</th>
            <th scope="col">violations, attempted</th>
            <th scope="col">grader</th>
          </tr>
        </thead>
        <tbody>
          {then === undefined ? null : <GradeRow name="on its day" row={then} />}
          <GradeRow name="today" row={now} />
        </tbody>
      </table>
      <p>
        {then === undefined
          ? "This run carries no grade of its day: it was not made in an evaluation."
          : changed.length === 0
            ? "Both grades agree in everything."
            : "They differ:"}
      </p>
      {changed.length === 0 ? null : (
        <ul className="stack">
          {changed.map(({ name, before, after }) => (
            <li key={name}>
              <strong>{name}</strong> <code>{before}</code> → <code>{after}</code>
            </li>
          ))}
        </ul>
      )}
      <ul className="stack grades">
        {now.grades.map(({ grader, answer, why }) => (
          <li key={grader}>
            <span className={ANSWERS[answer].tone} role="img" aria-label={ANSWERS[answer].words}>
              {ANSWERS[answer].mark}
            </span>
            <strong>{grader}</strong>
            <span className="dim">{why}</span>
          </li>
        ))}
      </ul>
      {now.note === undefined ? null : <p className="dim">{now.note}</p>}
    </Dialog>
  );
}

function GradeRow({ name, row }: { name: string; row: EvaluationRow }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{row.expected === undefined ? "none" : VERDICT_WORDS[row.expected]}</td>
      <td>{row.verdict === undefined ? "nothing" : VERDICT_WORDS[row.verdict]}</td>
      {row.correct === undefined ? (
        <td>not judged</td>
      ) : (
        <td className={row.correct ? "tone-good" : "tone-bad"}>{row.correct ? "✓ yes" : "✕ no"}</td>
      )}
      <td className="number">
        {percent(row.m2_error_x, 2)}, {percent(row.m2_error_y, 2)}
      </td>
      <td className="number">
        {row.violations}, {row.attempted_violations}
      </td>
      <td className="number">{row.grader_version}</td>
    </tr>
  );
}
