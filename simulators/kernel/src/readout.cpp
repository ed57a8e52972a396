#include "readout.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define CAUSTIC_X86
#endif

namespace caustic {
namespace {

/** Pixels at a time: their deviates stay in the fastest memory. */
constexpr int64_t STRETCH = 1024;

namespace plain {
#define LOOP_TARGET
#include "readout-loop.inc"
#undef LOOP_TARGET
}  // namespace plain

#ifdef CAUSTIC_X86
namespace avx2 {
#define LOOP_TARGET __attribute__((target("avx2")))
#include "readout-loop.inc"
#undef LOOP_TARGET
}  // namespace avx2

namespace avx512 {
#define LOOP_TARGET __attribute__((target("arch=x86-64-v4")))
#include "readout-loop.inc"
#undef LOOP_TARGET
}  // namespace avx512
#endif

using Stretch = void (*)(const Readout&, const Layers&, int64_t, int64_t, uint16_t*, uint8_t*);

Stretch fastest() {
#ifdef CAUSTIC_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return avx512::stretch;
  if (__builtin_cpu_supports("avx2")) return avx2::stretch;
#endif
  return plain::stretch;
}

/** Relative distance from the bell below which a draw is left open: far more than exponentials of any library differ by. */
constexpr double CLOSE = 1e-12;

/** 32 random bits of a further draw, as `uniformAt` in ziggurat.ts takes them. */
uint32_t further_bits(const Readout& readout, uint32_t index, uint32_t draw) {
  uint32_t bits = index + (readout.first ^ 0x5bd1e995u);
  bits = (bits ^ (bits >> 16)) * 0x21f0aaadu;
  bits = (bits ^ (bits >> 15)) + readout.second + draw * 0x9e3779b9u;
  bits = (bits ^ (bits >> 16)) * 0xd35a2d97u;
  return bits ^ (bits >> 15);
}

uint32_t first_bits(const Readout& readout, uint32_t index) {
  uint32_t bits = index + readout.first;
  bits = (bits ^ (bits >> 16)) * 0x21f0aaadu;
  bits = (bits ^ (bits >> 15)) + readout.second;
  bits = (bits ^ (bits >> 16)) * 0xd35a2d97u;
  return bits ^ (bits >> 15);
}

/** The deviate of a pixel whose first draw lies outside its layer's rectangle; false where it is left open. */
bool deviate_outside(const Readout& readout, const Layers& layers, uint32_t index, double& deviate) {
  uint32_t bits = first_bits(readout, index);
  for (uint32_t draw = 1;; draw += 2) {
    const uint32_t layer = bits & 255u;
    const int32_t steps = static_cast<int32_t>(bits) >> 8;
    const double x = static_cast<double>(steps) * layers.steps[layer];
    if ((steps ^ (steps >> 31)) < layers.limits[layer]) {
      deviate = x;
      return true;
    }
    if (layer == 0) return false;
    const double floor = layers.heights[layer];
    const double uniform = (static_cast<double>(further_bits(readout, index, draw)) + 0.5) / 4294967296.0;
    const double height = floor + uniform * (layers.heights[layer + 1] - floor);
    const double bell = std::exp(-0.5 * x * x);
    if (std::abs(height - bell) <= CLOSE * bell) return false;
    if (height < bell) {
      deviate = x;
      return true;
    }
    bits = further_bits(readout, index, draw + 1);
  }
}

/** The counts of one pixel, rounded as the loops over stretches do. */
uint16_t counts_of(const Readout& readout, int64_t index, double deviate) {
  const double signal = readout.light == nullptr ? 0 : static_cast<double>(readout.light[index]) * readout.exposure_ms;
  const double sigma = std::sqrt(readout.even_variance + signal * readout.variance_per_count);
  double counts = readout.floor_counts + signal + deviate * sigma;
  counts = counts > 0 ? counts : 0;
  counts = counts < readout.top_counts ? counts : readout.top_counts;
  return static_cast<uint16_t>(static_cast<int32_t>(counts));
}

}  // namespace

int64_t read_out(const Readout& readout, const Layers& layers, uint16_t* samples, int64_t pixels, uint32_t* open,
                 int64_t room) {
  static const Stretch run = fastest();
  uint8_t outside[STRETCH];
  int64_t found = 0;
  for (int64_t from = 0; from < pixels; from += STRETCH) {
    const int64_t count = std::min(STRETCH, pixels - from);
    Readout here = readout;
    if (readout.light != nullptr) here.light = readout.light + from;
    run(here, layers, from, count, samples + from, outside);
    // One pixel in seventy: eight are passed over at a time.
    for (int64_t i = 0; i < count; i++) {
      if (i % 8 == 0) {
        uint64_t eight;
        for (; i + 8 <= count; i += 8) {
          std::memcpy(&eight, outside + i, 8);
          if (eight != 0) break;
        }
        if (i == count) break;
      }
      if (outside[i] == 0) continue;
      double deviate;
      if (deviate_outside(readout, layers, static_cast<uint32_t>(from + i), deviate)) {
        samples[from + i] = counts_of(readout, from + i, deviate);
        continue;
      }
      if (found == room) return -1;
      open[found++] = static_cast<uint32_t>(from + i);
    }
  }
  return found;
}

}  // namespace caustic
