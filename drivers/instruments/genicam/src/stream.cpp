#include <algorithm>
#include <cstring>
#include <map>

#include "camera.hpp"

namespace caustic {
namespace {

/** Where no larger packets are known to pass. */
constexpr gint LOOPBACK_PACKET_bytes = 9000;

const char* status_name(ArvBufferStatus status) {
  switch (status) {
    case ARV_BUFFER_STATUS_SUCCESS: return "success";
    case ARV_BUFFER_STATUS_CLEARED: return "cleared";
    case ARV_BUFFER_STATUS_TIMEOUT: return "timeout";
    case ARV_BUFFER_STATUS_MISSING_PACKETS: return "missing_packets";
    case ARV_BUFFER_STATUS_WRONG_PACKET_ID: return "wrong_packet_id";
    case ARV_BUFFER_STATUS_SIZE_MISMATCH: return "size_mismatch";
    case ARV_BUFFER_STATUS_FILLING: return "filling";
    case ARV_BUFFER_STATUS_ABORTED: return "aborted";
    default: return "unknown";
  }
}

/** True for a camera of this machine, whose packets the kernel's packet socket does not show. */
bool on_loopback(ArvCamera* camera) {
  ArvDevice* device = arv_camera_get_device(camera);
  if (!ARV_IS_GV_DEVICE(device)) return false;
  GSocketAddress* address = arv_gv_device_get_device_address(ARV_GV_DEVICE(device));
  if (!G_IS_INET_SOCKET_ADDRESS(address)) return false;
  return g_inet_address_get_is_loopback(g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address)));
}

/** A buffer on its way to JavaScript; goes back to the stream when it has been copied. */
struct Taken {
  ArvStream* stream;
  ArvBuffer* buffer;

  ~Taken() {
    arv_stream_push_buffer(stream, buffer);
    g_object_unref(stream);
  }
};

napi_value frame_to_js(napi_env env, const Taken& taken) {
  ArvBuffer* buffer = taken.buffer;
  const ArvBufferStatus status = arv_buffer_get_status(buffer);
  napi_value frame;
  napi_create_object(env, &frame);
  put(env, frame, "status", to_js(env, std::string(status_name(status))));
  put(env, frame, "frameId", to_js(env, static_cast<double>(arv_buffer_get_frame_id(buffer))));
  if (status != ARV_BUFFER_STATUS_SUCCESS) return frame;
  const ArvBufferPayloadType payload = arv_buffer_get_payload_type(buffer);
  if (payload != ARV_BUFFER_PAYLOAD_TYPE_IMAGE && payload != ARV_BUFFER_PAYLOAD_TYPE_EXTENDED_CHUNK_DATA) {
    put(env, frame, "status", to_js(env, std::string("payload_not_supported")));
    return frame;
  }
  size_t size = 0;
  const void* data = arv_buffer_get_image_data(buffer, &size);
  put(env, frame, "width", to_js(env, static_cast<double>(arv_buffer_get_image_width(buffer))));
  put(env, frame, "height", to_js(env, static_cast<double>(arv_buffer_get_image_height(buffer))));
  put(env, frame, "pixelFormat", to_js(env, static_cast<double>(arv_buffer_get_image_pixel_format(buffer))));
  put(env, frame, "timestamp_ms", to_js(env, static_cast<double>(arv_buffer_get_timestamp(buffer)) / 1e6));
  // The leader's arrival: Aravis stamps it with the wall clock of this machine.
  const double arrived_us = static_cast<double>(arv_buffer_get_system_timestamp(buffer)) / 1e3;
  const double now_us = static_cast<double>(g_get_real_time());
  put(env, frame, "age_ms", to_js(env, std::max(0.0, (now_us - arrived_us) / 1e3)));
  void* copy = nullptr;
  napi_value bytes;
  // Electron refuses memory that is not its own, so the pixels are copied.
  napi_create_arraybuffer(env, size, &copy, &bytes);
  if (copy != nullptr && data != nullptr) std::memcpy(copy, data, size);
  put(env, frame, "bytes", bytes);
  return frame;
}

}  // namespace

