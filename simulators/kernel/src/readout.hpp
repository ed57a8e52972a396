#pragma once

#include <cstdint>

namespace caustic {

/** One readout of a sensor; simulators/world/exposure.ts says what each number means. */
struct Readout {
  /** Counts per ms of each pixel; null where no light of the beam falls. */
  const float* light;
  double exposure_ms;
  double floor_counts;
  double even_variance;
  double variance_per_count;
  double top_counts;
  uint32_t first;
  uint32_t second;
};

/** The 256 layers of the ziggurat (simulators/world/ziggurat.ts). */
struct Layers {
  const int32_t* limits;
  const double* steps;
  /** Of the bell at the 257 edges. */
  const double* heights;
};

/**
 * Fills `samples`, and lists in `open` the pixels whose draw ends in the tail, or so close to the bell that one library's exponential
 * might decide otherwise than another's: their samples are of no meaning. Returns how many there are, or -1 when `open` has no room for
 * them.
 */
int64_t read_out(const Readout& readout, const Layers& layers, uint16_t* samples, int64_t pixels, uint32_t* open,
                 int64_t room);

}  // namespace caustic
