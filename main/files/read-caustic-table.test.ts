import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FileError } from "./file-error.ts";
import { readCausticTable } from "./read-caustic-table.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "caustic-table-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function read(content: string | Uint8Array, name = "table.csv") {
  const path = join(folder, name);
  writeFileSync(path, content);
  return readCausticTable(path);
}

async function refusal(content: string | Uint8Array): Promise<string> {
  const error = await read(content).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  const { message } = error as FileError;
  expect(message).toContain(join(folder, "table.csv"));
  return message.slice(message.indexOf(".csv: ") + 6);
}

const ROWS = [
  { line: 2, z_mm: -10.5, x: { d_um: 200 } },
  { line: 3, z_mm: 20, x: { d_um: 250.25 } },
];

describe("tables that read", () => {
  test.each([
    ["comma", "z_mm,d_um\n-10.5,200\n20,250.25\n"],
    ["semicolon and decimal comma", "z_mm;d_um\r\n-10,5;200\r\n20;250,25\r\n"],
    ["tab", "z_mm\td_um\n-10.5\t200\n2e1\t250.25"],
    ["blanks", "  z_mm   d_um\n -10.5   200\n    20   250.25\n"],
    ["quotes, byte-order mark, other order and case", '\ufeff"Z_mm" , "D_um"\n"-10.5", "200"\n20,"250.25"\n'],
    ["old line ends", "z_mm,d_um\r-10.5,200\r20,250.25"],
  ])("%s", async (_, content) => {
    expect(await read(content)).toEqual({ rows: ROWS, notes: [] });
  });

  test("UTF-16, as some spreadsheets write it", async () => {
    const text = "\ufeffz_mm\td_um\n-10,5\t200\n20\t250,25\n";
    expect((await read(new Uint8Array(Buffer.from(text, "utf16le")))).rows).toEqual(ROWS);
  });

  test("two axes with uncertainties, comments, empty lines and a further column", async () => {
    const { rows, notes } = await read(
      "# a series\nz_mm,dx_um,dy_um,u_dx_um,u_dy_um,remark\n1,100,110,1,1.1,first\n\n% aside\n2,200,210,2,2.1,\n",
    );
    expect(rows).toEqual([
      { line: 3, z_mm: 1, x: { d_um: 100, u_um: 1 }, y: { d_um: 110, u_um: 1.1 } },
      { line: 6, z_mm: 2, x: { d_um: 200, u_um: 2 }, y: { d_um: 210, u_um: 2.1 } },
    ]);
    expect(notes).toEqual(["column remark is not used"]);
  });

  test("measurements that the window's table calls rejected or refused are left out, whatever their widths", async () => {
    const { rows, notes } = await read(
      "measurement,z_mm,dx_um,dy_um,grade,use\nm1,1,100,90,good,used\nm2,2,101,91,good,rejected\nm3,3,,,refused,used\n",
    );
    expect(rows.map(({ line }) => line)).toEqual([2]);
    expect(notes).toEqual(["column measurement is not used", "2 of 3 rows are rejected or refused and left out"]);
    await expect(read("z_mm,d_um,use\n1,100,rejected\n")).rejects.toThrow(/every row is rejected or refused/);
  });

  test("major and minor widths are two axes", async () => {
    expect((await read("z_mm,dmajor_um,dminor_um\n1,100,90\n")).rows[0]).toEqual({
      line: 2,
      z_mm: 1,
      x: { d_um: 100 },
      y: { d_um: 90 },
    });
  });
});

describe("tables that do not read name line, column and what was expected", () => {
  test.each([
    ["z_mm,d_um\n1,100\n2,NaN\n", 'line 3, column d_um: "NaN" where a positive number was expected'],
    ["z_mm,d_um\n1,100\n2,inf\n", 'line 3, column d_um: "inf" where a positive number was expected'],
    ["z_mm,d_um\n1,1e999\n", 'line 2, column d_um: "1e999" where a positive number was expected'],
    ["z_mm,d_um\n1,-5\n", 'line 2, column d_um: "-5" where a positive number was expected'],
    ["z_mm,d_um\n1,0\n", 'line 2, column d_um: "0" where a positive number was expected'],
    ["z_mm,d_um\nx,5\n", 'line 2, column z_mm: "x" where a finite number was expected'],
    ["z_mm,d_um\n1,\n", "line 2, column d_um: an empty field where a positive number was expected"],
    ["z_mm,d_um,u_um\n1,5,0\n", 'line 2, column u_um: "0" where a positive number was expected'],
    ["z_mm,d_um\n1,5\n2\n", "line 3: 1 field; expected 2 as in the header"],
    ["z_mm,d_um\n1,5,7\n", "line 2: 3 fields; expected 2 as in the header"],
    ["z_mm,d_um\n1 000,5\n", 'line 2, column z_mm: "1 000" where a finite number was expected'],
    ["z_mm,d_um\n", "line 1: no row of widths after the header; expected at least one"],
  ])("%j", async (content, message) => {
    expect(await refusal(content)).toBe(message);
  });

  test.each([
    ["", "an empty file where a header with z_mm"],
    ["# nothing\n", "an empty file where a header with z_mm"],
    ["z,d\n1,2\n", "line 1: no column z_mm; expected a header with z_mm and d_um"],
    ["z_mm,w_um\n1,2\n", "line 1: no column d_um; expected"],
    ["d_um\n1\n", "line 1: no column z_mm; expected"],
    ["1,2\n3,4\n", "line 1: numbers where the names of the columns should be"],
    ["z_mm,dx_um\n1,2\n", "line 1: no column dy_um"],
    ["z_mm,dy_um\n1,2\n", "line 1: no column dx_um"],
    ["z_mm,dx_um,dy_um,u_dx_um\n1,2,3,4\n", "line 1: no column u_dy_um"],
    ["z_mm,d_um,D_UM\n1,2,3\n", "line 1: two columns for d_um"],
    ["z_mm,d_um,dx_um,dy_um\n1,2,3,4\n", "line 1: both d_um and a width per axis"],
    ["z_mm,dx_um,dy_um,u_um\n1,2,3,4\n", "line 1: one column of uncertainties for two of widths"],
    ["z_mm,d_um,u_dx_um,u_dy_um\n1,2,3,4\n", "line 1: uncertainties of two axes for one column of widths"],
    ["\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a binary file where"],
    ['z_mm,d_um\n"1,2\n', "not a table of text"],
  ])("%j", async (content, message) => {
    expect(await refusal(content)).toContain(message);
  });

  test("a file or folder that is not there", async () => {
    await expect(readCausticTable(join(folder, "missing.csv"))).rejects.toThrow("missing.csv: no such file");
    await expect(readCausticTable(folder)).rejects.toThrow("a folder where a table file was expected");
  });
});
