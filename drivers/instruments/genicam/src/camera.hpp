#pragma once

#include <atomic>
#include <mutex>

#include "aravis.hpp"

namespace caustic {

/** One open camera and its stream. Every call of Aravis on it holds the mutex, whichever thread makes it. */
struct Camera {
  std::mutex mutex;
  ArvCamera* camera = nullptr;
  ArvStream* stream = nullptr;
  /** Set by Aravis' own thread when the camera no longer answers or somebody else took it. */
  std::atomic<bool> control_lost{false};

  ~Camera();
  /** Stops and frees everything; a second call does nothing. The mutex must be held. */
  void close();
  /** Reports "closed" when it is. */
  bool usable(Outcome& outcome) const;
};

napi_value list_cameras(napi_env env, napi_callback_info info);
napi_value open_camera(napi_env env, napi_callback_info info);
napi_value close_camera(napi_env env, napi_callback_info info);
napi_value control_lost(napi_env env, napi_callback_info info);
napi_value enable_fake_interface(napi_env env, napi_callback_info info);

napi_value read_feature(napi_env env, napi_callback_info info);
napi_value write_feature(napi_env env, napi_callback_info info);
napi_value execute_feature(napi_env env, napi_callback_info info);
napi_value read_quantity(napi_env env, napi_callback_info info);
napi_value write_quantity(napi_env env, napi_callback_info info);

napi_value start_stream(napi_env env, napi_callback_info info);
napi_value stop_stream(napi_env env, napi_callback_info info);
napi_value take_frame(napi_env env, napi_callback_info info);
napi_value discard_frames(napi_env env, napi_callback_info info);

}  // namespace caustic
