#pragma once

#include <cstddef>
#include <cstdint>

// The inner loops of the width analysis; `main/analysis/kernel.ts` says what they compute. The order of every rounded
// addition is that of `typescript-kernel.ts`, so that results are the same to the last bit whichever kernel runs.
namespace caustic {

enum class DarkKind { none, float32, float64 };

struct FrameView {
  const uint16_t* samples;
  int64_t width;
  int64_t height;
  DarkKind dark_kind;
  /** `width * height` floats or doubles; null without a dark. */
  const void* dark;
  double saturation;
};

struct Moments {
  double area, s0, sx, sy, sxx, sxy, syy, saturated;
};

struct Survey {
  double total, brightest, saturated;
  bool saturated_square;
};

/** `spans`: left, right and overlap of `row_count` rows from `first_row`, as `rectangleRows` gives them, within the sensor. */
Moments moments(const FrameView& frame, int64_t first_row, int64_t row_count, const double* spans, double origin_x,
                double origin_y);

/** `block_sums`: one number per block, row-major; set to the sums. */
Survey survey(const FrameView& frame, int64_t block, double* block_sums);

/** Adds the counts of a frame to the sums of its pixels; returns the sum of their squares, rounded as `typescript-kernel.ts` does. */
double add_counts(uint32_t* sums, const uint16_t* samples, int64_t pixels);

/**
 * How often each count occurs. `fourfold`: four times 65536 zeros; the first part becomes the histogram, the rest is zero again. Returns
 * the number of bins up to the largest count that occurs.
 */
int64_t histogram(const uint16_t* samples, int64_t pixels, uint32_t* fourfold);

/** Indices, in their order, of the pixels with at least `least` counts, as far as there is room. Returns how many there are. */
int64_t pixels_from(const uint16_t* samples, int64_t pixels, uint16_t least, uint32_t* indices, int64_t room);

/** Pixels of a sensor, within it. */
struct Region {
  int64_t left, top, width, height;
};

/** The largest count of every `reduction` × `reduction` pixels of a region; blocks at its right and lower edge may be smaller. */
void reduce(const uint16_t* samples, int64_t width, const Region& region, int64_t reduction, uint16_t* reduced);

/** The instruction set whose loops run: "avx512", "avx2" or "plain". */
const char* instruction_set();

/** Makes the loops of another instruction set run; false where the machine or the build does not have it. */
bool use_instruction_set(const char* name);

}  // namespace caustic
