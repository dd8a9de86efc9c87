// NVIDIA's libraries, opened on first use: they are large, and many programs need none of them.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "aten/core/errors/error.h"

// The value of a macro as text.
#define TNP_TEXT(x) #x
#define TNP_STRING(x) TNP_TEXT(x)

namespace tnp::gpu {

class SharedLibrary {
 public:
  // `name` is for messages; `files` are tried in turn. Raises Runtime with the loader's reason.
  SharedLibrary(const char* name, std::initializer_list<const char*> files) : name_(name) {
    std::string reason;  // a copy, because the next dlopen() overwrites the loader's text
    for (const char* file : files) {
      if (!handle_) handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
      // Keeps the reason for the first file, which is the preferred version.
      if (!handle_ && reason.empty()) reason = dlerror();
    }
    TNP_CHECK(handle_, ErrorKind::Runtime, "this operation on CUDA needs ", name, ": ", reason);
  }

  // A function, or null if this version of the library lacks it.
  template <class F>
  F find(const char* function) const {
    return reinterpret_cast<F>(dlsym(handle_, function));
  }

  template <class F>
  F get(const char* function) const {
    F found = find<F>(function);
    TNP_CHECK(found, ErrorKind::Runtime, "this ", name_, " has no ", function);
    return found;
  }

 private:
  const char* name_;
  void* handle_ = nullptr;
};

}  // namespace tnp::gpu
