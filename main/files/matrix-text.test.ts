import { describe, expect, it } from "vitest";
import { readMatrixText } from "./matrix-text.ts";

const read = (text: string) => readMatrixText("x.csv", new TextEncoder().encode(text));
const matrix = async (text: string) => {
  const { width_px, height_px, samples } = await read(text);
  return { size: [width_px, height_px], values: Array.from(samples) };
};

describe("matrices as text", () => {
  it.each([
    ["commas", "1,2,3\n4,5,6\n"],
    ["commas and spaces", "1, 2, 3\n4, 5, 6"],
    ["semicolons", "1;2;3\r\n4;5;6\r\n"],
    ["tabs", "1\t2\t3\n4\t5\t6\n"],
    ["spaces", "  1   2 3\n 4 5   6  \n"],
    ["a separator at the end of each line", "1,2,3,\n4,5,6,\n"],
    ["quotes", '"1","2","3"\n"4","5","6"\n'],
    ["a byte order mark", "\ufeff1,2,3\n4,5,6\n"],
    ["comments and blank lines", "# camera 7\n\n1,2,3\n\n4,5,6\n% end\n"],
    ["old line ends", "1,2,3\r4,5,6\r"],
  ])("reads %s", async (_what, text) => {
    expect(await matrix(text)).toEqual({ size: [3, 2], values: [1, 2, 3, 4, 5, 6] });
  });

  it.each([
    ["with semicolons", "0,5;1,25\n2;-3,5e1\n"],
    ["with tabs", "0,5\t1,25\n2\t-3,5e1\n"],
    ["with spaces", "0,5 1,25\n2,0 -3,5e1\n"],
  ])("reads decimal commas %s", async (_what, text) => {
    expect(await matrix(text)).toEqual({ size: [2, 2], values: [0.5, 1.25, 2, -35] });
  });

  it("takes whole numbers for counts and everything else for values", async () => {
    expect((await read("0,65535\n1.0,2")).samples).toBeInstanceOf(Uint16Array);
    expect((await read("0,65536\n1,2")).samples).toBeInstanceOf(Float64Array);
    expect((await read("0,-1\n1,2")).samples).toBeInstanceOf(Float64Array);
    expect((await read("0,0.5\n1,2")).samples).toBeInstanceOf(Float64Array);
  });

  it("reads UTF-16, as spreadsheets write it", async () => {
    const text = "\ufeff1\t2\n3\t4\n";
    const bytes = new Uint8Array(new Uint16Array(Array.from(text, (char) => char.charCodeAt(0))).buffer);
    expect(Array.from((await readMatrixText("x.txt", bytes)).samples)).toEqual([1, 2, 3, 4]);
  });

  it("leaves out one header line and says so", async () => {
    const raster = await read("left;right\n1;2\n3;4\n");
    expect(Array.from(raster.samples)).toEqual([1, 2, 3, 4]);
    expect(raster.notes).toEqual(["line 1 taken for a header"]);
  });

  it.each([
    ["NaN", "1,2,3\n4,NaN,6\n", 'line 2, column 2: "NaN" where a finite number was expected'],
    ["NaN in the first row", "nan,nan\n1,2\n", 'line 1, column 1: "nan"'],
    ["infinity", "1,2\n3,-inf\n", 'line 2, column 2: "-inf"'],
    ["a number too large to be one", "1,2\n3,1e999\n", 'line 2, column 2: "1e999"'],
    ["a word", "1,2\n3,four\n", 'line 2, column 2: "four"'],
    ["an empty field", "1,2,3\n4,,6\n", "line 2, column 2: an empty field"],
    ["a second header line", "a,b\nc,d\n1,2\n", 'line 2, column 1: "c"'],
    ["a short row", "1,2,3\n\n4,5\n", "line 3, column 3: 2 values; expected 3"],
    ["a long row", "1,2\n3,4,5\n", "line 2, column 3: 3 values; expected 2"],
    ["words alone", "hello world", "no numbers in the file but a header"],
    ["blank lines alone", "\n\n  \n", "no numbers in the file"],
    ["two decimal points", "1;2\n3;1.234.5\n", 'line 2, column 2: "1.234.5"'],
  ])("refuses %s with its place", async (_what, text, expected) => {
    await expect(read(text)).rejects.toThrow(expected);
  });
});
