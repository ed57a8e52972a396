#include "camera_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "aravis.hpp"

// A GigE Vision camera that is emulated: libaravis speaks the protocol, JavaScript makes the pixels.
namespace caustic {
namespace {

/** Registers of the GigE Vision bootstrap block that hold names, and the room in each. */
constexpr guint32 MANUFACTURER_NAME = 0x48;
constexpr guint32 MODEL_NAME = 0x68;
constexpr guint32 NAME_bytes = 32;
/** UDP port of the control protocol. */
constexpr uint16_t GVCP_PORT = 3956;
/** How often libaravis' thread looks for a software trigger, per second. */
constexpr double TRIGGER_LOOKS_Hz = 500;

struct Request {
  guint32 id, exposure_us, width, height, x, y, format;
  size_t payload;
};

struct Server {
  ArvGvFakeCamera* camera = nullptr;
  napi_threadsafe_function ask = nullptr;
  std::mutex mutex;
  std::condition_variable answered;
  bool stopping = false;
  guint32 asked = 0;
  guint32 answer = 0;
  std::vector<uint8_t> bytes;
  double shift_ms = 0;

  ArvFakeCamera* registers() const { return arv_gv_fake_camera_get_fake_camera(camera); }
  /** Ends the thread of libaravis. Not on the thread of JavaScript, which that thread may be waiting for. */
  void stop();
};

std::mutex running_mutex;
std::set<Server*> running;

guint32 register_of(const Server& server, guint32 address) {
  guint32 value = 0;
  arv_fake_camera_read_register(server.registers(), address, &value);
  return value;
}

/** Called by libaravis' thread for every frame: asks JavaScript and waits for its answer. */
void fill(ArvBuffer* buffer, void* data, guint32 exposure_us, guint32, ArvPixelFormat format) {
  Server& server = *static_cast<Server*>(data);
  const size_t payload = arv_fake_camera_get_payload(server.registers());
  std::unique_lock<std::mutex> hold(server.mutex);
  if (server.stopping) return;
  const guint32 id = ++server.asked;
  auto* request = new Request{id,
                              exposure_us,
                              register_of(server, ARV_FAKE_CAMERA_REGISTER_WIDTH),
                              register_of(server, ARV_FAKE_CAMERA_REGISTER_HEIGHT),
                              register_of(server, ARV_FAKE_CAMERA_REGISTER_X_OFFSET),
                              register_of(server, ARV_FAKE_CAMERA_REGISTER_Y_OFFSET),
                              format,
                              payload};
  if (napi_call_threadsafe_function(server.ask, request, napi_tsfn_nonblocking) != napi_ok) {
    delete request;
    return;
  }
  server.answered.wait(hold, [&] { return server.stopping || server.answer == id; });
  if (server.answer != id) return;
  // libaravis has checked that the buffer holds the payload.
  auto* pixels = static_cast<uint8_t*>(const_cast<void*>(arv_buffer_get_data(buffer, nullptr)));
  std::memcpy(pixels, server.bytes.data(), std::min(payload, server.bytes.size()));
  const double stamp_ns = static_cast<double>(arv_buffer_get_timestamp(buffer)) + server.shift_ms * 1e6;
  if (server.shift_ms != 0) arv_buffer_set_timestamp(buffer, static_cast<guint64>(stamp_ns));
}

void Server::stop() {
  {
    const std::lock_guard<std::mutex> hold(mutex);
    stopping = true;
  }
  answered.notify_all();
  g_clear_object(&camera);
}

void ask_javascript(napi_env env, napi_value callback, void*, void* data) {
  auto* request = static_cast<Request*>(data);
  if (env != nullptr) {
    napi_value object;
    napi_create_object(env, &object);
    put(env, object, "id", to_js(env, static_cast<double>(request->id)));
    put(env, object, "exposure_us", to_js(env, static_cast<double>(request->exposure_us)));
    put(env, object, "width", to_js(env, static_cast<double>(request->width)));
    put(env, object, "height", to_js(env, static_cast<double>(request->height)));
    put(env, object, "x", to_js(env, static_cast<double>(request->x)));
    put(env, object, "y", to_js(env, static_cast<double>(request->y)));
    put(env, object, "pixelFormat", to_js(env, static_cast<double>(request->format)));
    put(env, object, "payload", to_js(env, static_cast<double>(request->payload)));
    napi_value receiver = nothing(env);
    napi_call_function(env, receiver, callback, 1, &object, nullptr);
  }
  delete request;
}

/** libaravis goes on without a control port that it could not have; so it is tried first. */
std::string why_port_is_taken(const std::string& address) {
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_port = htons(GVCP_PORT);
  if (inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) return "";
  const int probe = socket(AF_INET, SOCK_DGRAM, 0);
  const bool free = bind(probe, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
  const std::string reason = free ? "" : std::strerror(errno);
  ::close(probe);
  return reason;
}

void write_name(Server& server, guint32 address, const std::string& name) {
  char room[NAME_bytes] = {};
  std::strncpy(room, name.c_str(), sizeof room - 1);
  arv_fake_camera_write_memory(server.registers(), address, sizeof room, room);
}

}  // namespace

/** startServer({ interface, serial, description, vendor, model }, ask) */
napi_value start_server(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const std::string interface = text_of(env, arguments.of(0), "interface");
  const std::string serial = text_of(env, arguments.of(0), "serial");
  const std::string description = text_of(env, arguments.of(0), "description");
  const std::string vendor = text_of(env, arguments.of(0), "vendor");
  const std::string model = text_of(env, arguments.of(0), "model");
  auto server = std::make_shared<Server>();
  napi_create_threadsafe_function(env, arguments.of(1), nullptr, to_js(env, std::string("camera frame")), 0, 1, nullptr,
                                  nullptr, nullptr, ask_javascript, &server->ask);
  static std::once_flag once;
  std::call_once(once, [env] {
    napi_add_env_cleanup_hook(
        env,
        [](void*) {
          const std::lock_guard<std::mutex> hold(running_mutex);
          for (Server* one : running) one->stop();
        },
        nullptr);
  });
  return run_task(env, "startServer", [=](Outcome& outcome) {
    const std::string taken = why_port_is_taken(interface);
    if (!taken.empty()) {
      napi_release_threadsafe_function(server->ask, napi_tsfn_release);
      return outcome.fail("taken", "port 3956 of " + interface + ": " + taken);
    }
    server->camera = arv_gv_fake_camera_new_full(interface.c_str(), serial.c_str(), description.c_str());
    if (server->camera == nullptr || !arv_gv_fake_camera_is_running(server->camera)) {
      g_clear_object(&server->camera);
      napi_release_threadsafe_function(server->ask, napi_tsfn_release);
      return outcome.fail("no_interface", "no network interface has the address or name " + interface);
    }
    write_name(*server, MANUFACTURER_NAME, vendor);
    write_name(*server, MODEL_NAME, model);
    arv_fake_camera_set_trigger_frequency(server->registers(), TRIGGER_LOOKS_Hz);
    arv_fake_camera_set_fill_pattern(server->registers(), fill, server.get());
    {
      const std::lock_guard<std::mutex> hold(running_mutex);
      running.insert(server.get());
    }
    outcome.result = [server](napi_env done) { return hand_out(done, server); };
  });
}

napi_value stop_server(napi_env env, napi_callback_info info) {
  auto server = handed_in<Server>(env, Arguments(env, info).of(0));
  return run_task(env, "stopServer", [server](Outcome&) {
    {
      const std::lock_guard<std::mutex> hold(running_mutex);
      if (running.erase(server.get()) == 0) return;
    }
    server->stop();
    napi_release_threadsafe_function(server->ask, napi_tsfn_release);
  });
}

/** answerFrame(server, id, bytes, shift_ms) */
napi_value answer_frame(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto server = handed_in<Server>(env, arguments.of(0));
  void* data = nullptr;
  size_t length = 0;
  if (server == nullptr ||
      napi_get_typedarray_info(env, arguments.of(2), nullptr, &length, &data, nullptr, nullptr) != napi_ok) {
    napi_throw_type_error(env, nullptr, "answerFrame(server, id, bytes, shift_ms)");
    return nullptr;
  }
  {
    const std::lock_guard<std::mutex> hold(server->mutex);
    const auto* first = static_cast<const uint8_t*>(data);
    server->bytes.assign(first, first + length);
    server->answer = static_cast<guint32>(arguments.number(1));
    server->shift_ms = arguments.number(3);
  }
  server->answered.notify_all();
  return nothing(env);
}

/** setLostPacketRatio(server, ratio) */
napi_value set_lost_packet_ratio(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto server = handed_in<Server>(env, arguments.of(0));
  if (server != nullptr && server->camera != nullptr) {
    g_object_set(server->camera, "gvsp-lost-ratio", arguments.number(1), nullptr);
  }
  return nothing(env);
}

/** readRegister(server, address): 32 bits, as the client reads them. */
napi_value read_register(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto server = handed_in<Server>(env, arguments.of(0));
  if (server == nullptr || server->camera == nullptr) return nothing(env);
  return to_js(env, static_cast<double>(register_of(*server, static_cast<guint32>(arguments.number(1)))));
}

/** writeRegister(server, address, value) */
napi_value write_register(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto server = handed_in<Server>(env, arguments.of(0));
  if (server != nullptr && server->camera != nullptr) {
    arv_fake_camera_write_register(server->registers(), static_cast<guint32>(arguments.number(1)),
                                   static_cast<guint32>(arguments.number(2)));
  }
  return nothing(env);
}

}  // namespace caustic
