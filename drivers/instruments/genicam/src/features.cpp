#include <cmath>
#include <vector>

#include "camera.hpp"

namespace caustic {
namespace {

struct Feature {
  bool there = false;
  std::string kind, text;
  double number = 0, least = NAN, most = NAN, step = NAN;
  bool truth = false;
  bool writable = false;
  std::vector<std::string> entries;
};

void read_entries(ArvDevice* device, const char* name, Feature& feature) {
  Trouble trouble;
  guint count = 0;
  const char** entries = arv_device_dup_available_enumeration_feature_values_as_strings(device, name, &count, trouble.slot());
  for (guint index = 0; entries != nullptr && index < count; index++) feature.entries.emplace_back(entries[index]);
  g_free(entries);
}

/** Bounds and step are absent where the camera does not tell them. */
void read_bounds(ArvDevice* device, const char* name, Feature& feature) {
  Trouble trouble;
  if (feature.kind == "integer") {
    gint64 least = 0;
    gint64 most = 0;
    arv_device_get_integer_feature_bounds(device, name, &least, &most, trouble.slot());
    if (!trouble) {
      feature.least = static_cast<double>(least);
      feature.most = static_cast<double>(most);
    }
    const gint64 step = arv_device_get_integer_feature_increment(device, name, trouble.slot());
    if (!trouble) feature.step = static_cast<double>(step);
  } else {
    arv_device_get_float_feature_bounds(device, name, &feature.least, &feature.most, trouble.slot());
    if (trouble) feature.least = feature.most = NAN;
    const double step = arv_device_get_float_feature_increment(device, name, trouble.slot());
    // Aravis gives the smallest double where there is no increment.
    if (!trouble && step > 1e-300) feature.step = step;
  }
}

void read(ArvDevice* device, const char* name, Feature& feature, Outcome& outcome) {
  ArvGcNode* node = arv_device_get_feature(device, name);
  if (node == nullptr || !ARV_IS_GC_FEATURE_NODE(node)) return;
  Trouble trouble;
  const bool available = arv_device_is_feature_available(device, name, trouble.slot());
  if (trouble.report(outcome) || !available) return;
  feature.there = true;
  const ArvGcAccessMode access = arv_device_get_feature_access_mode(device, name);
  feature.writable = access != ARV_GC_ACCESS_MODE_RO;
  if (ARV_IS_GC_COMMAND(node)) {
    feature.kind = "command";
    return;
  }
  if (ARV_IS_GC_ENUMERATION(node)) {
    feature.kind = "enumeration";
    feature.text = text_or_empty(arv_device_get_string_feature_value(device, name, trouble.slot()));
    if (!trouble) read_entries(device, name, feature);
  } else if (ARV_IS_GC_BOOLEAN(node)) {
    feature.kind = "boolean";
    feature.truth = arv_device_get_boolean_feature_value(device, name, trouble.slot());
  } else if (ARV_IS_GC_STRING(node)) {
    feature.kind = "string";
    feature.text = text_or_empty(arv_device_get_string_feature_value(device, name, trouble.slot()));
  } else if (ARV_IS_GC_FLOAT(node)) {
    feature.kind = "float";
    feature.number = arv_device_get_float_feature_value(device, name, trouble.slot());
  } else if (ARV_IS_GC_INTEGER(node)) {
    feature.kind = "integer";
    feature.number = static_cast<double>(arv_device_get_integer_feature_value(device, name, trouble.slot()));
  } else {
    feature.there = false;
    return;
  }
  // What can only be written has no value to show.
  if (trouble && access == ARV_GC_ACCESS_MODE_WO) return;
  if (trouble.report(outcome)) return;
  if (feature.kind == "integer" || feature.kind == "float") read_bounds(device, name, feature);
}

void put_number(napi_env env, napi_value object, const char* name, double number) {
  if (!std::isnan(number)) put(env, object, name, to_js(env, number));
}

napi_value feature_to_js(napi_env env, const Feature& feature) {
  if (!feature.there) return nothing(env);
  napi_value object;
  napi_create_object(env, &object);
  put(env, object, "kind", to_js(env, feature.kind));
  put(env, object, "writable", to_js(env, feature.writable));
  if (feature.kind == "boolean") {
    put(env, object, "value", to_js(env, feature.truth));
  } else if (feature.kind == "integer" || feature.kind == "float") {
    put(env, object, "value", to_js(env, feature.number));
    put_number(env, object, "least", feature.least);
    put_number(env, object, "most", feature.most);
    put_number(env, object, "step", feature.step);
  } else if (feature.kind != "command") {
    put(env, object, "value", to_js(env, feature.text));
  }
  if (feature.kind == "enumeration") {
    napi_value list;
    napi_create_array_with_length(env, feature.entries.size(), &list);
    for (size_t index = 0; index < feature.entries.size(); index++) {
      napi_set_element(env, list, static_cast<uint32_t>(index), to_js(env, feature.entries[index]));
    }
    put(env, object, "entries", list);
  }
  return object;
}

/** The quantities that makers name in several ways and Aravis in one. */
struct Quantity {
  const char* name;
  gboolean (*available)(ArvCamera*, GError**);
  double (*get)(ArvCamera*, GError**);
  void (*bounds)(ArvCamera*, double*, double*, GError**);
  void (*set)(ArvCamera*, double, GError**);
};

const Quantity QUANTITIES[] = {
    {"exposure", arv_camera_is_exposure_time_available, arv_camera_get_exposure_time, arv_camera_get_exposure_time_bounds,
     arv_camera_set_exposure_time},
    {"gain", arv_camera_is_gain_available, arv_camera_get_gain, arv_camera_get_gain_bounds, arv_camera_set_gain},
    {"blackLevel", arv_camera_is_black_level_available, arv_camera_get_black_level, arv_camera_get_black_level_bounds,
     arv_camera_set_black_level},
    {"frameRate", arv_camera_is_frame_rate_available, arv_camera_get_frame_rate, arv_camera_get_frame_rate_bounds,
     arv_camera_set_frame_rate},
};

const Quantity* quantity_named(const std::string& name) {
  for (const Quantity& quantity : QUANTITIES) {
    if (name == quantity.name) return &quantity;
  }
  return nullptr;
}

}  // namespace

napi_value read_feature(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const std::string name = arguments.text(1);
  return run_task(env, "readFeature", [camera, name](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (!camera->usable(outcome)) return;
    Feature feature;
    read(arv_camera_get_device(camera->camera), name.c_str(), feature, outcome);
    outcome.result = [feature](napi_env done) { return feature_to_js(done, feature); };
  });
}

napi_value write_feature(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const std::string name = arguments.text(1);
  const napi_valuetype type = arguments.type(2);
  const std::string text = type == napi_string ? arguments.text(2) : "";
  const double number = type == napi_number ? arguments.number(2) : 0;
  bool truth = false;
  if (type == napi_boolean) napi_get_value_bool(env, arguments.of(2), &truth);
  return run_task(env, "writeFeature", [=](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (!camera->usable(outcome)) return;
    ArvDevice* device = arv_camera_get_device(camera->camera);
    Trouble trouble;
    if (type == napi_boolean) {
      arv_device_set_boolean_feature_value(device, name.c_str(), truth, trouble.slot());
    } else if (type == napi_string) {
      arv_device_set_string_feature_value(device, name.c_str(), text.c_str(), trouble.slot());
    } else if (ARV_IS_GC_FLOAT(arv_device_get_feature(device, name.c_str()))) {
      arv_device_set_float_feature_value(device, name.c_str(), number, trouble.slot());
    } else {
      arv_device_set_integer_feature_value(device, name.c_str(), static_cast<gint64>(number), trouble.slot());
    }
    trouble.report(outcome);
  });
}

napi_value execute_feature(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const std::string name = arguments.text(1);
  return run_task(env, "executeFeature", [camera, name](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (!camera->usable(outcome)) return;
    Trouble trouble;
    arv_device_execute_command(arv_camera_get_device(camera->camera), name.c_str(), trouble.slot());
    trouble.report(outcome);
  });
}

napi_value read_quantity(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const Quantity* quantity = quantity_named(arguments.text(1));
  return run_task(env, "readQuantity", [camera, quantity](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (quantity == nullptr || !camera->usable(outcome)) return;
    Feature feature;
    Trouble trouble;
    const bool available = quantity->available(camera->camera, trouble.slot());
    if (trouble.report(outcome) || !available) return;
    feature.there = feature.writable = true;
    feature.kind = "float";
    feature.number = quantity->get(camera->camera, trouble.slot());
    if (trouble.report(outcome)) return;
    quantity->bounds(camera->camera, &feature.least, &feature.most, trouble.slot());
    if (trouble) feature.least = feature.most = NAN;
    outcome.result = [feature](napi_env done) { return feature_to_js(done, feature); };
  });
}

napi_value write_quantity(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const Quantity* quantity = quantity_named(arguments.text(1));
  const double value = arguments.number(2);
  return run_task(env, "writeQuantity", [camera, quantity, value](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (quantity == nullptr || !camera->usable(outcome)) return;
    Trouble trouble;
    quantity->set(camera->camera, value, trouble.slot());
    trouble.report(outcome);
  });
}

}  // namespace caustic
