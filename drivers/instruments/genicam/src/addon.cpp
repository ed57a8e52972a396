#include <node_api.h>

#include "camera.hpp"
#include "camera_server.hpp"
#include "task.hpp"

// What JavaScript sees; `native.ts` says what each function does.
namespace caustic {

napi_value run_task(napi_env env, const char* name, std::function<void(Outcome&)> work) {
  struct Task {
    std::function<void(Outcome&)> work;
    Outcome outcome;
    napi_deferred deferred;
    napi_async_work handle;
  };
  auto* task = new Task{std::move(work), {}, nullptr, nullptr};
  napi_value promise;
  napi_create_promise(env, &task->deferred, &promise);
  napi_create_async_work(
      env, nullptr, to_js(env, std::string(name)),
      [](napi_env, void* data) {
        auto* running = static_cast<Task*>(data);
        running->work(running->outcome);
      },
      [](napi_env done_env, napi_status status, void* data) {
        auto* done = static_cast<Task*>(data);
        Outcome& outcome = done->outcome;
        if (status != napi_ok && outcome.failure.empty()) outcome.fail("cancelled", "the process is ending");
        if (outcome.failure.empty()) {
          napi_resolve_deferred(done_env, done->deferred,
                                outcome.result ? outcome.result(done_env) : nothing(done_env));
        } else {
          napi_value error;
          napi_create_error(done_env, to_js(done_env, outcome.failure), to_js(done_env, outcome.message), &error);
          napi_reject_deferred(done_env, done->deferred, error);
        }
        if (outcome.settled) outcome.settled(done_env);
        napi_delete_async_work(done_env, done->handle);
        delete done;
      },
      task, &task->handle);
  napi_queue_async_work(env, task->handle);
  return promise;
}

napi_value to_js(napi_env env, const std::string& text) {
  napi_value value;
  napi_create_string_utf8(env, text.c_str(), text.size(), &value);
  return value;
}

napi_value to_js(napi_env env, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  return value;
}

napi_value to_js(napi_env env, bool truth) {
  napi_value value;
  napi_get_boolean(env, truth, &value);
  return value;
}

napi_value nothing(napi_env env) {
  napi_value value;
  napi_get_undefined(env, &value);
  return value;
}

void put(napi_env env, napi_value object, const char* name, napi_value value) {
  napi_set_named_property(env, object, name, value);
}

Arguments::Arguments(napi_env environment, napi_callback_info info) : env(environment) {
  size_t count = sizeof values / sizeof values[0];
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
}

static std::string text_in(napi_env env, napi_value value) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return "";
  std::string text(length, '\0');
  napi_get_value_string_utf8(env, value, text.data(), length + 1, &length);
  return text;
}

static double number_in(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  return number;
}

std::string Arguments::text(size_t index) const { return text_in(env, values[index]); }
double Arguments::number(size_t index) const { return number_in(env, values[index]); }

napi_valuetype Arguments::type(size_t index) const {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, values[index], &type);
  return type;
}

std::string text_of(napi_env env, napi_value object, const char* name) {
  napi_value value;
  return napi_get_named_property(env, object, name, &value) == napi_ok ? text_in(env, value) : "";
}

double number_of(napi_env env, napi_value object, const char* name) {
  napi_value value;
  return napi_get_named_property(env, object, name, &value) == napi_ok ? number_in(env, value) : 0;
}

}  // namespace caustic

NAPI_MODULE_INIT() {
  using namespace caustic;
  const napi_property_attributes fixed = napi_enumerable;
  const napi_property_descriptor functions[] = {
      {"listCameras", nullptr, list_cameras, nullptr, nullptr, nullptr, fixed, nullptr},
      {"openCamera", nullptr, open_camera, nullptr, nullptr, nullptr, fixed, nullptr},
      {"closeCamera", nullptr, close_camera, nullptr, nullptr, nullptr, fixed, nullptr},
      {"controlLost", nullptr, control_lost, nullptr, nullptr, nullptr, fixed, nullptr},
      {"enableFakeInterface", nullptr, enable_fake_interface, nullptr, nullptr, nullptr, fixed, nullptr},
      {"readFeature", nullptr, read_feature, nullptr, nullptr, nullptr, fixed, nullptr},
      {"writeFeature", nullptr, write_feature, nullptr, nullptr, nullptr, fixed, nullptr},
      {"executeFeature", nullptr, execute_feature, nullptr, nullptr, nullptr, fixed, nullptr},
      {"readQuantity", nullptr, read_quantity, nullptr, nullptr, nullptr, fixed, nullptr},
      {"writeQuantity", nullptr, write_quantity, nullptr, nullptr, nullptr, fixed, nullptr},
      {"startStream", nullptr, start_stream, nullptr, nullptr, nullptr, fixed, nullptr},
      {"stopStream", nullptr, stop_stream, nullptr, nullptr, nullptr, fixed, nullptr},
      {"takeFrame", nullptr, take_frame, nullptr, nullptr, nullptr, fixed, nullptr},
      {"discardFrames", nullptr, discard_frames, nullptr, nullptr, nullptr, fixed, nullptr},
      {"startServer", nullptr, start_server, nullptr, nullptr, nullptr, fixed, nullptr},
      {"stopServer", nullptr, stop_server, nullptr, nullptr, nullptr, fixed, nullptr},
      {"answerFrame", nullptr, answer_frame, nullptr, nullptr, nullptr, fixed, nullptr},
      {"setLostPacketRatio", nullptr, set_lost_packet_ratio, nullptr, nullptr, nullptr, fixed, nullptr},
      {"readRegister", nullptr, read_register, nullptr, nullptr, nullptr, fixed, nullptr},
      {"writeRegister", nullptr, write_register, nullptr, nullptr, nullptr, fixed, nullptr},
  };
  napi_define_properties(env, exports, sizeof functions / sizeof functions[0], functions);
  return exports;
}
