#include "camera.hpp"

#include <set>
#include <vector>

namespace caustic {
namespace {

/** Aravis keeps one list of devices for the process. */
std::mutex list_mutex;

/** Cameras that are open, so that none is left with a running thread when the process ends. */
std::mutex open_mutex;
std::set<Camera*> open_cameras;

struct Listed {
  std::string id, physical_id, vendor, model, serial, address, protocol;
};

}  // namespace

bool Trouble::report(Outcome& outcome) const {
  if (error_ == nullptr) return false;
  const char* word = "other";
  if (error_->domain == ARV_DEVICE_ERROR) {
    switch (error_->code) {
      case ARV_DEVICE_ERROR_NOT_FOUND: word = "not_found"; break;
      case ARV_DEVICE_ERROR_NOT_CONNECTED: word = "not_connected"; break;
      case ARV_DEVICE_ERROR_TIMEOUT: word = "timeout"; break;
      case ARV_DEVICE_ERROR_TRANSFER_ERROR: word = "transfer"; break;
      case ARV_DEVICE_ERROR_NOT_CONTROLLER:
      case ARV_DEVICE_ERROR_PROTOCOL_ERROR_ACCESS_DENIED:
      case ARV_DEVICE_ERROR_PROTOCOL_ERROR_BUSY: word = "not_controller"; break;
      case ARV_DEVICE_ERROR_GENICAM_NOT_FOUND: word = "no_genicam"; break;
      default: word = "refused";
    }
  } else if (error_->domain == ARV_GC_ERROR) {
    word = "refused";
  }
  outcome.fail(word, error_->message);
  return true;
}

Camera::~Camera() {
  close();
  const std::lock_guard<std::mutex> hold(open_mutex);
  open_cameras.erase(this);
}

void Camera::close() {
  if (camera == nullptr) return;
  if (stream != nullptr) {
    // A camera that is gone cannot be told to stop.
    arv_camera_stop_acquisition(camera, nullptr);
    g_clear_object(&stream);
  }
  g_signal_handlers_disconnect_by_data(arv_camera_get_device(camera), this);
  g_clear_object(&camera);
}

bool Camera::usable(Outcome& outcome) const {
  if (camera != nullptr) return true;
  outcome.fail("closed", "the camera has been closed");
  return false;
}

napi_value list_cameras(napi_env env, napi_callback_info) {
  return run_task(env, "listCameras", [](Outcome& outcome) {
    auto found = std::make_shared<std::vector<Listed>>();
    {
      const std::lock_guard<std::mutex> hold(list_mutex);
      arv_update_device_list();
      const unsigned count = arv_get_n_devices();
      for (unsigned index = 0; index < count; index++) {
        found->push_back({text_or_empty(arv_get_device_id(index)), text_or_empty(arv_get_device_physical_id(index)),
                          text_or_empty(arv_get_device_vendor(index)), text_or_empty(arv_get_device_model(index)),
                          text_or_empty(arv_get_device_serial_nbr(index)), text_or_empty(arv_get_device_address(index)),
                          text_or_empty(arv_get_device_protocol(index))});
      }
    }
    outcome.result = [found](napi_env done) {
      napi_value list;
      napi_create_array_with_length(done, found->size(), &list);
      for (size_t index = 0; index < found->size(); index++) {
        const Listed& one = (*found)[index];
        napi_value entry;
        napi_create_object(done, &entry);
        put(done, entry, "id", to_js(done, one.id));
        put(done, entry, "physicalId", to_js(done, one.physical_id));
        put(done, entry, "vendor", to_js(done, one.vendor));
        put(done, entry, "model", to_js(done, one.model));
        put(done, entry, "serial", to_js(done, one.serial));
        put(done, entry, "address", to_js(done, one.address));
        put(done, entry, "protocol", to_js(done, one.protocol));
        napi_set_element(done, list, static_cast<uint32_t>(index), entry);
      }
      return list;
    };
  });
}

napi_value open_camera(napi_env env, napi_callback_info info) {
  const std::string id = Arguments(env, info).text(0);
  static std::once_flag once;
  std::call_once(once, [env] {
    napi_add_env_cleanup_hook(
        env,
        [](void*) {
          const std::lock_guard<std::mutex> hold(open_mutex);
          for (Camera* camera : open_cameras) {
            const std::lock_guard<std::mutex> hold_camera(camera->mutex);
            camera->close();
          }
        },
        nullptr);
  });
  return run_task(env, "openCamera", [id](Outcome& outcome) {
    Trouble trouble;
    auto camera = std::make_shared<Camera>();
    {
      const std::lock_guard<std::mutex> hold(list_mutex);
      camera->camera = arv_camera_new(id.c_str(), trouble.slot());
    }
    if (trouble.report(outcome)) return;
    if (camera->camera == nullptr) return outcome.fail("not_found", "there is no camera " + id);
    ArvDevice* device = arv_camera_get_device(camera->camera);
    if (ARV_IS_GV_DEVICE(device) && !arv_gv_device_is_controller(ARV_GV_DEVICE(device))) {
      return outcome.fail("not_controller", "another program controls the camera");
    }
    // What is read back must come from the camera itself.
    arv_device_set_register_cache_policy(device, ARV_REGISTER_CACHE_POLICY_DISABLE);
    arv_device_set_range_check_policy(device, ARV_RANGE_CHECK_POLICY_ENABLE);
    g_signal_connect(device, "control-lost",
                     G_CALLBACK(+[](ArvDevice*, gpointer data) { static_cast<Camera*>(data)->control_lost = true; }),
                     camera.get());
    {
      const std::lock_guard<std::mutex> hold(open_mutex);
      open_cameras.insert(camera.get());
    }
    outcome.result = [camera](napi_env done) { return hand_out(done, camera); };
  });
}

napi_value close_camera(napi_env env, napi_callback_info info) {
  auto camera = handed_in<Camera>(env, Arguments(env, info).of(0));
  return run_task(env, "closeCamera", [camera](Outcome&) {
    if (camera == nullptr) return;
    const std::lock_guard<std::mutex> hold(camera->mutex);
    camera->close();
  });
}

napi_value control_lost(napi_env env, napi_callback_info info) {
  auto camera = handed_in<Camera>(env, Arguments(env, info).of(0));
  return to_js(env, camera != nullptr && camera->control_lost.load());
}

napi_value enable_fake_interface(napi_env env, napi_callback_info info) {
  bool enable = false;
  napi_get_value_bool(env, Arguments(env, info).of(0), &enable);
  const std::lock_guard<std::mutex> hold(list_mutex);
  if (enable) {
    arv_enable_interface("Fake");
  } else {
    arv_disable_interface("Fake");
  }
  return nothing(env);
}

}  // namespace caustic
