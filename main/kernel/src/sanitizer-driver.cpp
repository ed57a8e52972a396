// Runs the loops over frames of many sizes, each in a buffer that ends exactly where the frame ends, so that a sanitizer sees a
// step beside it. Prints one digest per instruction set; all are to be the same.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "moments.hpp"

namespace {

uint64_t digest = 0;

void mix(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  digest = (digest ^ bits) * 0x9e3779b97f4a7c15u;
  digest ^= digest >> 29;
}

uint32_t state = 1;
uint32_t next() { return state = state * 1664525u + 1013904223u; }

template <typename Dark>
void run(int64_t width, int64_t height, caustic::DarkKind kind, bool full) {
  const size_t pixels = static_cast<size_t>(width * height);
  std::vector<uint16_t> samples(pixels);
  for (auto& sample : samples) sample = full ? 65535 : static_cast<uint16_t>(next() >> 16);
  std::vector<Dark> dark(pixels);
  for (auto& level : dark) level = static_cast<Dark>(next() / 65536.0);
  const caustic::FrameView frame = {samples.data(), width, height, kind,
                                    kind == caustic::DarkKind::none ? nullptr : dark.data(), 65535};
  for (const int64_t block : {1, 3, 16, 5000}) {
    std::vector<double> sums(static_cast<size_t>(((width + block - 1) / block) * ((height + block - 1) / block)));
    const caustic::Survey s = caustic::survey(frame, block, sums.data());
    for (const double sum : sums) mix(sum);
    mix(s.total);
    mix(s.brightest);
    mix(s.saturated);
  }
  std::vector<double> spans(static_cast<size_t>(3 * height));
  for (const double inset : {0.0, 0.3, 1.7}) {
    for (int64_t k = 0; k < height; k++) {
      const double left = -0.5 + inset;
      const double right = static_cast<double>(width) - 0.5 - inset;
      double* span = spans.data() + 3 * k;
      span[0] = left;
      span[1] = right;
      span[2] = right > left ? 0.75 : 0;
    }
    const caustic::Moments m =
        caustic::moments(frame, 0, height, spans.data(), std::floor(static_cast<double>(width) / 3), 0);
    for (const double sum : {m.area, m.s0, m.sx, m.sy, m.sxx, m.sxy, m.syy, m.saturated}) mix(sum);
  }
}

void run_counting(int64_t width, int64_t height) {
  const size_t pixels = static_cast<size_t>(width * height);
  std::vector<uint16_t> samples(pixels);
  for (auto& sample : samples) sample = static_cast<uint16_t>(next() >> 16);
  std::vector<uint32_t> fourfold(4 * 65536);
  const int64_t bins = caustic::histogram(samples.data(), width * height, fourfold.data());
  for (int64_t bin = 0; bin < bins; bin++) mix(fourfold[static_cast<size_t>(bin)]);
  for (const size_t room : {size_t{0}, pixels / 3, pixels}) {
    std::vector<uint32_t> indices(room);
    const int64_t found = caustic::pixels_from(samples.data(), width * height, 30000, indices.data(), static_cast<int64_t>(room));
    mix(static_cast<double>(found));
    for (const uint32_t index : indices) mix(index);
  }
  for (const int64_t reduction : {1, 2, 3, 8}) {
    const caustic::Region region = {width / 4, height / 3, width - width / 4, height - height / 3};
    std::vector<uint16_t> reduced(static_cast<size_t>(((region.width + reduction - 1) / reduction) *
                                                      ((region.height + reduction - 1) / reduction)));
    caustic::reduce(samples.data(), width, region, reduction, reduced.data());
    for (const uint16_t largest : reduced) mix(largest);
  }
}

}  // namespace

int main() {
  for (const char* set : {"plain", "avx2", "avx512"}) {
    if (!caustic::use_instruction_set(set)) continue;
    digest = 0;
    state = 1;
    for (int64_t width = 1; width < 70; width++) {
      run<float>(width, 3, caustic::DarkKind::none, false);
      run<float>(width, 3, caustic::DarkKind::float32, false);
      run<double>(width, 3, caustic::DarkKind::float64, false);
    }
    for (int64_t width = 1; width < 200; width += 13) run_counting(width, 7);
    run<float>(4200, 2, caustic::DarkKind::none, true);
    run<float>(1, 70000, caustic::DarkKind::none, true);
    std::printf("%s %016llx\n", set, static_cast<unsigned long long>(digest));
  }
  return 0;
}
