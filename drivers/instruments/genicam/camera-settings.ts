import { InstrumentError } from "../../protocol/instrument-error.ts";
import type { CameraFeatures } from "./camera-features.ts";
import { PIXEL_FORMATS, type PixelFormat, pixelFormatNamed } from "./pixel-formats.ts";

/*
 * Settings of a camera before it measures, by the names of the GenICam Standard Features Naming Convention. Every one is
 * read back: what a camera acknowledges and what it does are two things.
 */

/** The part of the sensor that is read out, in pixels of the sensor from its upper left corner. */
export interface SensorRegion {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Functions that change the picture behind one's back, with the value that stops them. */
const AUTOMATIC = ["ExposureAuto", "GainAuto", "BlackLevelAuto"];
const SHAPING = ["GammaEnable", "LUTEnable", "SharpnessEnable", "ReverseX", "ReverseY"];
/** BlackLevelClampingEnable stays: it holds the level that darks are measured against. */
const TEST_PICTURES = ["TestPattern", "TestImageSelector", "TestPatternGeneratorSelector"];
const JOINING = ["BinningHorizontal", "BinningVertical", "DecimationHorizontal", "DecimationVertical"];

/**
 * Switches off everything between light and counts that is not linear, and everything that changes by itself. Returns
 * what the camera does not have. Throws `refused` for what it has and does not switch off.
 */
export async function makeLinear(features: CameraFeatures): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const name of AUTOMATIC) await settle(features, name, "Off", notes);
  for (const name of SHAPING) await settle(features, name, false, notes);
  await straightenGamma(features, notes);
  for (const name of TEST_PICTURES) await settle(features, name, "Off", []);
  for (const name of JOINING) await settle(features, name, 1, []);
  return notes;
}

async function settle(
  features: CameraFeatures,
  name: string,
  wanted: string | number | boolean,
  notes: string[],
): Promise<void> {
  const before = await features.read(name);
  if (before === undefined || before.kind === "command") {
    notes.push(`the camera has no ${name}`);
    return;
  }
  if (before.value === wanted) return;
  // A selector of test pictures offers Off only where it selects the picture itself.
  if (before.kind === "enumeration" && typeof wanted === "string" && !before.entries.includes(wanted)) {
    if (TEST_PICTURES.includes(name)) return;
    throw stubborn(features, name, before.value, wanted, "it does not offer that");
  }
  let refusal = "";
  try {
    await features.write(name, wanted);
  } catch (error) {
    if (!(error instanceof InstrumentError) || error.code !== "refused") throw error;
    refusal = error.detail.reply ?? error.message;
  }
  const after = await features.read(name);
  if (after === undefined || after.kind === "command" || after.value === wanted) return;
  throw stubborn(features, name, after.value, wanted, refusal === "" ? "it acknowledged and did not obey" : refusal);
}

/** Only where GammaEnable is missing does Gamma itself decide. */
async function straightenGamma(features: CameraFeatures, notes: string[]): Promise<void> {
  if ((await features.read("GammaEnable")) !== undefined) return;
  const gamma = await features.readNumber("Gamma");
  if (gamma === undefined) {
    notes.push("the camera has no Gamma");
    return;
  }
  if (Math.abs(gamma.value - 1) <= GAMMA_ROUNDING) return;
  if (gamma.writable) await features.write("Gamma", 1);
  const after = (await features.readNumber("Gamma"))?.value ?? 1;
  if (Math.abs(after - 1) > GAMMA_ROUNDING) throw stubborn(features, "Gamma", after, 1, "it does not change");
}

const GAMMA_ROUNDING = 0.005;

function stubborn(
  features: CameraFeatures,
  name: string,
  found: string | number | boolean,
  wanted: string | number | boolean,
  why: string,
): InstrumentError {
  return new InstrumentError(
    "refused",
    features.instrument,
    `${name} stays ${found}, ${wanted} is needed for counts in proportion to light: ${why}`,
    { name, value: String(found), limit: String(wanted) },
    `switch ${name} to ${wanted} with the maker's program and store it in the camera`,
  );
}

/**
 * Chooses the pixel format, the best on offer when none is wanted. Throws `unsupported`, with what is offered, when the
 * camera does not have it or the driver does not read it; `refused` when the camera keeps another.
 */
export async function choosePixelFormat(features: CameraFeatures, wanted: string | undefined): Promise<PixelFormat> {
  const feature = await features.read("PixelFormat");
  if (feature?.kind !== "enumeration") {
    throw new InstrumentError("unsupported", features.instrument, "the camera has no PixelFormat to choose");
  }
  const offered = feature.entries;
  const format =
    wanted === undefined ? PIXEL_FORMATS.find(({ name }) => offered.includes(name)) : pixelFormatNamed(wanted);
  if (format === undefined || !offered.includes(format.name)) {
    const readable = PIXEL_FORMATS.map(({ name }) => name).filter((name) => offered.includes(name));
    throw new InstrumentError(
      "unsupported",
      features.instrument,
      `the pixel format ${wanted ?? "of a monochrome camera"} is not to be had; of what the camera offers, Caustic reads ${readable.join(", ") || "nothing"}`,
      { name: "PixelFormat", value: wanted ?? "", limit: offered.join(", ") },
      readable.length > 0 ? `choose one of ${readable.join(", ")}` : "use a monochrome camera",
    );
  }
  await features.write("PixelFormat", format.name);
  const found = await features.readText("PixelFormat");
  if (found !== format.name) {
    throw new InstrumentError(
      "refused",
      features.instrument,
      `the pixel format stays ${found}, ${format.name} was asked for`,
      { name: "PixelFormat", value: found, limit: format.name },
    );
  }
  return format;
}

