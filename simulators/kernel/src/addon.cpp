#include <node_api.h>

#include "readout.hpp"

// The binding: typed arrays as they lie, every length checked, nothing copied.
namespace {

struct Array {
  napi_typedarray_type type;
  size_t length;
  void* data;
};

bool fail(napi_env env, const char* message) {
  napi_throw_range_error(env, "ERR_READOUT_ARGUMENT", message);
  return false;
}

bool array(napi_env env, napi_value value, napi_typedarray_type type, size_t least, Array& result) {
  bool is_array = false;
  napi_is_typedarray(env, value, &is_array);
  if (!is_array) return fail(env, "expected a typed array");
  napi_get_typedarray_info(env, value, &result.type, &result.length, &result.data, nullptr, nullptr);
  return result.type == type && result.length >= least ? true : fail(env, "expected a typed array of another type or length");
}

/** readOut(samples, light | undefined, numbers[7], limits[256], steps[256], heights[257], open) → how many are open, -1 without room */
napi_value read_out(napi_env env, napi_callback_info info) {
  napi_value values[7];
  size_t count = 7;
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  if (count < 7) return fail(env, "expected seven arguments"), nullptr;
  Array samples, light{}, numbers, limits, steps, heights, open;
  if (!array(env, values[0], napi_uint16_array, 1, samples)) return nullptr;
  napi_valuetype type;
  napi_typeof(env, values[1], &type);
  if (type != napi_undefined && !array(env, values[1], napi_float32_array, samples.length, light)) return nullptr;
  if (!array(env, values[2], napi_float64_array, 7, numbers) || !array(env, values[3], napi_int32_array, 256, limits) ||
      !array(env, values[4], napi_float64_array, 256, steps) || !array(env, values[5], napi_float64_array, 257, heights) ||
      !array(env, values[6], napi_uint32_array, 1, open))
    return nullptr;
  const double* n = static_cast<const double*>(numbers.data);
  const caustic::Readout readout = {
      static_cast<const float*>(light.data),        n[0], n[1], n[2], n[3], n[4],
      static_cast<uint32_t>(static_cast<int64_t>(n[5])), static_cast<uint32_t>(static_cast<int64_t>(n[6])),
  };
  const caustic::Layers layers = {static_cast<const int32_t*>(limits.data), static_cast<const double*>(steps.data),
                                  static_cast<const double*>(heights.data)};
  const int64_t found = caustic::read_out(readout, layers, static_cast<uint16_t*>(samples.data),
                                          static_cast<int64_t>(samples.length), static_cast<uint32_t*>(open.data),
                                          static_cast<int64_t>(open.length));
  napi_value result;
  napi_create_int64(env, found, &result);
  return result;
}

}  // namespace

NAPI_MODULE_INIT() {
  const napi_property_descriptor functions[] = {
      {"readOut", nullptr, read_out, nullptr, nullptr, nullptr, napi_enumerable, nullptr},
  };
  napi_define_properties(env, exports, 1, functions);
  return exports;
}
