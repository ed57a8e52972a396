import { parseProcedure } from "../../procedures/parse.ts";
import { allStatements, type Statement } from "../../procedures/syntax.ts";
import { tokenize } from "../../procedures/tokens.ts";
import { UNITS } from "../../procedures/units.ts";

/** Throws RangeError where no statement begins on that line. */
function statementOn(program: string, line: number): Statement {
  const found = allStatements(parseProcedure(program).statements).find(({ at }) => at.line === line);
  if (found === undefined) throw new RangeError(`no statement begins on line ${line} of the program`);
  return found;
}

/** The program without the statement that begins on a line, or without one argument of it. The other lines keep their numbers. */
export function without(program: string, line: number, input?: string): string {
  const statement = statementOn(program, line);
  let { start, end } = statement.at;
  let left = "";
  if (input !== undefined) {
    if (statement.kind !== "verb") throw new RangeError(`line ${line} of the program has no argument ${input}`);
    const rest = statement.inputs.filter(({ name }) => name.text !== input);
    if (rest.length === statement.inputs.length) throw new RangeError(`line ${line} of the program has no ${input}`);
    const written = rest.map(({ at }) => program.slice(at.start, at.end)).join(", ");
    start = statement.inputs[0]?.at.start ?? start;
    end = statement.inputs.at(-1)?.at.end ?? end;
    left = written;
  }
  const breaks = program.slice(start, end).split("\n").length - left.split("\n").length;
  return `${program.slice(0, start)}${left}${"\n".repeat(Math.max(0, breaks))}${program.slice(end)}`;
}

/** Quantities become a tenth larger, plain whole numbers one more. */
const LARGER = 1.1;

/** The program with every number changed and every result a tenth larger: it says something else everywhere. */
export function mutated(program: string): string {
  const tokens = tokenize(program);
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  for (const [place, { kind, text, at }] of tokens.entries()) {
    if (kind !== "number") continue;
    const value = Number(text);
    const next = tokens[place + 1];
    const plain = !UNITS.has(next?.text ?? "") && Number.isInteger(value);
    const other = plain ? value + 1 : Number((value === 0 ? 1 : value * LARGER).toPrecision(6));
    edits.push({ start: at.start, end: at.end, text: String(other) });
  }
  for (const statement of allStatements(parseProcedure(program).statements)) {
    if (statement.kind !== "result") continue;
    const { start, end } = statement.value.at;
    edits.push({ start, end: start, text: `${LARGER} * (` }, { start: end, end, text: ")" });
  }
  return edits
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((text, edit) => `${text.slice(0, edit.start)}${edit.text}${text.slice(edit.end)}`, program);
}
