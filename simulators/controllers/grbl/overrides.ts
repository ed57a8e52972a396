/** Bytes that change an override at once. Source: https://github.com/gnea/grbl, doc/markdown/commands.md. */
const Byte = {
  feedReset: 0x90,
  feedMore: 0x91,
  feedLess: 0x92,
  feedSlightlyMore: 0x93,
  feedSlightlyLess: 0x94,
  rapidReset: 0x95,
  rapidHalf: 0x96,
  rapidQuarter: 0x97,
  spindleReset: 0x99,
  spindleMore: 0x9a,
  spindleLess: 0x9b,
  spindleSlightlyMore: 0x9c,
  spindleSlightlyLess: 0x9d,
} as const;

const MIN_percent = 10;
const MAX_percent = 200;

function within(value_percent: number): number {
  return Math.min(MAX_percent, Math.max(MIN_percent, value_percent));
}

/** By how much feeds, rapid motions and the spindle run faster or slower than programmed, in percent. */
export class Overrides {
  feed_percent = 100;
  rapid_percent = 100;
  spindle_percent = 100;

  reset(): void {
    this.feed_percent = 100;
    this.rapid_percent = 100;
    this.spindle_percent = 100;
  }

  /** @returns whether a value is another one now. */
  apply(byte: number): boolean {
    const before = this.text();
    switch (byte) {
      case Byte.feedReset:
        this.feed_percent = 100;
        break;
      case Byte.feedMore:
        this.feed_percent = within(this.feed_percent + 10);
        break;
      case Byte.feedLess:
        this.feed_percent = within(this.feed_percent - 10);
        break;
      case Byte.feedSlightlyMore:
        this.feed_percent = within(this.feed_percent + 1);
        break;
      case Byte.feedSlightlyLess:
        this.feed_percent = within(this.feed_percent - 1);
        break;
      case Byte.rapidReset:
        this.rapid_percent = 100;
        break;
      case Byte.rapidHalf:
        this.rapid_percent = 50;
        break;
      case Byte.rapidQuarter:
        this.rapid_percent = 25;
        break;
      case Byte.spindleReset:
        this.spindle_percent = 100;
        break;
      case Byte.spindleMore:
        this.spindle_percent = within(this.spindle_percent + 10);
        break;
      case Byte.spindleLess:
        this.spindle_percent = within(this.spindle_percent - 10);
        break;
      case Byte.spindleSlightlyMore:
        this.spindle_percent = within(this.spindle_percent + 1);
        break;
      case Byte.spindleSlightlyLess:
        this.spindle_percent = within(this.spindle_percent - 1);
        break;
      default:
        return false;
    }
    return this.text() !== before;
  }

  text(): string {
    return `${this.feed_percent},${this.rapid_percent},${this.spindle_percent}`;
  }
}
