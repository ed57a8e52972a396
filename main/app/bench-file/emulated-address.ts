import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { BenchCoordinates } from "../../../drivers/transport/bench-coordinates.ts";
import type { ControlledStageEntry } from "../../contract/bench-file.ts";
import { controllerZero_mm, EMULATED_CONTROLLERS, type EmulatedMechanics, hostOnPty, hostOnTcp } from "../emulation.ts";
import { UsageError } from "../usage-error.ts";
import { given } from "./given.ts";

/** An emulated controller in this process, which the driver reaches over a real line. */
export interface EmulatedStageLine {
  /** What the driver is given in place of the file's address. */
  readonly address: string;
  /** Where the carriage really stands, in the bench's coordinates. */
  position_mm(): number;
  close(): Promise<void>;
}

const SCHEME = "emulated://";
const LINES = ["tcp", "pty"] as const;

export const isEmulated = ({ address }: Pick<ControlledStageEntry, "address">): boolean => address.startsWith(SCHEME);

type MakeController = (typeof EMULATED_CONTROLLERS)[string];

/** What an address of an emulated stage says. */
interface EmulatedAddress {
  readonly make: MakeController;
  readonly line: (typeof LINES)[number];
  readonly mechanics: EmulatedMechanics;
}

/** Reads "emulated://NAME?…". Throws UsageError with the part that does not fit and what was expected. */
export function readEmulatedAddress(address: string): EmulatedAddress {
  const [name = "", query = ""] = address.slice(SCHEME.length).split("?", 2);
  const make = Object.hasOwn(EMULATED_CONTROLLERS, name) ? EMULATED_CONTROLLERS[name] : undefined;
  if (make === undefined) {
    const names = Object.keys(EMULATED_CONTROLLERS).join(", ");
    throw new UsageError(`no controller ${JSON.stringify(name)} can be emulated; expected one of ${names}`);
  }
  const { line, ...mechanics } = readQuery(new URLSearchParams(query));
  return { make, line, mechanics };
}

/**
 * Starts the controller that "emulated://NAME?line=tcp|pty&travel_mm=…&velocity_mm_s=…&acceleration_mm_s2=…&position_mm=…"
 * names; everything behind the question mark may be left out. Its carriage stands on the bench as the calibration says.
 *
 * @throws UsageError naming the part that does not fit.
 */
export async function startEmulatedStage(
  { address, calibration = {} }: Pick<ControlledStageEntry, "address" | "calibration">,
  clock: Clock,
): Promise<EmulatedStageLine> {
  const { make, line, mechanics } = readEmulatedAddress(address);
  const controller = make(clock, mechanics);
  const coordinates = new BenchCoordinates(given(calibration));
  const position_mm = (): number => coordinates.toBench(controller.position_mm() - controllerZero_mm(controller));
  if (line === "tcp") return { ...(await hostOnTcp(controller)), position_mm };
  const folder = mkdtempSync(join(tmpdir(), "caustic-line-"));
  const hosted = await hostOnPty(controller, join(folder, "stage")).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw new UsageError(`${address}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return {
    address: hosted.address,
    position_mm,
    close: async () => {
      await hosted.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What can be asked of an emulated stage, with the most of each: far more than any stage has. */
const MECHANICS = { travel_mm: 10_000, velocity_mm_s: 10_000, acceleration_mm_s2: 1e6, position_mm: 10_000 } as const;
const NAMES = Object.keys(MECHANICS) as (keyof typeof MECHANICS)[];

function readQuery(query: URLSearchParams): EmulatedMechanics & { line: (typeof LINES)[number] } {
  const numbers: Partial<Record<keyof typeof MECHANICS, number>> = {};
  for (const [key, text] of query) {
    if (key === "line") continue;
    const known = NAMES.find((one) => one === key);
    if (known === undefined) {
      throw new UsageError(`there is no ${key}; expected line, ${NAMES.join(", ")}`);
    }
    const value = Number(text);
    if (text === "" || !(value > 0 && value <= MECHANICS[known])) {
      throw new UsageError(`${key} is ${text}; expected a number above 0, up to ${MECHANICS[known]}`);
    }
    numbers[known] = value;
  }
  const { travel_mm, position_mm } = numbers;
  if (travel_mm !== undefined && position_mm !== undefined && position_mm > travel_mm) {
    throw new UsageError(`position_mm is ${position_mm}; expected a place within travel_mm = ${travel_mm}`);
  }
  const asked = query.get("line") ?? "tcp";
  const line = LINES.find((one) => one === asked);
  if (line === undefined) throw new UsageError(`line is ${asked}; expected ${LINES.join(" or ")}`);
  return { ...numbers, line };
}
