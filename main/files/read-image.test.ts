import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { FileError } from "./file-error.ts";
import { unpackGzip } from "./gzip-file.ts";
import { HEIGHT, picture, portableGreymap, temporaryFolder, WIDTH } from "./image-fixtures.ts";
import { readDark, readImage } from "./read-image.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

/** The one sentence of a refusal. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  const { message } = error as FileError;
  expect(message).not.toContain("\n");
  return message;
}

describe("what a file is", () => {
  it("is decided by its bytes, and a name that says otherwise is noted", async () => {
    const path = folder.write("really-a-pgm.png", portableGreymap(picture(200), 255));
    const image = await readImage(path);
    expect(image).toMatchObject({ format: "8-bit PGM", width_px: WIDTH, height_px: HEIGHT, bitDepth: 8 });
    expect(Array.from(image.samples)).toEqual(Array.from(picture(200)));
    expect(image.notes).toEqual(["named .png and read as what it is: 8-bit PGM"]);
  });

  it("is looked for inside gzip", async () => {
    const path = folder.write("packed.pgm.gz", gzipSync(portableGreymap(picture(200), 255)));
    expect((await readImage(path)).notes).toEqual([]);
    const unnamed = folder.write("packed", gzipSync(portableGreymap(picture(200), 255)));
    expect((await readImage(unnamed)).samples).toEqual(picture(200));
  });

  it.each([
    ["a JPEG", [0xff, 0xd8, 0xff, 0xe0, 0, 16], "JPEG"],
    ["HDF5", [0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10], "HDF5"],
    ["a ZIP archive", [0x50, 0x4b, 3, 4, 0, 0], "ZIP"],
    ["unknown bytes", [0, 1, 2, 3, 4, 5], "begins with bytes 00 01 02 03; expected PGM, PNG, TIFF, BMP"],
  ])("is named when it is %s", async (_what, bytes, expected) => {
    expect(await refusal(readImage(folder.write("other.png", Uint8Array.from(bytes))))).toContain(expected);
  });

  it("is refused when it is missing, empty, a folder or a device", async () => {
    expect(await refusal(readImage(folder.path("nothing.pgm")))).toMatch(/nothing\.pgm: no such file$/);
    expect(await refusal(readImage(folder.write("empty.pgm", "")))).toContain("empty (0 bytes); expected an image");
    expect(await refusal(readImage(folder.path(".")))).toContain("a folder; expected an image file");
    expect(await refusal(readImage("/dev/null"))).toContain("a device; expected an image file");
  });

  it("is refused when its gzip data are cut or unpack to more than any image", async () => {
    const packed = gzipSync(portableGreymap(picture(200), 255));
    const cut = folder.write("cut.pgm.gz", packed.subarray(0, packed.length - 20));
    expect(await refusal(readImage(cut))).toContain("truncated or damaged gzip data");
    const zeros = gzipSync(new Uint8Array(2 ** 20 + 1));
    expect(await refusal(unpackGzip("bomb.gz", zeros, 2 ** 20))).toContain("unpacks to more than 1 MiB");
  });
});

describe("colour", () => {
  const pixels = (colours: number[][]) =>
    folder.write("colour.ppm", new Uint8Array([...new TextEncoder().encode("P6 2 2 255\n"), ...colours.flat()]));
  const coloured = [
    [10, 20, 30],
    [40, 50, 60],
    [70, 80, 90],
    [255, 0, 0],
  ];

  it("is refused without a choice of channel", async () => {
    const message = await refusal(readImage(pixels(coloured)));
    expect(message).toContain("3 channels differ; expected a choice: --channel 0 to 2 (red, green, blue) or luminance");
  });

  it("gives the channel asked for, counted from 0, and says so", async () => {
    const image = await readImage(pixels(coloured), { channel: 1 });
    expect(Array.from(image.samples)).toEqual([20, 50, 80, 0]);
    expect(image.notes).toContain("channel 1 of 3 (from 0)");
    expect(await refusal(readImage(pixels(coloured), { channel: 3 }))).toContain("no channel 3");
  });

  it("gives luminance when asked, and warns of pixels whose channel saturates unseen", async () => {
    const image = await readImage(pixels(coloured), { channel: "luminance" });
    expect(Array.from(image.samples)).toEqual([
      Math.round(0.2126 * 10 + 0.7152 * 20 + 0.0722 * 30),
      Math.round(0.2126 * 40 + 0.7152 * 50 + 0.0722 * 60),
      Math.round(0.2126 * 70 + 0.7152 * 80 + 0.0722 * 90),
      Math.round(0.2126 * 255),
    ]);
    expect(image.notes.join()).toContain("1 pixels have a channel at full scale");
  });

  it("is none when the channels are equal", async () => {
    const image = await readImage(pixels([1, 2, 3, 250].map((grey) => [grey, grey, grey])));
    expect(Array.from(image.samples)).toEqual([1, 2, 3, 250]);
    expect(image.notes).toContain("its 3 channels are equal: taken for grey");
  });

  it("is not in a grey image", async () => {
    const path = folder.write("grey.pgm", portableGreymap(picture(200), 255));
    expect(await refusal(readImage(path, { channel: 1 }))).toContain("a grey image has no channel 1");
    expect((await readImage(path, { channel: 0 })).bitDepth).toBe(8);
  });
});

describe("dark frames", () => {
  it("come in the counts of their image, signed where the image's values were mapped", async () => {
    const imagePath = folder.write("light.csv", "0.5,1.5\n2.5,10.5");
    const darkPath = folder.write("dark.csv", "0.25,0.5\n0.5,0.75");
    const image = await readImage(imagePath);
    const { samples } = await readDark(darkPath, image);
    const scale = 65534 / 10;
    [-0.25, 0, 0, 0.25].forEach((value, i) => expect(samples[i]).toBeCloseTo(value * scale, 1));
  });

  it("follow the alignment of their image although they do not show it themselves", async () => {
    const light = picture(4095).map((value) => value * 16);
    const image = await readImage(folder.write("light.pgm", portableGreymap(light, 65535)));
    const dark = new Uint16Array(WIDTH * HEIGHT).fill(64 * 16);
    const { samples } = await readDark(folder.write("dark.pgm", portableGreymap(dark, 65535)), image);
    expect(image.bitDepth).toBe(12);
    expect(new Set(samples)).toEqual(new Set([64]));
  });

  it("must have the full scale of their image", async () => {
    const deep = await readImage(folder.write("deep.pgm", portableGreymap(picture(4000), 4095)));
    const shallow = await readImage(folder.write("shallow.pgm", portableGreymap(picture(200), 255)));
    const dark8 = folder.write("dark8.pgm", portableGreymap(new Uint16Array(WIDTH * HEIGHT).fill(6), 255));
    const dark12 = folder.write("dark12.pgm", portableGreymap(new Uint16Array(WIDTH * HEIGHT).fill(300), 4095));
    expect(await refusal(readDark(dark8, deep))).toContain("a dark of 8 bits; expected 12 bits as in");
    expect(await refusal(readDark(dark12, shallow))).toContain("a dark with a sample of 300; expected 8 bits as in");
    expect((await readDark(dark12, deep)).samples[0]).toBe(300);
    expect((await readDark(dark8, shallow)).samples[0]).toBe(6);
  });

  it("must have the size of their image", async () => {
    const image = await readImage(folder.write("a.csv", "1,2\n3,4"));
    expect(await refusal(readDark(folder.write("b.csv", "1,2,3\n4,5,6"), image))).toContain(
      "a dark of 3 × 2 pixels; expected 2 × 2 as in",
    );
  });
});
