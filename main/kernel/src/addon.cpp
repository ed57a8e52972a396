#include <node_api.h>

#include <cmath>

#include "moments.hpp"

// The binding: takes typed arrays as they lie (views of shared memory too), checks every length and bound, copies nothing.
namespace {

using caustic::DarkKind;
using caustic::FrameView;

struct Array {
  napi_typedarray_type type;
  size_t length;
  void* data;
};

bool fail(napi_env env, const char* message) {
  napi_throw_range_error(env, "ERR_KERNEL_ARGUMENT", message);
  return false;
}

bool number(napi_env env, napi_value value, double& result) {
  return napi_get_value_double(env, value, &result) == napi_ok ? true : fail(env, "expected a number");
}

bool whole(napi_env env, napi_value value, double least, int64_t& result) {
  double given;
  if (!number(env, value, given)) return false;
  if (!(given >= least && given <= 1e9) || given != std::floor(given)) return fail(env, "expected a whole number in range");
  result = static_cast<int64_t>(given);
  return true;
}

bool array(napi_env env, napi_value value, Array& result) {
  bool is_array = false;
  napi_is_typedarray(env, value, &is_array);
  if (!is_array) return fail(env, "expected a typed array");
  napi_get_typedarray_info(env, value, &result.type, &result.length, &result.data, nullptr, nullptr);
  return true;
}

bool doubles(napi_env env, napi_value value, size_t least, Array& result) {
  if (!array(env, value, result)) return false;
  if (result.type != napi_float64_array || result.length < least) return fail(env, "expected a longer Float64Array");
  return true;
}

/** samples, width, height, dark or undefined, saturation. */
bool frame_view(napi_env env, const napi_value* arguments, FrameView& frame) {
  Array samples;
  if (!array(env, arguments[0], samples) || !whole(env, arguments[1], 1, frame.width) ||
      !whole(env, arguments[2], 1, frame.height) || !number(env, arguments[4], frame.saturation))
    return false;
  const size_t pixels = static_cast<size_t>(frame.width) * static_cast<size_t>(frame.height);
  if (samples.type != napi_uint16_array || samples.length < pixels) return fail(env, "expected a Uint16Array of all pixels");
  frame.samples = static_cast<const uint16_t*>(samples.data);
  frame.dark_kind = DarkKind::none;
  frame.dark = nullptr;
  napi_valuetype type;
  napi_typeof(env, arguments[3], &type);
  if (type == napi_undefined) return true;
  Array dark;
  if (!array(env, arguments[3], dark)) return false;
  if (dark.type == napi_float32_array) frame.dark_kind = DarkKind::float32;
  else if (dark.type == napi_float64_array) frame.dark_kind = DarkKind::float64;
  else return fail(env, "expected a dark of floats");
  if (dark.length < pixels) return fail(env, "expected a dark of all pixels");
  frame.dark = dark.data;
  return true;
}

bool arguments_of(napi_env env, napi_callback_info info, size_t expected, napi_value* values) {
  size_t count = expected;
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  return count >= expected ? true : fail(env, "expected more arguments");
}

/** moments(samples, width, height, dark, saturation, firstRow, spans, originX, originY, result[8]) */
napi_value moments(napi_env env, napi_callback_info info) {
  napi_value values[10];
  FrameView frame;
  int64_t first_row, origin_x, origin_y;
  Array spans, result;
  if (!arguments_of(env, info, 10, values) || !frame_view(env, values, frame) || !whole(env, values[5], 0, first_row) ||
      !doubles(env, values[6], 0, spans) || !whole(env, values[7], 0, origin_x) || !whole(env, values[8], 0, origin_y) ||
      !doubles(env, values[9], 8, result))
    return nullptr;
  const double* rows = static_cast<const double*>(spans.data);
  const int64_t row_count = static_cast<int64_t>(spans.length / 3);
  if (first_row + row_count > frame.height) return fail(env, "expected rows on the sensor"), nullptr;
  for (int64_t k = 0; k < row_count; k++) {
    if (rows[3 * k + 2] == 0) continue;
    const bool inside = rows[3 * k] >= -0.5 && rows[3 * k + 1] > rows[3 * k] &&
                        rows[3 * k + 1] <= static_cast<double>(frame.width) - 0.5;
    if (!inside) return fail(env, "expected spans on the sensor"), nullptr;
  }
  const caustic::Moments m = caustic::moments(frame, first_row, row_count, rows, static_cast<double>(origin_x),
                                              static_cast<double>(origin_y));
  double* out = static_cast<double*>(result.data);
  const double sums[8] = {m.area, m.s0, m.sx, m.sy, m.sxx, m.sxy, m.syy, m.saturated};
  for (int i = 0; i < 8; i++) out[i] = sums[i];
  return nullptr;
}

/** survey(samples, width, height, dark, saturation, block, blockSums, result[4]) */
napi_value survey(napi_env env, napi_callback_info info) {
  napi_value values[8];
  FrameView frame;
  int64_t block;
  Array sums, result;
  if (!arguments_of(env, info, 8, values) || !frame_view(env, values, frame) || !whole(env, values[5], 1, block)) return nullptr;
  const int64_t blocks = ((frame.width + block - 1) / block) * ((frame.height + block - 1) / block);
  if (!doubles(env, values[6], static_cast<size_t>(blocks), sums) || !doubles(env, values[7], 4, result)) return nullptr;
  const caustic::Survey s = caustic::survey(frame, block, static_cast<double*>(sums.data));
  double* out = static_cast<double*>(result.data);
  out[0] = s.total;
  out[1] = s.brightest;
  out[2] = s.saturated;
  out[3] = s.saturated_square ? 1 : 0;
  return nullptr;
}

/** addCounts(sums, samples) → sum of squares */
napi_value add_counts(napi_env env, napi_callback_info info) {
  napi_value values[2];
  Array sums, samples;
  if (!arguments_of(env, info, 2, values) || !array(env, values[0], sums) || !array(env, values[1], samples)) return nullptr;
  if (sums.type != napi_uint32_array || samples.type != napi_uint16_array || sums.length < samples.length)
    return fail(env, "expected a Uint32Array of sums for a Uint16Array of counts"), nullptr;
  napi_value result;
  napi_create_double(env,
                     caustic::add_counts(static_cast<uint32_t*>(sums.data), static_cast<const uint16_t*>(samples.data),
                                         static_cast<int64_t>(samples.length)),
                     &result);
  return result;
}

/** histogram(samples, fourfold[4 · 65536]) → number of bins */
napi_value histogram(napi_env env, napi_callback_info info) {
  napi_value values[2];
  Array samples, fourfold;
  if (!arguments_of(env, info, 2, values) || !array(env, values[0], samples) || !array(env, values[1], fourfold)) return nullptr;
  if (samples.type != napi_uint16_array || fourfold.type != napi_uint32_array || fourfold.length < 4 * 65536)
    return fail(env, "expected a Uint16Array of counts and a Uint32Array of four histograms"), nullptr;
  napi_value result;
  napi_create_int64(env,
                    caustic::histogram(static_cast<const uint16_t*>(samples.data), static_cast<int64_t>(samples.length),
                                       static_cast<uint32_t*>(fourfold.data)),
                    &result);
  return result;
}

/** pixelsFrom(samples, least, indices) → how many pixels have at least so many counts */
napi_value pixels_from(napi_env env, napi_callback_info info) {
  napi_value values[3];
  Array samples, indices;
  int64_t least;
  if (!arguments_of(env, info, 3, values) || !array(env, values[0], samples) || !whole(env, values[1], 0, least) ||
      !array(env, values[2], indices))
    return nullptr;
  if (samples.type != napi_uint16_array || indices.type != napi_uint32_array || least > 65535)
    return fail(env, "expected a Uint16Array of counts, a count and a Uint32Array of indices"), nullptr;
  napi_value result;
  napi_create_int64(env,
                    caustic::pixels_from(static_cast<const uint16_t*>(samples.data), static_cast<int64_t>(samples.length),
                                         static_cast<uint16_t>(least), static_cast<uint32_t*>(indices.data),
                                         static_cast<int64_t>(indices.length)),
                    &result);
  return result;
}

/** reduce(samples, width, left, top, regionWidth, regionHeight, reduction, reduced) */
napi_value reduce(napi_env env, napi_callback_info info) {
  napi_value values[8];
  Array samples, reduced;
  int64_t width, reduction;
  caustic::Region region;
  if (!arguments_of(env, info, 8, values) || !array(env, values[0], samples) || !whole(env, values[1], 1, width) ||
      !whole(env, values[2], 0, region.left) || !whole(env, values[3], 0, region.top) ||
      !whole(env, values[4], 1, region.width) || !whole(env, values[5], 1, region.height) ||
      !whole(env, values[6], 1, reduction) || !array(env, values[7], reduced))
    return nullptr;
  const int64_t wide = (region.width + reduction - 1) / reduction;
  const int64_t high = (region.height + reduction - 1) / reduction;
  if (samples.type != napi_uint16_array || reduced.type != napi_uint16_array || region.left + region.width > width ||
      (region.top + region.height) * width > static_cast<int64_t>(samples.length) ||
      wide * high > static_cast<int64_t>(reduced.length))
    return fail(env, "expected a region of the sensor and room for its reduced samples"), nullptr;
  caustic::reduce(static_cast<const uint16_t*>(samples.data), width, region, reduction, static_cast<uint16_t*>(reduced.data));
  return nullptr;
}

/** instructionSet() tells which loops run. */
napi_value instruction_set(napi_env env, napi_callback_info) {
  napi_value name;
  napi_create_string_utf8(env, caustic::instruction_set(), NAPI_AUTO_LENGTH, &name);
  return name;
}

/** useInstructionSet(name) makes other loops run, for tests; tells whether this machine has them. */
napi_value use_instruction_set(napi_env env, napi_callback_info info) {
  napi_value value, result;
  char name[16] = {};
  size_t length = 0;
  if (!arguments_of(env, info, 1, &value)) return nullptr;
  if (napi_get_value_string_utf8(env, value, name, sizeof name, &length) != napi_ok) return fail(env, "expected a name"), nullptr;
  napi_get_boolean(env, caustic::use_instruction_set(name), &result);
  return result;
}

}  // namespace

NAPI_MODULE_INIT() {
  const napi_property_descriptor functions[] = {
      {"moments", nullptr, moments, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"survey", nullptr, survey, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"addCounts", nullptr, add_counts, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"histogram", nullptr, histogram, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"pixelsFrom", nullptr, pixels_from, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"reduce", nullptr, reduce, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"instructionSet", nullptr, instruction_set, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
      {"useInstructionSet", nullptr, use_instruction_set, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
  };
  napi_define_properties(env, exports, sizeof functions / sizeof functions[0], functions);
  return exports;
}