napi_value start_stream(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const auto buffers = static_cast<int>(arguments.number(1));
  const auto packet_bytes = static_cast<gint>(arguments.number(2));
  return run_task(env, "startStream", [camera, buffers, packet_bytes](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (!camera->usable(outcome)) return;
    if (camera->stream != nullptr) return outcome.fail("refused", "the stream runs already");
    Trouble trouble;
    const bool loopback = on_loopback(camera->camera);
    if (arv_camera_is_gv_device(camera->camera) && (loopback || packet_bytes > 0)) {
      arv_camera_gv_set_packet_size_adjustment(camera->camera, ARV_GV_PACKET_SIZE_ADJUSTMENT_NEVER);
      arv_camera_gv_set_packet_size(camera->camera, packet_bytes > 0 ? packet_bytes : LOOPBACK_PACKET_bytes, trouble.slot());
      if (trouble.report(outcome)) return;
    }
    if (loopback) {
      arv_camera_gv_set_stream_options(camera->camera, ARV_GV_STREAM_OPTION_PACKET_SOCKET_DISABLED);
    }
    const guint payload = arv_camera_get_payload(camera->camera, trouble.slot());
    if (trouble.report(outcome)) return;
    ArvStream* stream = arv_camera_create_stream(camera->camera, nullptr, nullptr, trouble.slot());
    if (trouble.report(outcome)) return;
    if (stream == nullptr) return outcome.fail("other", "the stream could not be made");
    if (ARV_IS_GV_STREAM(stream)) {
      g_object_set(stream, "socket-buffer", ARV_GV_STREAM_SOCKET_BUFFER_AUTO, "socket-buffer-size", 0, nullptr);
    }
    for (int index = 0; index < buffers; index++) arv_stream_push_buffer(stream, arv_buffer_new(payload, nullptr));
    arv_camera_start_acquisition(camera->camera, trouble.slot());
    if (trouble.report(outcome)) {
      g_object_unref(stream);
      return;
    }
    camera->stream = stream;
    outcome.result = [payload](napi_env done) { return to_js(done, static_cast<double>(payload)); };
  });
}

napi_value stop_stream(napi_env env, napi_callback_info info) {
  auto camera = handed_in<Camera>(env, Arguments(env, info).of(0));
  return run_task(env, "stopStream", [camera](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (!camera->usable(outcome) || camera->stream == nullptr) return;
    Trouble trouble;
    arv_camera_stop_acquisition(camera->camera, trouble.slot());
    g_clear_object(&camera->stream);
    trouble.report(outcome);
  });
}

napi_value take_frame(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto camera = handed_in<Camera>(env, arguments.of(0));
  const double patience_ms = arguments.number(1);
  return run_task(env, "takeFrame", [camera, patience_ms](Outcome& outcome) {
    ArvStream* stream = nullptr;
    {
      const std::lock_guard<std::mutex> hold(camera->mutex);
      if (!camera->usable(outcome)) return;
      if (camera->stream == nullptr) return outcome.fail("refused", "the stream does not run");
      stream = ARV_STREAM(g_object_ref(camera->stream));
    }
    // Without the mutex: the wait must not keep the camera from being closed.
    ArvBuffer* buffer = arv_stream_timeout_pop_buffer(stream, static_cast<guint64>(patience_ms * 1e3));
    if (buffer == nullptr) {
      g_object_unref(stream);
      return;
    }
    auto taken = std::make_shared<Taken>();
    taken->stream = stream;
    taken->buffer = buffer;
    outcome.result = [taken](napi_env done) { return frame_to_js(done, *taken); };
  });
}

napi_value discard_frames(napi_env env, napi_callback_info info) {
  auto camera = handed_in<Camera>(env, Arguments(env, info).of(0));
  return run_task(env, "discardFrames", [camera](Outcome& outcome) {
    const std::lock_guard<std::mutex> hold(camera->mutex);
    if (!camera->usable(outcome)) return;
    std::map<std::string, double> counts;
    while (camera->stream != nullptr) {
      ArvBuffer* buffer = arv_stream_try_pop_buffer(camera->stream);
      if (buffer == nullptr) break;
      counts[status_name(arv_buffer_get_status(buffer))]++;
      arv_stream_push_buffer(camera->stream, buffer);
    }
    outcome.result = [counts](napi_env done) {
      napi_value object;
      napi_create_object(done, &object);
      for (const auto& [name, count] : counts) put(done, object, name.c_str(), to_js(done, count));
      return object;
    };
  });
}

}  // namespace caustic
