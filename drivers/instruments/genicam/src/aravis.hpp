#pragma once

extern "C" {
#include <arv.h>
}

#include <string>

#include "task.hpp"

namespace caustic {

/** An error of Aravis: asked for after a call, freed by itself. */
class Trouble {
 public:
  ~Trouble() { g_clear_error(&error_); }
  GError** slot() {
    g_clear_error(&error_);
    return &error_;
  }
  explicit operator bool() const { return error_ != nullptr; }
  std::string message() const { return error_ == nullptr ? "" : error_->message; }
  /** Turns it into the failure of the work; false when there was none. */
  bool report(Outcome& outcome) const;

 private:
  GError* error_ = nullptr;
};

inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace caustic
