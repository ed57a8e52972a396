#include <algorithm>
#include <cstdint>
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

/** Where the samples of a frame go, and the only frame that may go there. Alive as long as JavaScript's array is referred to. */
struct Target {
  uint16_t* samples = nullptr;
  size_t pixels = 0;
  /** Number of the Pixel Format Naming Convention. */
  ArvPixelFormat format = 0;
  /** "byte", "word", "bits" or "triplet", as in pixel-formats.ts. */
  std::string layout;
  unsigned bit_depth = 0;
  /** Bytes of a whole frame. */
  size_t payload = 0;
};

void unpack_bits(const uint8_t* bytes, const Target& target) {
  const uint32_t mask = (1u << target.bit_depth) - 1;
  uint32_t held = 0;
  unsigned held_bits = 0;
  for (size_t index = 0; index < target.pixels; index++) {
    while (held_bits < target.bit_depth) {
      held |= static_cast<uint32_t>(*bytes++) << held_bits;
      held_bits += 8;
    }
    target.samples[index] = static_cast<uint16_t>(held & mask);
    held >>= target.bit_depth;
    held_bits -= target.bit_depth;
  }
}

void unpack_triplets(const uint8_t* bytes, const Target& target) {
  const unsigned low_bits = target.bit_depth - 8;
  const unsigned mask = (1u << low_bits) - 1;
  for (size_t index = 0; index < target.pixels; index++) {
    const uint8_t* triplet = bytes + 3 * (index / 2);
    const bool second = index % 2 == 1;
    const unsigned low = second ? triplet[1] >> 4 : triplet[1];
    target.samples[index] = static_cast<uint16_t>(triplet[second ? 2 : 0] << low_bits | (low & mask));
  }
}

/** Low-aligned samples; words are given as they came. `bytes` are `target.payload` of them. */
void unpack(const uint8_t* bytes, const Target& target) {
  if (target.layout == "bits") return unpack_bits(bytes, target);
  if (target.layout == "triplet") return unpack_triplets(bytes, target);
  if (target.layout == "byte") {
    std::copy_n(bytes, target.pixels, target.samples);
    return;
  }
  for (size_t index = 0; index < target.pixels; index++) {
    target.samples[index] = static_cast<uint16_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
  }
}

/** What JavaScript is told of a buffer, which by then is back in the stream. */
struct Taken {
  std::string status;
  double frame_id = 0;
  bool whole = false;
  double width = 0;
  double height = 0;
  ArvPixelFormat format = 0;
  double timestamp_ms = 0;
  /** On the wall clock of this machine. */
  double arrived_us = 0;
  size_t size = 0;
};

/** Reads the buffer; its samples go to the target if they are of the one frame that may go there. */
Taken take(ArvBuffer* buffer, const Target& target) {
  Taken taken;
  const ArvBufferStatus status = arv_buffer_get_status(buffer);
  taken.status = status_name(status);
  taken.frame_id = static_cast<double>(arv_buffer_get_frame_id(buffer));
  if (status != ARV_BUFFER_STATUS_SUCCESS) return taken;
  const ArvBufferPayloadType payload = arv_buffer_get_payload_type(buffer);
  if (payload != ARV_BUFFER_PAYLOAD_TYPE_IMAGE && payload != ARV_BUFFER_PAYLOAD_TYPE_EXTENDED_CHUNK_DATA) {
    taken.status = "payload_not_supported";
    return taken;
  }
  taken.whole = true;
  const void* data = arv_buffer_get_image_data(buffer, &taken.size);
  const gint width = arv_buffer_get_image_width(buffer);
  const gint height = arv_buffer_get_image_height(buffer);
  taken.width = width;
  taken.height = height;
  taken.format = arv_buffer_get_image_pixel_format(buffer);
  taken.timestamp_ms = static_cast<double>(arv_buffer_get_timestamp(buffer)) / 1e6;
  // The leader's arrival: Aravis stamps it with the wall clock of this machine.
  taken.arrived_us = static_cast<double>(arv_buffer_get_system_timestamp(buffer)) / 1e3;
  const bool fits = taken.format == target.format && width > 0 && height > 0 &&
                    static_cast<size_t>(width) * static_cast<size_t>(height) == target.pixels;
  if (data != nullptr && fits && taken.size == target.payload) unpack(static_cast<const uint8_t*>(data), target);
  return taken;
}

napi_value frame_to_js(napi_env env, const Taken& taken) {
  napi_value frame;
  napi_create_object(env, &frame);
  put(env, frame, "status", to_js(env, taken.status));
  put(env, frame, "frameId", to_js(env, taken.frame_id));
  if (!taken.whole) return frame;
  put(env, frame, "width", to_js(env, taken.width));
  put(env, frame, "height", to_js(env, taken.height));
  put(env, frame, "pixelFormat", to_js(env, static_cast<double>(taken.format)));
  put(env, frame, "timestamp_ms", to_js(env, taken.timestamp_ms));
  const double now_us = static_cast<double>(g_get_real_time());
  put(env, frame, "age_ms", to_js(env, std::max(0.0, (now_us - taken.arrived_us) / 1e3)));
  put(env, frame, "bytes", to_js(env, static_cast<double>(taken.size)));
  return frame;
}

/** What JavaScript hands in; without samples where its array is of another type or too short for the pixels of the payload. */
Target target_of(napi_env env, napi_value given, napi_value samples) {
  Target target;
  napi_typedarray_type type = napi_int8_array;
  void* data = nullptr;
  size_t length = 0;
  if (napi_get_typedarray_info(env, samples, &type, &length, &data, nullptr, nullptr) != napi_ok) return target;
  if (type != napi_uint16_array) return target;
  target.layout = text_of(env, given, "layout");
  target.bit_depth = static_cast<unsigned>(number_of(env, given, "bitDepth"));
  target.format = static_cast<ArvPixelFormat>(number_of(env, given, "code"));
  const size_t bits = static_cast<size_t>(number_of(env, given, "bitsPerPixel"));
  target.samples = static_cast<uint16_t*>(data);
  target.pixels = length;
  target.payload = (length * bits + 7) / 8;
  return target;
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
  const Target target = target_of(env, arguments.of(2), arguments.of(3));
  if (target.samples == nullptr) {
    napi_throw_type_error(env, nullptr, "takeFrame takes a Uint16Array for the samples");
    return nullptr;
  }
  // The array must not be collected while its memory is written.
  napi_ref samples = nullptr;
  napi_create_reference(env, arguments.of(3), 1, &samples);
  return run_task(env, "takeFrame", [camera, patience_ms, target, samples](Outcome& outcome) {
    outcome.settled = [samples](napi_env done) { napi_delete_reference(done, samples); };
    ArvStream* stream = nullptr;
    {
      const std::lock_guard<std::mutex> hold(camera->mutex);
      if (!camera->usable(outcome)) return;
      if (camera->stream == nullptr) return outcome.fail("refused", "the stream does not run");
      stream = ARV_STREAM(g_object_ref(camera->stream));
    }
    // Without the mutex: the wait must not keep the camera from being closed.
    ArvBuffer* buffer = arv_stream_timeout_pop_buffer(stream, static_cast<guint64>(patience_ms * 1e3));
    if (buffer != nullptr) {
      const Taken taken = take(buffer, target);
      arv_stream_push_buffer(stream, buffer);
      outcome.result = [taken](napi_env done) { return frame_to_js(done, taken); };
    }
    g_object_unref(stream);
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
