#include "moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#if (defined(__GNUC__) && __GNUC__ >= 11) || defined(__clang__)
#define CAUSTIC_VECTORS
#endif
#if defined(CAUSTIC_VECTORS) && defined(__x86_64__) && !defined(CAUSTIC_PLAIN_ONLY)
#define CAUSTIC_X86
#endif
#ifdef CAUSTIC_X86
#include <immintrin.h>
#endif

namespace caustic {
namespace {

/** Σ e, Σ e X and Σ e X² of a stretch of one row, and its largest raw sample. */
struct RowSums {
  double r0, r1, r2;
  uint32_t most;
};

struct Loops {
  RowSums (*sum_counts)(const uint16_t*, int64_t, int64_t);
  RowSums (*sum_differences32)(const uint16_t*, const float*, int64_t, double);
  RowSums (*sum_differences64)(const uint16_t*, const double*, int64_t, double);
  uint16_t (*add_counts)(const uint16_t*, int64_t, uint32_t*);
  uint32_t (*add_differences32)(const uint16_t*, const float*, int64_t, int64_t, double*, double&);
  uint32_t (*add_differences64)(const uint16_t*, const double*, int64_t, int64_t, double*, double&);
  uint64_t (*add_frame)(uint32_t*, const uint16_t*, int64_t);
  uint32_t (*histogram)(const uint16_t*, int64_t, uint32_t*);
  int64_t (*pixels_from)(const uint16_t*, int64_t, uint16_t, uint32_t*, int64_t);
  void (*raise_columns)(const uint16_t*, int64_t, uint16_t*);
};

/** Counts of 16 bits. */
constexpr int64_t BINS = 65536;

// The attribute stands at every function instead of `target_clones`: a vector type is split to what the instruction set has
// before clones are made, so clones would all keep the split of the plain one.
namespace plain {
#define LOOP_TARGET
#define LOOP_BITS 0
#include "moment-loops.inc"
#undef LOOP_TARGET
#undef LOOP_BITS
}  // namespace plain

#ifdef CAUSTIC_X86
namespace avx2 {
#define LOOP_TARGET __attribute__((target("arch=x86-64-v3")))
#define LOOP_BITS 256
#include "moment-loops.inc"
#undef LOOP_TARGET
#undef LOOP_BITS
}  // namespace avx2

namespace avx512 {
#define LOOP_TARGET __attribute__((target("arch=x86-64-v4")))
#define LOOP_BITS 512
#include "moment-loops.inc"
#undef LOOP_TARGET
#undef LOOP_BITS
}  // namespace avx512
#endif

struct Choice {
  const char* name;
  const Loops* loops;
};

bool has(const char* name) {
#ifdef CAUSTIC_X86
  if (std::strcmp(name, "avx512") == 0) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") && has("avx2");
  }
  if (std::strcmp(name, "avx2") == 0) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
  }
#endif
  return std::strcmp(name, "plain") == 0;
}

const Choice CHOICES[] = {
#ifdef CAUSTIC_X86
    {"avx512", &avx512::LOOPS},
    {"avx2", &avx2::LOOPS},
#endif
    {"plain", &plain::LOOPS},
};

Choice best() {
  for (const Choice& choice : CHOICES)
    if (has(choice.name)) return choice;
  return CHOICES[sizeof CHOICES / sizeof CHOICES[0] - 1];
}

Choice& chosen() {
  static Choice choice = best();
  return choice;
}

double dark_at(const FrameView& frame, int64_t index) {
  switch (frame.dark_kind) {
    case DarkKind::float32:
      return static_cast<const float*>(frame.dark)[index];
    case DarkKind::float64:
      return static_cast<const double*>(frame.dark)[index];
    default:
      return 0;
  }
}

/** Rows after which the 32-bit sums of columns are emptied: 65535 · 65536 < 2³². */
constexpr int64_t MOST_ROWS = 65536;

void fold_columns(const uint32_t* columns, int64_t width, int64_t block, double* block_sums) {
  for (int64_t start = 0; start < width; start += block, block_sums++) {
    const int64_t end = std::min(start + block, width);
    uint64_t sum = 0;
    for (int64_t k = start; k < end; k++) sum += columns[k];
    *block_sums += static_cast<double>(sum);
  }
}

