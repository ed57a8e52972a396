import { saveBlob } from "../../host/save-file.ts";

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

/** The report's plot, in the colours of paper, as a drawing of its own with its looks written into it. */
function plotMarkup(): { markup: string; width: number; height: number } {
  const plot = document.querySelector<SVGSVGElement>(".report .caustic-plot svg");
  if (plot === null) throw new Error("There is no plot yet: measure first.");
  const copy = plot.cloneNode(true) as SVGSVGElement;
  const originals = [plot, ...plot.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  for (const [index, original] of originals.entries()) {
    const looks = getComputedStyle(original);
    for (const look of LOOKS) copies[index]?.setAttribute(look, looks.getPropertyValue(look));
  }
  const { width, height } = plot.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", String(width));
  ground.setAttribute("height", String(height));
  ground.setAttribute("fill", "#fff");
  copy.prepend(ground);
  return { markup: new XMLSerializer().serializeToString(copy), width, height };
}

export function savePlotSvg(name: string): void {
  saveBlob(name, new Blob([plotMarkup().markup], { type: "image/svg+xml" }));
}

/** Three times the size of the screen's own pixels, for print. */
const PNG_SCALE = 3;

export async function savePlotPng(name: string): Promise<void> {
  const { markup, width, height } = plotMarkup();
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
