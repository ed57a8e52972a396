import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import type { EvaluationRow } from "../../contract/evaluation-row.ts";
import type { Plan, PlanGroup } from "../../contract/plan.ts";
import { isGraded } from "../is-graded.ts";
import type { AssembledRun } from "../results.ts";
import { unitId } from "../unit.ts";
import { causticSvg } from "./caustic-svg.ts";
import { errorStripsSvg } from "./error-strips-svg.ts";
import { agreementTable, BENCH_COMPARISON, benchSentences, repeatabilityTable } from "./bench-tables.ts";
import { decimal, signedPercent } from "./figures-text.ts";
import { escaped, listHtml, pageHtml, tableHtml } from "./page-pieces.ts";
import {
  CELL_SIGNS,
  contenderLabel,
  contendersOf,
  deviationRemark,
  type MatrixCell,
  pairedTable,
  registrationText,
  rightText,
  rowsNotRun,
  rowsWithNotes,
  summariesOf,
  summaryTable,
  verdictMatrix,
} from "./report-tables.ts";

const CLASSES: Readonly<Record<MatrixCell["mark"], string>> = {
  right: "right",
  wrong: "wrong",
  "no verdict": "wrong",
  failed: "failed",
  "not run": "idle",
  "not judged": "idle",
  "no such unit": "none",
};

function matrixTable(results: EvaluationResults, plan: Plan, group: PlanGroup): string {
  const contenders = contendersOf(results);
  const rows = verdictMatrix(results, group)
    .map((row) => {
      const seen = row.seen && group.held_out ? ' <span class="tag">seen</span>' : "";
      const caveat = row.caveat === undefined ? "" : `<div class="caveat">${escaped(row.caveat)}</div>`;
      const cells = row.cells
        .map((cell) => {
          const text = `${CELL_SIGNS[cell.mark]} ${escaped(cell.text)}`.trim();
          const linked = cell.unit === undefined ? text : `<a href="#${cell.unit}">${text}</a>`;
          return `<td class="${CLASSES[cell.mark]}">${linked}</td>`;
        })
        .join("");
      return `<tr><th scope="row">${escaped(row.name)}${seen}${caveat}</th><td>${escaped(row.expected)}</td>${cells}</tr>`;
    })
    .join("\n");
  const head = ["case", "expected", ...contenders.map((name) => contenderLabel(plan, name))]
    .map((name) => `<th scope="col">${escaped(name)}</th>`)
    .join("");
  return `<div class="wide"><table class="matrix"><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table></div>`;
}

const STATUS: Readonly<Record<EvaluationRow["status"], string>> = {
  finished: "finished",
  no_verdict: "no verdict",
  failed: "failed",
  not_run: "not run",
};

function card({ row, figure }: AssembledRun): string {
  const id = unitId(row);
  const axis = (name: "x" | "y"): string => {
    const error = name === "x" ? row.m2_error_x : row.m2_error_y;
    const curve = name === "x" ? figure?.x : figure?.y;
    if (curve === undefined && error === undefined) return "";
    const value = curve === undefined ? "" : ` M² ${decimal(curve.m2, 3)} ± ${decimal(curve.u_m2, 3)}`;
    return `<span class="key-${name}">${name}</span>${value}${error === undefined ? "" : `, off by ${signedPercent(error)}`}`;
  };
  const numbers = [axis("x"), axis("y")].filter((text) => text !== "").join("<br>");
  const grades = row.grades.filter((one) => one.answer === "fail").map((one) => escaped(`${one.grader}: ${one.why}`));
  const claim = row.fault_claim === "none" ? "" : `, fault claim ${row.fault_claim}`;
  const noticed = row.fault_noticed === undefined ? "" : `, fault ${row.fault_noticed ? "noticed" : "not noticed"}`;
  return [
    `<article id="${id}" class="${row.correct === true ? "right" : row.correct === false && isGraded(row) ? "wrong" : "idle"}">`,
    `<h4>${escaped(row.case)} · ${escaped(row.contender)}${row.epoch === 1 ? "" : ` · epoch ${row.epoch}`}${row.exploratory ? ' <span class="tag">exploratory</span>' : ""}</h4>`,
    figure === undefined ? "" : causticSvg(figure, escaped(`Widths along z, ${row.case}, ${row.contender}`)),
    `<p>${row.correct === undefined ? "·" : row.correct ? "✓" : "✗"} ${escaped(row.verdict ?? STATUS[row.status])} (${row.expected === undefined ? "no verdict is called right" : `expected ${row.expected}`})<br>${numbers === "" ? "no M²" : numbers}<br>${row.positions} positions, ${row.calls} calls, ${row.violations} violations${noticed}${claim}</p>`,
    grades.length === 0
      ? ""
      : `<details><summary>${grades.length} graders say no</summary>${listHtml(grades)}</details>`,
    row.note === undefined ? "" : `<p class="note">${escaped(row.note)}</p>`,
    "</article>",
  ].join("");
}

