#include "readout.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

int64_t read_out(const Readout& readout, const Layers& layers, uint16_t* samples, int64_t pixels, uint32_t* outside,
                 int64_t room) {
  static const Stretch run = fastest();
  uint8_t flags[STRETCH];
  int64_t found = 0;
  for (int64_t from = 0; from < pixels; from += STRETCH) {
    const int64_t count = std::min(STRETCH, pixels - from);
    if (found + count > room) return -1;
    Readout here = readout;
    if (readout.light != nullptr) here.light = readout.light + from;
    run(here, layers, from, count, samples + from, flags);
    // One store per pixel, kept or overwritten: no branch to be guessed.
    for (int64_t i = 0; i < count; i++) {
      outside[found] = static_cast<uint32_t>(from + i);
      found += flags[i];
    }
  }
  return found;
}

}  // namespace caustic
