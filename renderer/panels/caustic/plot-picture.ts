import { saveBlob } from "../../host/save-file.ts";
import type { PlotCaption } from "./exports.ts";

/** What an element looks like, that matters in a drawing. */
const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "visibility",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

const SVG = "http://www.w3.org/2000/svg";
/** Room above the plot for what it shows, and the lines in it. */
const HEAD_PX = 92;
const LINES_PX = { title: 18, status: 35, x: 54, y: 70, legend: 86 } as const;

function drawn(name: string, looks: Readonly<Record<string, string | number>>, text?: string): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [look, value] of Object.entries(looks)) element.setAttribute(look, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Title, result of each axis behind its mark, and what the other signs mean. */
function headOf({ title, status, x, y }: PlotCaption): SVGElement {
  const colourOf = (axis: "x" | "y"): string => {
    const legend = document.querySelector(`.report .caustic-legend .tone-${axis}`);
    return legend === null ? "#000" : getComputedStyle(legend).color;
  };
  const font = { "font-family": "Inter, Helvetica, Arial, sans-serif", "font-size": 12 };
  const head = drawn("g", { fill: "#000" });
  head.append(
    drawn("text", { ...font, "font-size": 13, "font-weight": 600, x: 12, y: LINES_PX.title }, title),
    drawn("text", { ...font, x: 12, y: LINES_PX.status }, status),
    drawn("circle", { cx: 17, cy: LINES_PX.x - 4, r: 4, fill: colourOf("x") }),
    drawn("text", { ...font, x: 28, y: LINES_PX.x }, `x: ${x}`),
    drawn("rect", { x: 13.5, y: LINES_PX.y - 7.5, width: 7, height: 7, fill: colourOf("y") }),
    drawn("text", { ...font, x: 28, y: LINES_PX.y }, `y: ${y}`),
    drawn(
      "text",
      { ...font, "font-size": 10, fill: "#555", x: 28, y: LINES_PX.legend },
      "hollow: left out; line and band: fit ± 2 u; dotted: waist; bars: solid near, dashed far from the waist (ISO 11146)",
    ),
  );
  return head;
}

/** The report's plot, in the colours of paper, as a drawing of its own with its looks written into it. */
function plotMarkup(caption: PlotCaption): { markup: string; width: number; height: number } {
  const plot = document.querySelector<SVGSVGElement>(".report .caustic-plot svg");
  if (plot === null) throw new Error("There is no plot yet: measure first.");
  const copy = plot.cloneNode(true) as SVGSVGElement;
  const originals = [plot, ...plot.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  for (const [index, original] of originals.entries()) {
    const looks = getComputedStyle(original);
    for (const look of LOOKS) copies[index]?.setAttribute(look, looks.getPropertyValue(look));
  }
  const { width } = plot.viewBox.baseVal;
  const height = plot.viewBox.baseVal.height + HEAD_PX;
  const body = drawn("g", { transform: `translate(0 ${HEAD_PX})` });
  body.append(...copy.childNodes);
  copy.append(drawn("rect", { width, height, fill: "#fff" }), headOf(caption), body);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return { markup: new XMLSerializer().serializeToString(copy), width, height };
}

export function savePlotSvg(name: string, caption: PlotCaption): void {
  saveBlob(name, new Blob([plotMarkup(caption).markup], { type: "image/svg+xml" }));
}

/** Three times the size of the screen's own pixels, for print. */
const PNG_SCALE = 3;

export async function savePlotPng(name: string, caption: PlotCaption): Promise<void> {
  const { markup, width, height } = plotMarkup(caption);
  const address = URL.createObjectURL(new Blob([markup], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * PNG_SCALE;
    canvas.height = height * PNG_SCALE;
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, "image/png");
    });
    if (blob === null) throw new Error("The picture could not be made.");
    saveBlob(name, blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}
