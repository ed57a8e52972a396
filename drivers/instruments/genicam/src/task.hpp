#pragma once

#include <node_api.h>

#include <functional>
#include <memory>
#include <string>

// Work off the event loop: `work` runs on a thread of the pool, `result` back on the thread of JavaScript.
namespace caustic {

/** What became of a piece of work. Without a `failure` the promise is fulfilled with what `result` makes. */
struct Outcome {
  /** A word for the program: "not_found", "timeout", … Empty when nothing failed. */
  std::string failure;
  /** What Aravis said, for a person. */
  std::string message;
  std::function<napi_value(napi_env)> result;
  /** Called at the end, whatever became of the work, on the thread of JavaScript. */
  std::function<void(napi_env)> settled;

  void fail(std::string word, std::string text) {
    failure = std::move(word);
    message = std::move(text);
  }
};

/** Starts the work and returns its promise. It is rejected with an Error whose `code` is the failure. */
napi_value run_task(napi_env env, const char* name, std::function<void(Outcome&)> work);

napi_value to_js(napi_env env, const std::string& text);
napi_value to_js(napi_env env, double number);
napi_value to_js(napi_env env, bool truth);
napi_value nothing(napi_env env);
void put(napi_env env, napi_value object, const char* name, napi_value value);

/** The arguments of a call; missing ones are undefined. */
struct Arguments {
  napi_env env;
  napi_value values[8];

  Arguments(napi_env environment, napi_callback_info info);
  std::string text(size_t index) const;
  double number(size_t index) const;
  napi_valuetype type(size_t index) const;
  napi_value of(size_t index) const { return values[index]; }
};

std::string text_of(napi_env env, napi_value object, const char* name);
double number_of(napi_env env, napi_value object, const char* name);

/** Hands a shared object to JavaScript; collected there, it is released here. */
template <typename Thing>
napi_value hand_out(napi_env env, std::shared_ptr<Thing> thing) {
  auto* kept = new std::shared_ptr<Thing>(std::move(thing));
  napi_value value;
  napi_create_external(
      env, kept, [](napi_env, void* data, void*) { delete static_cast<std::shared_ptr<Thing>*>(data); }, nullptr, &value);
  return value;
}

template <typename Thing>
std::shared_ptr<Thing> handed_in(napi_env env, napi_value value) {
  void* data = nullptr;
  if (napi_get_value_external(env, value, &data) != napi_ok || data == nullptr) return nullptr;
  return *static_cast<std::shared_ptr<Thing>*>(data);
}

}  // namespace caustic
