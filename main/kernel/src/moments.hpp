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

/** The instruction set whose loops run: "avx512", "avx2" or "plain". */
const char* instruction_set();

/** Makes the loops of another instruction set run; false where the machine or the build does not have it. */
bool use_instruction_set(const char* name);

}  // namespace caustic
