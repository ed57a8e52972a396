import { z } from "zod";
import { keepOutZoneSchema } from "./tools.ts";

/*
 * The description of a bench: which instruments stand on it, where they answer, and what holds for everybody who drives
 * them. A bench is one YAML file of this shape. Limits and zones stand here alone; stage driver and session both obey them.
 */

const positive = z.number().positive();
const CONTROLLER_ADDRESS = /^(?:tcp:\/\/[^/]+:\d{1,5}\/?|emulated:\/\/[a-z0-9-]+(?:\?.*)?|(?!.*:\/\/).+)$/;

/** Where a stage controller answers: path of a serial port, "tcp://host:port", or "emulated://NAME" in this process. */
const controllerAddress = z
  .string()
  .regex(CONTROLLER_ADDRESS, 'expected the path of a serial port, "tcp://host:port" or "emulated://<controller>"')
  .refine((address) => Number(/^tcp:.*:(\d+)\/?$/.exec(address)?.[1] ?? "1") <= 65_535, "expected a port up to 65535")
  .refine(
    (address) => address.includes("/") || !/^[\w.-]+:\d+$/.test(address),
    'expected "tcp://host:port" for a serial device server',
  );

/** What every stage may be given; positions are in the bench's coordinates. */
const commonOfStages = {
  address: controllerAddress,
  /** Where the controller's switches say otherwise than its maker. */
  baud_rate: z.number().int().positive().optional(),
  /** Name for people; what the controller says of itself when absent. */
  model: z.string().min(1).optional(),
  /** `bench = zero_mm + direction · scale · controller`, in mm. */
  calibration: z
    .strictObject({
      scale: positive.optional(),
      direction: z.union([z.literal(1), z.literal(-1)], "expected 1 or -1").optional(),
      zero_mm: z.number().optional(),
    })
    .optional(),
  velocity_mm_s: positive.optional(),
  acceleration_mm_s2: positive.optional(),
  /** Largest accepted difference of target and readback. */
  tolerance_mm: positive.optional(),
  /** Largest accepted excursion past the target while moving. */
  excursion_mm: positive.optional(),
  /** Finds the reference when a run is opened, if it has none. Only where the whole travel is free. */
  home_at_start: z.boolean().optional(),
};

/** Counts of an APT controller for a stage that the driver does not know. */
const aptScale = z.strictObject({
  counts_per_mm: positive,
  counts_per_mm_s: positive,
  counts_per_mm_s2: positive,
  travel_mm: positive,
  servo: z.boolean(),
});

const controlledStages = [
  z.strictObject({
    driver: z.literal("zaber-ascii"),
    ...commonOfStages,
    microstep_um: positive,
    device: z.number().int().min(1).max(99).optional(),
    axis: z.number().int().min(1).max(9).optional(),
  }),
  z.strictObject({
    driver: z.literal("thorlabs-apt"),
    ...commonOfStages,
    stage: z.union(
      [z.enum(["LTS150", "LTS300", "KDC101 with MTS25-Z8", "KDC101 with MTS50-Z8", "KDC101 with Z825B"]), aptScale],
      "expected LTS150, LTS300, KDC101 with MTS25-Z8, KDC101 with MTS50-Z8, KDC101 with Z825B, or counts_per_mm, counts_per_mm_s, counts_per_mm_s2, travel_mm and servo",
    ),
    /** Parameters that the controller must hold before anything moves. */
    expect: z
      .strictObject({
        home_direction: z.number().int().optional(),
        home_limit_switch: z.number().int().optional(),
        backlash_mm: z.number().optional(),
        forward_switch: z.number().int().optional(),
        reverse_switch: z.number().int().optional(),
      })
      .optional(),
  }),
  z.strictObject({
    driver: z.literal("newport-conex-smc"),
    ...commonOfStages,
    controller: z.enum(["CONEX-CC", "SMC100"]),
    controller_address: z.number().int().min(1).max(31).optional(),
  }),
  z.strictObject({ driver: z.literal("pi-gcs2"), ...commonOfStages, axis: z.string().min(1).optional() }),
  z.strictObject({ driver: z.literal("grbl"), ...commonOfStages, axis: z.enum(["X", "Y", "Z"]).optional() }),
] as const;

/** A stage behind a motion controller. */
export const controlledStageSchema = z.discriminatedUnion("driver", controlledStages);
export type ControlledStageEntry = z.infer<typeof controlledStageSchema>;

const stageSchema = z.discriminatedUnion("driver", [
  ...controlledStages,
  /** 250 mm of travel, homed at 0. */
  z.strictObject({ driver: z.literal("simulated") }),
]);

const PIXEL_FORMATS = [
  "Mono8",
  "Mono10",
  "Mono10p",
  "Mono10Packed",
  "Mono12",
  "Mono12p",
  "Mono12Packed",
  "Mono14",
  "Mono16",
];

const genicamCamera = z.strictObject({
  driver: z.literal("genicam"),
  /**
   * Device id, serial number or IP address, as `caustic devices` shows them; the only camera found when absent.
   * "emulated://camera?scenario=NAME&seed=N" is a GigE Vision camera that this process emulates.
   */
  address: z.string().min(1).optional(),
  /** The deepest that the camera offers when absent. */
  pixel_format: z.enum(PIXEL_FORMATS).optional(),
  /** In pixels of the sensor; the whole sensor when absent. */
  region: z
    .strictObject({
      x_px: z.number().int().nonnegative(),
      y_px: z.number().int().nonnegative(),
      width_px: z.number().int().positive(),
      height_px: z.number().int().positive(),
    })
    .optional(),
  gain_db: z.number().nonnegative().optional(),
  black_level_counts: z.number().nonnegative().optional(),
  /** Of a camera without software trigger. */
  frame_rate_hz: z.number().positive().optional(),
  /** Size of a GigE Vision packet; negotiated when absent. */
  packet_size_bytes: z.number().int().min(576).max(9200).optional(),
});
export type GenicamCameraEntry = z.infer<typeof genicamCamera>;

