/**
 * The parameters of an emulated C-863.12: ids, names and command levels after the C-863.12 manual, pages 161 and 190 to 207
 * https://manualshive.com/en/manual/pi/ms249e/1554329?page=197, and PI's GCS array of parameters.
 *
 * Not verified: values out of the box other than those that describe the emulated stage; which parameters need command
 * level 1 (the counts per unit here); how HPA? names its function groups.
 */
export interface GcsParameter {
  readonly id: number;
  readonly name: string;
  readonly group: string;
  readonly type: "INT" | "FLOAT" | "CHAR";
  /** Command level from which it may be written. */
  readonly level: 0 | 1;
  readonly value: number | string;
}

export interface StageDescription {
  readonly stageName: string;
  readonly travel_mm: number;
  readonly velocity_mm_s: number;
  readonly velocityMax_mm_s: number;
  readonly acceleration_mm_s2: number;
  readonly countsNumerator: number;
  readonly countsDenominator: number;
}

export const ParameterId = {
  velocityMax: 0x0a,
  acceleration: 0x0b,
  deceleration: 0x0c,
  countsNumerator: 0x0e,
  countsDenominator: 0x0f,
  travelPositive: 0x15,
  valueAtReference: 0x16,
  travelNegative: 0x30,
  stageName: 0x3c,
  velocity: 0x49,
  accelerationMax: 0x4a,
  decelerationMax: 0x4b,
} as const;

export function parametersOf(stage: StageDescription): readonly GcsParameter[] {
  const number = (id: number, name: string, group: string, value: number, level: 0 | 1 = 0): GcsParameter => {
    const type = Number.isInteger(value) && !name.includes("(Phys.") ? "INT" : "FLOAT";
    return { id, name, group, type, level, value };
  };
  const motion = "motion parameters";
  return [
    number(ParameterId.velocityMax, "Maximum Closed-Loop Velocity (Phys. Unit/s)", motion, stage.velocityMax_mm_s),
    number(ParameterId.acceleration, "Closed-Loop Acceleration (Phys. Unit/s2)", motion, stage.acceleration_mm_s2),
    number(ParameterId.deceleration, "Closed-Loop Deceleration (Phys. Unit/s2)", motion, stage.acceleration_mm_s2),
    number(
      ParameterId.countsNumerator,
      "Numerator Of The Counts-Per-Physical-Unit Factor",
      "sensor",
      stage.countsNumerator,
      1,
    ),
    number(
      ParameterId.countsDenominator,
      "Denominator Of The Counts-Per-Physical-Unit Factor",
      "sensor",
      stage.countsDenominator,
      1,
    ),
    number(0x14, "Has Reference?", "referencing", 1),
    number(ParameterId.travelPositive, "Maximum Travel In Positive Direction (Phys. Unit)", motion, stage.travel_mm),
    number(ParameterId.valueAtReference, "Value At Reference Position (Phys. Unit)", "referencing", 0),
    number(ParameterId.travelNegative, "Maximum Travel In Negative Direction (Phys. Unit)", motion, 0),
    number(0x32, "Has Limit Switches", "referencing", 0),
    number(0x36, "Settling Window (encoder counts)", "settling", 2),
    {
      id: ParameterId.stageName,
      name: "Stage Name",
      group: "general",
      type: "CHAR",
      level: 0,
      value: stage.stageName,
    },
    number(0x3f, "Settling Time (s)", "settling", 0),
    number(ParameterId.velocity, "Closed-Loop Velocity (Phys. Unit/s)", motion, stage.velocity_mm_s),
    number(
      ParameterId.accelerationMax,
      "Maximum Closed-Loop Acceleration (Phys. Unit/s2)",
      motion,
      stage.acceleration_mm_s2 * 10,
    ),
    number(
      ParameterId.decelerationMax,
      "Maximum Closed-Loop Deceleration (Phys. Unit/s2)",
      motion,
      stage.acceleration_mm_s2 * 10,
    ),
    number(0x411, "P Term", "servo", 100),
    number(0x412, "I Term", "servo", 0),
    number(0x413, "D Term", "servo", 0),
    number(0x414, "I Limit", "servo", 2000),
  ];
}

/** The lines of the answer to HPA?. */
export function parameterHelp(parameters: readonly GcsParameter[]): string[] {
  const lines = parameters.map(
    ({ id, level, type, group, name }) => `0x${id.toString(16).toUpperCase()}=${level}\t1\t${type}\t${group}\t${name}`,
  );
  return ["The following parameters are valid:", ...lines, "end of help"];
}
