#pragma once

#include <node_api.h>

namespace caustic {

napi_value start_server(napi_env env, napi_callback_info info);
napi_value stop_server(napi_env env, napi_callback_info info);
napi_value answer_frame(napi_env env, napi_callback_info info);
napi_value set_lost_packet_ratio(napi_env env, napi_callback_info info);
napi_value read_register(napi_env env, napi_callback_info info);
napi_value write_register(napi_env env, napi_callback_info info);

}  // namespace caustic
