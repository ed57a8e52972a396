import { z } from "zod";
import { flagSchema, frameFlagSchema, gradeSchema } from "./vocabulary.ts";

/**
 * Second-moment widths of one frame or of the mean over the frames of one measurement, as they stand on the wire, in
 * `analyze --json` and in the log. All widths are full d4σ diameters (ISO 11146-1:2021, 3.5 and 7.2). x is the principal axis closer to
 * the sensor's rows. Widths and what follows from them are absent where the frame gives none; `reasons` says why.
 */
export const widthFieldsSchema = z.object({
  d4sigma_x_um: z.number().positive().optional(),
  d4sigma_y_um: z.number().positive().optional(),
  u_x_um: z.number().nonnegative().optional().describe("Standard uncertainty of d4sigma_x_um"),
  u_y_um: z.number().nonnegative().optional().describe("Standard uncertainty of d4sigma_y_um"),
  u_x_dark_um: z
    .number()
    .nonnegative()
    .optional()
    .describe("Part of u_x_um by the noise of the dark, which all measurements with that dark share"),
  u_y_dark_um: z.number().nonnegative().optional().describe("Part of u_y_um by the noise of the dark"),
  d4sigma_sensor_x_um: z.number().positive().optional().describe("Along the sensor's rows"),
  d4sigma_sensor_y_um: z.number().positive().optional().describe("Along the sensor's columns"),
  azimuth_deg: z
    .number()
    .optional()
    .describe("Of the x axis, counter-clockwise as seen on the screen, (−45, 45]; not meaningful when circular"),
  ellipticity: z
    .number()
    .optional()
    .describe("Minor over major width, 1 = round; above 0.87 the beam counts as circular"),
  centroid_x_px: z.number().optional().describe("Column; the centre of the first pixel is 0"),
  centroid_y_px: z.number().optional().describe("Row; row 0 is at the top"),
  peak_counts: z.number().describe("Brightest pixel above the background"),
  saturated_fraction: z.number().min(0).max(1).describe("Share of the pixels in the integration area at full scale"),
  iterations: z.number().int().nonnegative(),
  converged: z.boolean(),
  background: z.string().describe("Method by which the background was removed"),
  grade: gradeSchema,
  reasons: z.array(z.string()).describe("Why the grade is not 'good', in words"),
  flags: z.array(flagSchema(frameFlagSchema)),
});
export type WidthFields = z.infer<typeof widthFieldsSchema>;
