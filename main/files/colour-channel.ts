import { FileError } from "./file-error.ts";
import type { Raster } from "./raster.ts";

/** Which channel of a colour image is analysed: its number from 0, or the weighted sum of red, green and blue. */
export type ChannelChoice = number | "luminance";

interface ChosenChannel {
  readonly samples: Raster["samples"];
  readonly notes: readonly string[];
}

/** Weights of linear red, green and blue (Recommendation ITU-R BT.709). */
const LUMINANCE = [0.2126, 0.7152, 0.0722] as const;

/**
 * Picks one channel. An image whose channels are equal is grey; one whose channels differ needs a choice, because a
 * laser line lies in the channels very unevenly and a sum of a saturated and a dim channel is no profile.
 */
export function chooseChannel(path: string, raster: Raster, choice: ChannelChoice | undefined): ChosenChannel {
  const { channels, samples } = raster;
  if (channels === 1) {
    if (choice !== undefined && choice !== 0) {
      throw new FileError(path, `a grey image has no channel ${choice}; expected --channel 0 or none`);
    }
    return { samples, notes: [] };
  }
  if (choice === "luminance") {
    if (channels !== 3)
      throw new FileError(path, `${channels} channels have no luminance; expected red, green and blue`);
    return luminance(raster);
  }
  if (choice === undefined) {
    if (!channelsAreEqual(samples, channels)) {
      const names = channels === 3 ? " (red, green, blue) or luminance" : "";
      throw new FileError(
        path,
        `a colour image whose ${channels} channels differ; expected a choice: --channel 0 to ${channels - 1}${names}`,
      );
    }
    return { samples: everyNth(samples, channels, 0), notes: [`its ${channels} channels are equal: taken for grey`] };
  }
  if (choice >= channels) {
    throw new FileError(path, `no channel ${choice}; expected --channel 0 to ${channels - 1}`);
  }
  return { samples: everyNth(samples, channels, choice), notes: [`channel ${choice} of ${channels} (from 0)`] };
}

function channelsAreEqual(samples: ArrayLike<number>, channels: number): boolean {
  for (let i = 0; i < samples.length; i += channels) {
    for (let channel = 1; channel < channels; channel++) if (samples[i + channel] !== samples[i]) return false;
  }
  return true;
}

function everyNth(samples: Raster["samples"], step: number, first: number): Raster["samples"] {
  const result = samples.slice(0, samples.length / step);
  for (let i = 0; i < result.length; i++) result[i] = samples[i * step + first] as number;
  return result;
}

function luminance({ samples, maximum }: Raster): ChosenChannel {
  const result = samples.slice(0, samples.length / 3);
  const whole = !(samples instanceof Float64Array);
  let full = 0;
  for (let i = 0; i < result.length; i++) {
    let sum = 0;
    let any = false;
    for (let channel = 0; channel < 3; channel++) {
      const value = samples[3 * i + channel] as number;
      sum += (LUMINANCE[channel] as number) * value;
      if (value === maximum) any = true;
    }
    if (any) full += 1;
    result[i] = whole ? Math.round(sum) : sum;
  }
  const notes = ["luminance of red, green and blue"];
  if (full > 0) notes.push(`${full} pixels have a channel at full scale, which their luminance hides`);
  return { samples: result, notes };
}