/**
 * Sets the region that is read out; the whole sensor when none is wanted. Offsets go to zero first and to their place
 * last, so that neither a growing nor a shrinking region passes the edge on the way. Throws `out_of_range` for what does
 * not fit on the sensor or its steps.
 */
export async function chooseRegion(features: CameraFeatures, wanted: SensorRegion | undefined): Promise<SensorRegion> {
  await zeroOffset(features, "OffsetX");
  await zeroOffset(features, "OffsetY");
  const width = await setSize(features, "Width", wanted?.width);
  const height = await setSize(features, "Height", wanted?.height);
  const x = await setSize(features, "OffsetX", wanted?.x ?? 0);
  const y = await setSize(features, "OffsetY", wanted?.y ?? 0);
  return { x, y, width, height };
}

async function zeroOffset(features: CameraFeatures, name: string): Promise<void> {
  const offset = await features.readNumber(name);
  if (offset !== undefined && offset.value !== 0 && offset.writable) await features.write(name, 0);
}

async function setSize(features: CameraFeatures, name: string, wanted: number | undefined): Promise<number> {
  const before = await features.readNumber(name);
  if (before === undefined) {
    if (name.startsWith("Offset") && (wanted ?? 0) === 0) return 0;
    throw new InstrumentError("unsupported", features.instrument, `the camera has no ${name}`, { name });
  }
  const { least = 0, most = Number.POSITIVE_INFINITY, step = 1 } = before;
  const target = wanted ?? (Number.isFinite(most) ? most : before.value);
  const onStep = least + Math.floor((target - least) / step) * step;
  if (!Number.isInteger(target) || target < least || target > most || onStep !== target) {
    throw new InstrumentError(
      "out_of_range",
      features.instrument,
      `${name} ${target} px does not fit: ${least} to ${most} px in steps of ${step} px`,
      { name, value: target, unit: "px", limit: target < least ? least : most },
      `choose ${Math.min(Math.max(onStep, least), most)} px`,
    );
  }
  if (before.value !== target) await features.write(name, target);
  const after = await features.readNumber(name);
  if (after?.value !== target) {
    throw new InstrumentError(
      "refused",
      features.instrument,
      `${name} reads ${after?.value ?? "nothing"} px after it was set to ${target} px`,
      { name, value: after?.value ?? "nothing", unit: "px", limit: target },
    );
  }
  return target;
}

/** Gain or black level: sets and returns what the camera applied. Throws `out_of_range` or `unsupported` by name. */
export async function setLevel(
  features: CameraFeatures,
  quantity: "gain" | "blackLevel",
  wanted: number,
): Promise<number> {
  const word = quantity === "gain" ? "gain" : "black level";
  const before = await features.readQuantity(quantity);
  if (before === undefined) {
    throw new InstrumentError("unsupported", features.instrument, `the camera has no ${word}`, { name: quantity });
  }
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = before;
  if (!(wanted >= least && wanted <= most)) {
    throw new InstrumentError(
      "out_of_range",
      features.instrument,
      `the ${word} ${wanted} is outside ${least} to ${most}`,
      { name: quantity, value: wanted, limit: wanted < least ? least : most },
    );
  }
  await features.writeQuantity(quantity, wanted);
  return (await features.readQuantity(quantity))?.value ?? wanted;
}

/**
 * Makes the camera expose when it is told to. False where it has no software trigger: it then runs freely, and every
 * frame is judged by its time.
 */
export async function chooseTrigger(features: CameraFeatures): Promise<boolean> {
  const mode = await features.read("AcquisitionMode");
  if (mode?.kind === "enumeration" && mode.entries.includes("Continuous")) {
    await features.write("AcquisitionMode", "Continuous");
  }
  const source = await features.read("TriggerSource");
  const command = await features.read("TriggerSoftware");
  const triggered = source?.kind === "enumeration" && source.entries.includes("Software") && command !== undefined;
  if (!triggered) {
    const trigger = await features.read("TriggerMode");
    if (trigger !== undefined) await features.write("TriggerMode", "Off");
    return false;
  }
  const selector = await features.read("TriggerSelector");
  if (selector?.kind === "enumeration" && selector.entries.includes("FrameStart")) {
    await features.write("TriggerSelector", "FrameStart");
  }
  await features.write("TriggerSource", "Software");
  await features.write("TriggerMode", "On");
  return (await features.readText("TriggerMode")) === "On" && (await features.readText("TriggerSource")) === "Software";
}