void fold_columns(const double* columns, int64_t width, int64_t block, double* block_sums) {
  for (int64_t start = 0; start < width; start += block, block_sums++) {
    const int64_t end = std::min(start + block, width);
    double sum = 0;
    for (int64_t k = start; k < end; k++) sum += columns[k];
    *block_sums = sum;
  }
}

void count_saturated(const FrameView& frame, int64_t row, Survey& result) {
  const uint16_t* samples = frame.samples + row * frame.width;
  const uint16_t* above = row > 0 ? samples - frame.width : nullptr;
  for (int64_t k = 0; k < frame.width; k++) {
    if (samples[k] < frame.saturation) continue;
    result.saturated++;
    if (!result.saturated_square && above != nullptr && k > 0 && samples[k - 1] >= frame.saturation &&
        above[k] >= frame.saturation && above[k - 1] >= frame.saturation)
      result.saturated_square = true;
  }
}

}  // namespace

Moments moments(const FrameView& frame, int64_t first_row, int64_t row_count, const double* spans, double origin_x,
                double origin_y) {
  const Loops& loops = *chosen().loops;
  Moments m = {};
  for (int64_t k = 0; k < row_count; k++) {
    const double left = spans[3 * k];
    const double right = spans[3 * k + 1];
    const double overlap = spans[3 * k + 2];
    if (overlap == 0) continue;
    const int64_t row = first_row + k;
    const int64_t offset = row * frame.width;
    const int64_t first = static_cast<int64_t>(std::floor(left + 0.5));
    const int64_t last = static_cast<int64_t>(std::ceil(right - 0.5));
    RowSums sums = {};
    const int64_t from = offset + first + 1;
    const int64_t n = last - first - 1;
    const double x = static_cast<double>(first + 1) - origin_x;
    if (n >= 1) {
      switch (frame.dark_kind) {
        case DarkKind::none:
          sums = loops.sum_counts(frame.samples + from, n, static_cast<int64_t>(x));
          break;
        case DarkKind::float32:
          sums = loops.sum_differences32(frame.samples + from, static_cast<const float*>(frame.dark) + from, n, x);
          break;
        case DarkKind::float64:
          sums = loops.sum_differences64(frame.samples + from, static_cast<const double*>(frame.dark) + from, n, x);
          break;
      }
    }
    const auto add = [&](int64_t column, double part) {
      const uint16_t counts = frame.samples[offset + column];
      const double at = static_cast<double>(column) - origin_x;
      const double value = part * (counts - dark_at(frame, offset + column));
      const double by_x = value * at;
      sums.r0 += value;
      sums.r1 += by_x;
      sums.r2 += by_x * at;
      sums.most = std::max<uint32_t>(sums.most, counts);
    };
    add(first, std::min(right, static_cast<double>(first) + 0.5) - left);
    if (last > first) add(last, right - (static_cast<double>(last) - 0.5));
    if (sums.most >= frame.saturation) {
      for (int64_t index = offset + first; index <= offset + last; index++)
        if (frame.samples[index] >= frame.saturation) m.saturated++;
    }
    const double y = static_cast<double>(row) - origin_y;
    m.area += overlap * (right - left);
    m.s0 += overlap * sums.r0;
    m.sx += overlap * sums.r1;
    m.sy += overlap * sums.r0 * y;
    m.sxx += overlap * sums.r2;
    m.sxy += overlap * sums.r1 * y;
    m.syy += overlap * sums.r0 * y * y;
  }
  return m;
}