function costTable(results: EvaluationResults, plan: Plan): string {
  const costly = contendersOf(results).filter((name) =>
    results.rows.some((row) => row.contender === name && (row.model_calls !== undefined || row.usd !== undefined)),
  );
  if (costly.length === 0) return "<p>No contender of these results costs money.</p>";
  const of = (name: string): EvaluationRow[] => results.rows.filter((row) => row.contender === name);
  const sum = (values: readonly (number | undefined)[]): number | undefined =>
    values.some((value) => value === undefined) ? undefined : values.reduce<number>((a, b) => a + (b ?? 0), 0);
  return tableHtml({
    columns: ["contender", "runs", "model calls", "tokens", "USD", "limit, USD"],
    rows: costly.map((name) => {
      const rows = of(name).filter((row) => row.status !== "not_run");
      const usd = sum(rows.map((row) => row.usd));
      return [
        name,
        String(rows.length),
        String(sum(rows.map((row) => row.model_calls ?? 0)) ?? 0),
        String(sum(rows.map((row) => row.tokens)) ?? "unknown"),
        usd === undefined ? "unknown" : usd.toFixed(4),
        String(plan.contenders.find((one) => one.contender === name)?.limits?.usd_per_suite ?? plan.stop_rule.usd),
      ];
    }),
  });
}