/** The simulated light and the camera in it. It stands where the bench's stage carries it. */
const simulatedCamera = z.strictObject({
  driver: z.literal("simulated"),
  scenario: z.string().min(1),
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  sensor: z.enum(["640x480", "1280x1024", "2448x2048"]).optional(),
  pixel_format: z.enum(["Mono8", "Mono10", "Mono10p", "Mono12", "Mono12p", "Mono16"]).optional(),
});
export type SimulatedCameraEntry = z.infer<typeof simulatedCamera>;

const shutterSchema = z.discriminatedUnion("driver", [
  /** A person blocks the beam when asked. */
  z.strictObject({ driver: z.literal("operator") }),
  z.strictObject({ driver: z.literal("simulated") }),
  /** A second stage that moves something into the beam. */
  z.strictObject({
    driver: z.literal("stage"),
    stage: controlledStageSchema,
    open_mm: z.number(),
    closed_mm: z.number(),
  }),
]);

const softLimits = z.strictObject({
  z_min_mm: z.number().optional(),
  z_max_mm: z.number().optional(),
  exposure_min_ms: positive.optional(),
  exposure_max_ms: positive.optional(),
});

/** How the rows and columns of the camera lie on the bench: mirrored first, then exchanged. */
const orientationSchema = z.strictObject({
  transpose: z.boolean().optional(),
  flip_x: z.boolean().optional(),
  flip_y: z.boolean().optional(),
});
export type FrameOrientation = z.infer<typeof orientationSchema>;

const relative = z.number().nonnegative().max(0.5);

const keepOutZones = z.array(z.strictObject(keepOutZoneSchema.shape));

/** Ends that lie the wrong way round, each with its field: also those of a file that has other mistakes. */
export function contradictions(file: { readonly limits?: unknown; readonly keep_out_zones?: unknown }): {
  readonly path: readonly (string | number)[];
  readonly message: string;
}[] {
  const { z_min_mm, z_max_mm, exposure_min_ms, exposure_max_ms } = softLimits.safeParse(file.limits).data ?? {};
  const found: { path: (string | number)[]; message: string }[] = [];
  if (z_min_mm !== undefined && z_max_mm !== undefined && z_min_mm >= z_max_mm) {
    found.push({ path: ["limits", "z_max_mm"], message: `expected more than z_min_mm, which is ${z_min_mm}` });
  }
  if (exposure_min_ms !== undefined && exposure_max_ms !== undefined && exposure_min_ms > exposure_max_ms) {
    const message = `expected no less than exposure_min_ms, which is ${exposure_min_ms}`;
    found.push({ path: ["limits", "exposure_max_ms"], message });
  }
  for (const [index, { from_mm, to_mm }] of (keepOutZones.safeParse(file.keep_out_zones).data ?? []).entries()) {
    if (from_mm <= to_mm) continue;
    found.push({ path: ["keep_out_zones", index, "to_mm"], message: `expected no less than from_mm, ${from_mm}` });
  }
  return found;
}

/** One bench. */
export const benchFileSchema = z
  .strictObject({
    /** The name under which it is offered to everybody who drives. */
    bench: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$/, "expected a name of letters, digits, - and _"),
    description: z.string().min(1).max(500).optional(),
    wavelength_nm: z.number().min(100).max(20_000),
    /** Pitch of the pixels of a frame in the plane of the beam, after binning and magnification. */
    pixel_pitch_um: z.number().positive().max(1000).optional(),
    instruments: z.strictObject({
      stage: stageSchema,
      camera: z.discriminatedUnion("driver", [genicamCamera, simulatedCamera]),
      shutter: shutterSchema.optional(),
    }),
    orientation: orientationSchema.optional(),
    limits: softLimits.optional(),
    keep_out_zones: keepOutZones.optional(),
    /** Standard uncertainties: of a position in mm, and the relative ones of what all positions share. */
    uncertainties: z
      .strictObject({
        z_mm: z.number().nonnegative().optional(),
        pixel_pitch: relative.optional(),
        stage_scale: relative.optional(),
        wavelength: relative.optional(),
      })
      .optional(),
    default_frames: z.number().int().min(1).max(100).optional(),
    /** Read by everybody who drives. */
    rules: z.array(z.string().min(1)).optional(),
    operator_note: z.string().min(1).max(2000).optional(),
  })
  .superRefine(({ instruments, limits = {}, keep_out_zones = [], pixel_pitch_um }, context) => {
    const refuse = (path: (string | number)[], message: string): void => {
      context.addIssue({ code: "custom", path, message });
    };
    const { stage, camera, shutter } = instruments;
    if (camera.driver === "genicam" && pixel_pitch_um === undefined) {
      refuse(["pixel_pitch_um"], "expected the pitch of the camera's pixels: no camera tells it reliably");
    }
    const isLightReal = camera.driver !== "simulated" && camera.address?.startsWith("emulated://") !== true;
    if (shutter?.driver === "simulated" && isLightReal) {
      refuse(
        ["instruments", "shutter", "driver"],
        "a simulated shutter blocks no real light; expected operator or stage",
      );
    }
    for (const { path, message } of contradictions({ limits, keep_out_zones })) refuse([...path], message);
    if (stage.driver !== "simulated" && stage.home_at_start === true && keep_out_zones.length > 0) {
      refuse(
        ["instruments", "stage", "home_at_start"],
        "a stage that searches its reference heeds no keep-out zone; expected false, and the operator homes it",
      );
    }
  });
export type BenchFile = z.infer<typeof benchFileSchema>;