Survey survey(const FrameView& frame, int64_t block, double* block_sums) {
  const Loops& loops = *chosen().loops;
  const int64_t wide = (frame.width + block - 1) / block;
  const int64_t high = (frame.height + block - 1) / block;
  std::fill(block_sums, block_sums + wide * high, 0.0);
  Survey result = {0, -std::numeric_limits<double>::infinity(), 0, false};
  std::vector<uint32_t> counts(frame.dark_kind == DarkKind::none ? frame.width : 0);
  std::vector<double> differences(frame.dark_kind == DarkKind::none ? 0 : frame.width);
  for (int64_t block_row = 0; block_row < high; block_row++) {
    double* sums = block_sums + block_row * wide;
    std::fill(differences.begin(), differences.end(), 0.0);
    const int64_t start = block_row * block;
    const int64_t end = std::min(start + block, frame.height);
    const int64_t offset = start * frame.width;
    uint32_t most = 0;
    switch (frame.dark_kind) {
      case DarkKind::none:
        for (int64_t row = start; row < end; row++) {
          if ((row - start) % MOST_ROWS == 0) {
            if (row > start) fold_columns(counts.data(), frame.width, block, sums);
            std::fill(counts.begin(), counts.end(), 0);
          }
          most = std::max<uint32_t>(most, loops.add_counts(frame.samples + row * frame.width, frame.width, counts.data()));
        }
        if (most > result.brightest) result.brightest = most;
        break;
      case DarkKind::float32:
        most = loops.add_differences32(frame.samples + offset, static_cast<const float*>(frame.dark) + offset, frame.width,
                                       end - start, differences.data(), result.brightest);
        break;
      case DarkKind::float64:
        most = loops.add_differences64(frame.samples + offset, static_cast<const double*>(frame.dark) + offset, frame.width,
                                       end - start, differences.data(), result.brightest);
        break;
    }
    if (most >= frame.saturation)
      for (int64_t row = start; row < end; row++) count_saturated(frame, row, result);
    if (frame.dark_kind == DarkKind::none) fold_columns(counts.data(), frame.width, block, sums);
    else fold_columns(differences.data(), frame.width, block, sums);
  }
  for (int64_t index = 0; index < wide * high; index++) result.total += block_sums[index];
  return result;
}

double add_counts(uint32_t* sums, const uint16_t* samples, int64_t pixels) {
  // Squares of so many pixels add up below 2^53.
  constexpr int64_t SQUARES = int64_t{1} << 20;
  double squares = 0;
  for (int64_t from = 0; from < pixels; from += SQUARES)
    squares += static_cast<double>(chosen().loops->add_frame(sums + from, samples + from, std::min(SQUARES, pixels - from)));
  return squares;
}

int64_t histogram(const uint16_t* samples, int64_t pixels, uint32_t* fourfold) {
  const uint32_t bits = chosen().loops->histogram(samples, pixels, fourfold);
  int64_t bins = 0;
  // No count is larger than the bits that any of them has.
  for (int64_t value = 0; value <= bits; value++) {
    uint32_t times = fourfold[value];
    for (int64_t part = 1; part < 4; part++) {
      times += fourfold[part * BINS + value];
      fourfold[part * BINS + value] = 0;
    }
    fourfold[value] = times;
    if (times > 0) bins = value + 1;
  }
  return bins;
}

int64_t pixels_from(const uint16_t* samples, int64_t pixels, uint16_t least, uint32_t* indices, int64_t room) {
  return chosen().loops->pixels_from(samples, pixels, least, indices, room);
}

void reduce(const uint16_t* samples, int64_t width, const Region& region, int64_t reduction, uint16_t* reduced) {
  const int64_t wide = (region.width + reduction - 1) / reduction;
  const int64_t bottom = region.top + region.height;
  std::vector<uint16_t> most(static_cast<size_t>(region.width));
  for (int64_t top = region.top; top < bottom; top += reduction, reduced += wide) {
    const uint16_t* row = samples + top * width + region.left;
    if (reduction == 1) {
      std::memcpy(reduced, row, static_cast<size_t>(region.width) * sizeof *row);
      continue;
    }
    std::memcpy(most.data(), row, static_cast<size_t>(region.width) * sizeof *row);
    const int64_t rows = std::min(reduction, bottom - top);
    for (int64_t k = 1; k < rows; k++) chosen().loops->raise_columns(row + k * width, region.width, most.data());
    for (int64_t block = 0, column = 0; block < wide; block++) {
      const int64_t end = std::min(column + reduction, region.width);
      uint16_t largest = 0;
      for (; column < end; column++) largest = std::max(largest, most[static_cast<size_t>(column)]);
      reduced[block] = largest;
    }
  }
}

const char* instruction_set() { return chosen().name; }

bool use_instruction_set(const char* name) {
  if (!has(name)) return false;
  for (const Choice& choice : CHOICES)
    if (std::strcmp(choice.name, name) == 0) {
      chosen() = choice;
      return true;
    }
  return false;
}

}  // namespace caustic