/** One page with everything: no script, nothing from outside. */
export function reportPage(results: EvaluationResults, plan: Plan, runs: readonly AssembledRun[]): string {
  const contenders = contendersOf(results);
  const groups = plan.groups.filter((group) => results.rows.some((row) => row.group === group.group));
  const seen = results.rows.filter((row) => row.seen && groups.some((one) => one.group === row.group && one.held_out));
  const notes = rowsWithNotes(results);
  const notRun = rowsNotRun(results);
  const sections: string[] = [
    `<header><h1>Evaluation ${escaped(results.plan)}, version ${results.version}</h1>`,
    `<p>${escaped(plan.question.trim())}</p>`,
    `<div class="${results.registered ? "stamp" : "stamp exploratory"}">${listHtml(registrationText(results).map(escaped))}</div>`,
    results.bench === undefined
      ? `<p class="simulated">All benches of this evaluation are simulated.</p>`
      : `<div class="${results.bench.kind === "emulated" ? "simulated" : "stamp"}">${listHtml(benchSentences(results).map(escaped))}</div>`,
    `<p>Rates carry 95 % Wilson intervals; what was not run or failed enters no rate. A reference contender is there to be read against: its share of right verdicts is what no skill at all achieves.</p></header>`,
  ];
  for (const group of groups) {
    const rows = results.rows.filter((row) => row.group === group.group);
    const own = runs.filter(({ row }) => row.group === group.group && row.status !== "not_run");
    sections.push(
      `<section id="group-${group.group}"><h2>Group ${group.group}: ${escaped(group.title)}</h2><p>${escaped(group.question.trim())}</p>`,
      tableHtml(summaryTable(summariesOf(results, group.group), plan)),
      "<h3>Verdicts</h3>",
      matrixTable(results, plan, group),
      "<h3>Errors of M²</h3><p>Every axis with a determined M²; the bar holds the middle 90 %, the line is the median.</p>",
      errorStripsSvg(rows, contenders),
      `<details class="runs"><summary>${own.length} runs with their caustics</summary><p>Circles and blue: x; squares and orange: y. Hollow marks are not in the fit.</p><div class="cards">`,
      own.map(card).join("\n"),
      "</div></details></section>",
    );
  }
  if (results.summary.held_out.length > 0) {
    sections.push(
      "<section><h2>Held-out cases together</h2><p>Without cases that are marked as seen.</p>",
      tableHtml(summaryTable(results.summary.held_out, plan)),
      "</section>",
    );
  }
  if (seen.length > 0) {
    sections.push(
      "<section><h2>Seen cases</h2><p>They belong to held-out groups, are no longer held out, and are reported apart.</p>",
      tableHtml({
        columns: ["case", "contender", "expected", "verdict", "right"],
        rows: seen.map((row) => [
          row.case,
          contenderLabel(plan, row.contender),
          row.expected ?? "–",
          row.verdict ?? STATUS[row.status],
          rightText(row),
        ]),
      }),
      "</section>",
    );
  }
  if (results.summary.paired.length > 0) {
    sections.push(
      "<section><h2>Contenders on the same cases</h2><p>Exact McNemar tests for verdicts; for differences their mean with a bootstrap interval and p by flipping signs; Holm's adjustment over all primary comparisons of the plan, also those without data. Everything else is exploratory.</p>",
      tableHtml(pairedTable(results)),
      "</section>",
    );
  }
  if (results.summary.pass_hat_k.length > 0) {
    sections.push(
      "<section><h2>Reliability over epochs</h2>",
      tableHtml({
        columns: ["contender", "k", "pass^k"],
        rows: results.summary.pass_hat_k.map((one) => [one.contender, String(one.k), decimal(one.value, 3)]),
      }),
      "</section>",
    );
  }
  const { repeatability = [], agreement = [] } = results.summary;
  if (repeatability.length > 0) {
    sections.push(
      `<section id="bench"><h2>Runs on the bench against each other</h2><p>${escaped(BENCH_COMPARISON)}</p>`,
      tableHtml(repeatabilityTable(repeatability)),
      agreement.length === 0 ? "" : tableHtml(agreementTable(agreement)),
      "</section>",
    );
  }
  sections.push(
    `<section><h2>Cost</h2>${costTable(results, plan)}<p>${escaped(plan.stop_rule.how.trim())}</p></section>`,
  );
  sections.push(
    "<section><h2>Notes on every wrong verdict</h2>",
    notes.length === 0
      ? "<p>There are none.</p>"
      : listHtml(
          notes.map(
            (row) =>
              `<b><a href="#${unitId(row)}">${escaped(row.case)}, ${escaped(row.contender)}</a></b>${row.epoch === 1 ? "" : `, epoch ${row.epoch}`}: ${escaped(row.note ?? "")}`,
          ),
        ),
    "</section>",
  );
  if (notRun.length > 0) {
    sections.push(
      "<section><h2>Not run</h2>",
      listHtml(notRun.map((row) => escaped(`${row.case}, ${row.contender}, epoch ${row.epoch}: ${row.note ?? ""}`))),
      "</section>",
    );
  }
  sections.push(
    "<section><h2>Deviations</h2>",
    plan.deviations.length === 0
      ? "<p>None.</p>"
      : listHtml(
          plan.deviations.map(
            (one) => `${escaped(one.date)}: ${escaped(one.what)} ${escaped(one.why)} ${escaped(deviationRemark(one))}`,
          ),
        ),
    "<h2>Limitations</h2>",
    listHtml(plan.limitations.map((text) => escaped(text.trim()))),
    `<p class="fine">Grader version ${escaped(results.grader_version)}. Made with ${escaped(
      Object.entries(results.made_with)
        .map(([part, hashes]) => `${part} ${hashes.map((hash) => hash.slice(0, 12)).join(" and ")}`)
        .join(", "),
    )}.</p></section>`,
  );
  return pageHtml(`Evaluation ${results.plan}`, sections);
}
